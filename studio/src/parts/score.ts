/** How a score is made: its parts in the order in which they are shown, without those that are nothing. */
import type { Hit } from "../api/shapes";

export const PARTS = ["fused", "pinned", "person", "speaker", "time", "answer", "rerank", "recency"] as const;
export type Part = (typeof PARTS)[number];
export type Share = { part: Part; value: number; percent: number };

export const partColour: Record<Part, string> = {
  fused: "var(--layer-memory)",
  pinned: "var(--layer-fact)",
  person: "var(--layer-message)",
  speaker: "var(--layer-summary)",
  time: "var(--layer-passage)",
  answer: "var(--layer-insight)",
  rerank: "var(--text)",
  recency: "var(--bad)",
};

/** Each part of a hit's score, and how much of the widest score's bar it takes. */
export function shares(hit: Pick<Hit, Part>, widest: number): Share[] {
  return PARTS.map((part) => ({ part, value: hit[part] }))
    .filter(({ value }) => Math.abs(value) >= 0.0005)
    .map(({ part, value }) => ({ part, value, percent: widest > 0 ? (Math.abs(value) / widest) * 100 : 0 }));
}

/** The longest bar that any of the hits needs. */
export function widestOf(hits: Pick<Hit, Part>[]): number {
  return Math.max(0, ...hits.map((hit) => PARTS.reduce((sum, part) => sum + Math.abs(hit[part]), 0)));
}
