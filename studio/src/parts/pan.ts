/** What of the map is in view, and how the keyboard goes from point to point. */
export type View = { x: number; y: number; size: number };
export type Placed = { x: number; y: number };
export const WHOLE: View = { x: -1.08, y: -1.08, size: 2.16 };
const NEAREST = 0.05;

/** Nearer or farther, with the place under (x, y) staying where it is. */
export function zoomed(view: View, by: number, x: number, y: number): View {
  const size = Math.min(WHOLE.size, Math.max(NEAREST, view.size * by));
  const share = size / view.size;
  return size === WHOLE.size ? WHOLE : { x: x - (x - view.x) * share, y: y - (y - view.y) * share, size };
}

export const ARROWS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The nearest point in a direction: one straight ahead is preferred to one aside. The first, from nowhere. */
export function neighbour<P extends Placed>(points: readonly P[], from: P | null, [dx, dy]: [number, number]): P | null {
  if (!from) return points[0] ?? null;
  let best: P | null = null;
  let least = Infinity;
  for (const point of points) {
    const ahead = (point.x - from.x) * dx + (point.y - from.y) * dy;
    if (ahead <= 0) continue;
    const aside = Math.abs((point.x - from.x) * dy) + Math.abs((point.y - from.y) * dx);
    if (ahead + 2 * aside < least) {
      best = point;
      least = ahead + 2 * aside;
    }
  }
  return best;
}
