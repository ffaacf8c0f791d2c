/** How a score is made: its parts in the order in which they are shown, without those that are nothing. */
import type { Hit } from "../api/shapes";

/** By which list it was found: together they are what a hit has as `fused`. */
export const LISTS = ["terms", "vector", "late"] as const;
const BOOSTS = ["pinned", "person", "speaker", "time", "answer", "rerank", "recency"] as const;
export type Part = (typeof LISTS)[number] | (typeof BOOSTS)[number];
export type Share = { part: Part; value: number; percent: number };
export type Scored = Pick<Hit, "fusedBy" | (typeof BOOSTS)[number]>;

export const partColour: Record<Part, string> = {
  terms: "var(--layer-memory)",
  vector: "light-dark(#58a097, #3b837a)",
  late: "light-dark(#a5cfc9, #b6d6d1)",
  pinned: "var(--layer-fact)",
  person: "var(--layer-message)",
  speaker: "var(--layer-summary)",
  time: "var(--layer-passage)",
  answer: "var(--layer-insight)",
  rerank: "var(--text)",
  recency: "var(--bad)",
};

function partsOf(hit: Scored): { part: Part; value: number }[] {
  return [...LISTS.map((part) => ({ part, value: hit.fusedBy[part] ?? 0 })), ...BOOSTS.map((part) => ({ part, value: hit[part] }))];
}

/** Each part of a hit's score, and how much of the widest score's bar it takes. */
export function shares(hit: Scored, widest: number): Share[] {
  return partsOf(hit)
    .filter(({ value }) => Math.abs(value) >= 0.0005)
    .map(({ part, value }) => ({ part, value, percent: widest > 0 ? (Math.abs(value) / widest) * 100 : 0 }));
}

/** The longest bar that any of the hits needs. */
export function widestOf(hits: Scored[]): number {
  return Math.max(0, ...hits.map((hit) => partsOf(hit).reduce((sum, { value }) => sum + Math.abs(value), 0)));
}
