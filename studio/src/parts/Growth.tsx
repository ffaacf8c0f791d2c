/** How the memory has grown: one line over time. The library that draws it is fetched when it is needed. */
import { useComputedColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../api/client";
import { useSession } from "../shell/session";
import { t, useLanguage } from "../text";
import { cumulative } from "./cumulative";
import { Loaded } from "./pieces";

export function Growth() {
  const { space } = useSession();
  const growth = useQuery({ queryKey: ["growth", space], queryFn: () => call("GET /api/stats/growth", { query: { days: 90 } }) });
  return (
    <Loaded query={growth}>
      {(data) => {
        const points = cumulative(data.before, data.days, 90, Date.now());
        const last = points.counts.at(-1) ?? 0;
        return (
          <figure style={{ margin: 0 }}>
            <Line times={points.times} counts={points.counts} />
            <figcaption className="soft small">{t("home.growthSaid", { count: last, added: last - data.before })}</figcaption>
          </figure>
        );
      }}
    </Loaded>
  );
}

function Line({ times, counts }: { times: number[]; counts: number[] }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const language = useLanguage();
  useEffect(() => {
    const node = place.current;
    if (!node) return;
    let gone = false;
    let stop = () => {};
    void Promise.all([import("uplot"), import("uplot/dist/uPlot.min.css")]).then(([{ default: UPlot }]) => {
      if (gone) return;
      const style = getComputedStyle(node);
      const probe = (name: string) => resolved(node, style.getPropertyValue(name));
      const axis = { stroke: probe("--soft"), grid: { stroke: probe("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
      const chart = new UPlot(
        {
          width: node.clientWidth,
          height: node.clientHeight,
          legend: { show: false },
          cursor: { y: false, points: { size: 7 } },
          scales: { y: { range: (_, low, high) => [Math.max(0, low - 1), Math.max(high, low + 4)] } },
          axes: [
            { ...axis, grid: { show: false }, values: (_, splits) => splits.map((one) => new Date(one * 1000).toLocaleDateString(language, { month: "short", day: "numeric" })), space: 80 },
            { ...axis, size: 56, values: (_, splits) => splits.map((one) => (Number.isInteger(one) ? one.toLocaleString(language) : "")) },
          ],
          series: [{}, { stroke: probe("--accent"), width: 2, fill: probe("--wash"), points: { show: false } }],
        },
        [times, counts],
        node,
      );
      const watch = new ResizeObserver(() => chart.setSize({ width: node.clientWidth, height: node.clientHeight }));
      watch.observe(node);
      stop = () => { watch.disconnect(); chart.destroy(); };
    });
    return () => { gone = true; stop(); };
  }, [times, counts, scheme, language]);
  return <div className="chart" ref={place} aria-hidden="true" />;
}

/** A colour as a canvas understands it: variables and light-dark() are worked out by the style of an element. */
function resolved(node: HTMLElement, value: string): string {
  const probe = document.createElement("i");
  probe.style.color = value;
  node.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
