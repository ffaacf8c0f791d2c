/** What the server calls by short names, in the words of the page. */
import { t, told } from "../text";

export const nameOfSweep = (name: string) => told(`sweep.${name}`, name);

/** "daily at 03:30" and "every 600 seconds", as the server has them. */
export function schedule(text: string): string {
  const daily = /^daily at (.+)$/.exec(text);
  if (daily) return t("engine.daily", { time: daily[1]! });
  const every = /^every (\d+) seconds$/.exec(text);
  return every ? t("engine.every", { minutes: Math.round((10 * Number(every[1])) / 60) / 10 }) : text;
}

/** "vectors 9 · failed 1" */
export function counted(counts: Record<string, number>): string {
  return Object.entries(counts).map(([what, count]) => `${told(`count.${what}`, what)} ${count}`).join(" · ");
}

const MANY: Record<string, string> = { memory: "memories", summary: "summaries", journal: "journal" };

/** A kind of record, one or many, as a heading of a number. */
export function rowsOf(what: string): string {
  return told(`rows.${what}`, told(`rows.${MANY[what] ?? `${what}s`}`, what));
}
