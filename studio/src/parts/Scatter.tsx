/** Points on a plane: drag to move, wheel or buttons to zoom, arrows to go from point to point. */
import { ActionIcon } from "@mantine/core";
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../shell/icons";
import { t } from "../text";
import { ARROWS, neighbour, type Placed, type View, WHOLE, zoomed } from "./pan";

export type Point = Placed & { key: string; colour: string; text: string };
const STEP = 0.7;
const MOVED = 4;

export function Scatter({ points, chosen, onChoose, label }: { points: Point[]; chosen: Point | null; onChoose: (point: Point) => void; label: string }) {
  const [view, setView] = useState<View>(WHOLE);
  const drawn = useRef<SVGSVGElement>(null);
  const drag = useRef<{ x: number; y: number; view: View; moved: boolean } | null>(null);

  useEffect(() => {
    const node = drawn.current;
    if (!node) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault(); // React's own listener may not
      const box = node.getBoundingClientRect();
      setView((now) => zoomed(now, event.deltaY > 0 ? 1 / STEP : STEP, now.x + ((event.clientX - box.left) / box.width) * now.size, now.y + ((event.clientY - box.top) / box.height) * now.size));
    };
    node.addEventListener("wheel", wheel, { passive: false });
    return () => node.removeEventListener("wheel", wheel);
  }, []);

  const zoom = (by: number) => setView((now) => zoomed(now, by, now.x + now.size / 2, now.y + now.size / 2));

  function move(event: PointerEvent<SVGSVGElement>): void {
    const begun = drag.current;
    const width = drawn.current?.clientWidth;
    if (!begun || !width) return;
    if (Math.hypot(event.clientX - begun.x, event.clientY - begun.y) > MOVED) begun.moved = true;
    if (!begun.moved) return;
    const unit = begun.view.size / width;
    setView({ ...begun.view, x: begun.view.x - (event.clientX - begun.x) * unit, y: begun.view.y - (event.clientY - begun.y) * unit });
  }

  function press(event: KeyboardEvent): void {
    if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key in ARROWS) {
      event.preventDefault();
      const next = neighbour(points, chosen, ARROWS[event.key]!);
      if (next) onChoose(next);
    }
  }

  const radius = view.size / (window.innerWidth < 640 ? 75 : 130);
  return (
    <div className="map">
      <svg
        ref={drawn}
        viewBox={`${view.x} ${view.y} ${view.size} ${view.size}`}
        role="application"
        aria-label={label}
        tabIndex={0}
        onKeyDown={press}
        onPointerDown={(event) => { drag.current = { x: event.clientX, y: event.clientY, view, moved: false }; }}
        onPointerMove={move}
        onPointerUp={() => { window.setTimeout(() => { drag.current = null; }); }}
        onPointerLeave={() => { drag.current = null; }}
      >
        {points.map((point) => (
          <circle key={point.key} cx={point.x} cy={point.y} r={radius} fill={point.colour} data-point={point.key} onClick={() => { if (!drag.current?.moved) onChoose(point); }}>
            <title>{point.text}</title>
          </circle>
        ))}
        {chosen && <circle className="ring" cx={chosen.x} cy={chosen.y} r={radius * 2} strokeWidth={radius * 0.6} />}
      </svg>
      <div className="zoom">
        <ActionIcon variant="default" size="lg" aria-label={t("map.nearer")} onClick={() => zoom(STEP)}><Icon name="zoomIn" size={18} /></ActionIcon>
        <ActionIcon variant="default" size="lg" aria-label={t("map.farther")} onClick={() => zoom(1 / STEP)} disabled={view === WHOLE}><Icon name="zoomOut" size={18} /></ActionIcon>
      </div>
    </div>
  );
}
