import type { MemoryDraft } from "../api/shapes";

const TAKEN = ["content", "title", "type", "tags", "category", "personId", "pinned", "observedAt", "source", "confidence"] as const;

/** The memories that a JSON file lists, as texts or as objects with a content; null where it is no such list. */
export function draftsIn(text: string): MemoryDraft[] | null {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return null;
  }
  const held = whole as { memories?: unknown; items?: unknown } | null;
  const list = Array.isArray(whole) ? whole : (held?.memories ?? held?.items);
  if (!Array.isArray(list)) return null;
  const drafts = list.map(draftOf);
  return drafts.every((one) => one !== null) ? drafts : null;
}

function draftOf(one: unknown): MemoryDraft | null {
  if (typeof one === "string") return one.trim() ? { content: one } : null;
  if (typeof one !== "object" || one === null || typeof (one as MemoryDraft).content !== "string") return null;
  const given = one as Record<string, unknown>;
  const taken = TAKEN.filter((name) => given[name] !== null && given[name] !== undefined).map((name) => [name, given[name]]);
  return Object.fromEntries(taken) as MemoryDraft;
}
