import { Button, SegmentedControl, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type Answer, call } from "../api/client";
import { coloursOf } from "../parts/colours";
import { OPENS } from "../parts/opens";
import { Empty, LayerTag, Loaded, Page, Sheet, When } from "../parts/pieces";
import { Scatter } from "../parts/Scatter";
import { usePeople } from "../parts/usePeople";
import { useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";

type Drawn = Answer<"GET /api/map">;
type Record_ = Drawn["points"][number];
const WAYS = ["layer", "category", "person"] as const;
const COUNTS = ["300", "1000", "3000"];

export default function Map_() {
  const { space } = useSession();
  const [count, setCount] = useState("1000");
  const map = useQuery({ queryKey: ["map", space, count], queryFn: () => call("GET /api/map", { query: { limit: Number(count) } }), staleTime: 60_000 });
  return (
    <Page title="map.title" lead="map.lead" actions={<Select w={185} aria-label={t("map.count")} allowDeselect={false} data={COUNTS.map((one) => ({ value: one, label: t("map.newest", { count: Number(one) }) }))} value={count} onChange={(one) => setCount(one ?? "1000")} />}>
      <Loaded query={map}>
        {(data) => data.points.length < 3 ? <Sheet><Empty icon="map" title={t("map.none")} hint={t("map.noneHint")} /></Sheet> : <Plane data={data} />}
      </Loaded>
    </Page>
  );
}

function Plane({ data }: { data: Drawn }) {
  const language = useLanguage();
  const { nameOf } = usePeople();
  const [way, setWay] = useState<(typeof WAYS)[number]>("layer");
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [key, setKey] = useState<string | null>(null);
  const nameIn = (one: Record_): string => {
    if (way === "layer") return told(`layer.${one.layer}`, one.layer);
    if (way === "person") return nameOf(one.personId) ?? t("map.nobody");
    const name = one.category ?? "";
    return told(`type.${name}`, told(`role.${name}`, told(`kind.${name}`, name || t("map.nothing"))));
  };
  const colours = useMemo(() => coloursOf(data.points.map((one) => [nameIn(one), way === "layer" ? one.layer : null])), [data, way, language]);
  const shown = data.points.filter((one) => !hidden.has(nameIn(one)));
  const points = shown.map((one) => ({ x: one.x, y: one.y, key: one.layer + one.id, colour: colours.get(nameIn(one))!, text: one.text }));
  const chosen = shown.find((one) => one.layer + one.id === key);

  function toggle(name: string): void {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  }

  return (
    <div className="stack">
      <div className="spread" style={{ flexWrap: "wrap" }}>
        <SegmentedControl aria-label={t("map.colour")} value={way} onChange={(value) => { setWay(value as typeof way); setHidden(new Set()); }} data={WAYS.map((one) => ({ value: one, label: t(`map.by.${one}`) }))} />
        <span className="soft small">{t("map.kept", { count: data.points.length, share: data.kept.toLocaleString(language, { style: "percent" }) })}</span>
      </div>
      <div className="mapside">
        <Sheet><Scatter points={points} chosen={points.find((one) => one.key === key) ?? null} onChoose={(one) => setKey(one.key)} label={t("map.how")} /></Sheet>
        <div className="stack">
          <Sheet title={t(`map.by.${way}`)}>
            <ul className="lines small">
              {[...colours].map(([name, colour]) => (
                <li key={name}><button type="button" className="plainbutton row" aria-pressed={!hidden.has(name)} onClick={() => toggle(name)} style={{ opacity: hidden.has(name) ? 0.75 : 1, textDecoration: hidden.has(name) ? "line-through" : undefined }}><span className="dot" style={{ background: colour }} /> {name}</button></li>
              ))}
            </ul>
          </Sheet>
          <Sheet title={t("map.chosen")}>
            <div aria-live="polite">
              {!chosen ? <p className="soft small" style={{ margin: 0 }}>{t("map.how")}</p> : (
                <div className="stack">
                  <p className="pre">{chosen.text}</p>
                  <div className="row soft small"><LayerTag layer={chosen.layer} /><When at={chosen.observedAt} />{nameOf(chosen.personId)}</div>
                  {OPENS[chosen.layer] && <div><Button component={Link} variant="default" to={OPENS[chosen.layer]!(chosen.id, chosen.text)}>{t("map.open")}</Button></div>}
                </div>
              )}
            </div>
          </Sheet>
        </div>
      </div>
    </div>
  );
}
