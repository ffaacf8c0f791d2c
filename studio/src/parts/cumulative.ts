type Day = { day: string; counts: Record<string, number> };
const DAY = 86_400;

/** The running total at the end of each day up to today, from what there was before the first. */
export function cumulative(before: number, days: Day[], span: number, now: number): { times: number[]; counts: number[] } {
  const added = new Map(days.map(({ day, counts }) => [Date.parse(day) / 1000, Object.values(counts).reduce((sum, one) => sum + one, 0)]));
  const today = Math.floor(now / 1000 / DAY) * DAY;
  const times: number[] = [];
  const counts: number[] = [];
  let total = before;
  for (let at = today - (span - 1) * DAY; at <= today; at += DAY) {
    total += added.get(at) ?? 0;
    times.push(at);
    counts.push(total);
  }
  return { times, counts };
}
