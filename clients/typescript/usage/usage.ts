// A program that uses the client, for the compiler only: what is right is taken, what is wrong is not.

import { Bethink, BethinkError } from "../src/index.js";
import type { Memory, RecallResult, Whole } from "../src/index.js";

export async function use(memory: Bethink): Promise<string[]> {
  const made = await memory.remember("Anna is allergic to peanuts", { tags: ["health"], type: "semantic" });
  const status: "stored" | "merged" | "duplicate" | "held" = made.status;
  const found: Whole<RecallResult> = await memory.recall("peanuts", { limit: 3, layers: ["memory"] });
  const read: Whole<Memory> = await memory.request("GET /api/memory/{id}", { path: { id: made.id } });
  const page = await memory.request("GET /api/memory", { query: { limit: 5, q: "tea" } });
  const { text } = await memory.prompt("a snack?", { sessionId: "chat-1" });
  await memory.observe("chat-1", [{ role: "user", content: "Hi", id: "m1" }]);
  return [status, text, read.content, ...found.hits.map((hit) => hit.text + hit.pinned.toFixed(2)), ...page.items.map((one) => one.id)];
}

export async function misuse(memory: Bethink): Promise<void> {
  // @ts-expect-error there is no such route
  await memory.request("GET /api/memories");
  // @ts-expect-error a memory is of one of four types
  await memory.remember("x", { type: "vague" });
  // @ts-expect-error a limit is a number
  await memory.recall("x", { limit: "3" });
  // @ts-expect-error a path needs its own parts
  await memory.request("GET /api/memory/{id}", { path: { name: "x" } });
  // @ts-expect-error messages are a list
  await memory.observe("chat-1", { role: "user", content: "Hi" });
}

export const why = (error: unknown): string =>
  error instanceof BethinkError ? `${error.status} ${error.field ?? ""} ${error.problem?.title ?? ""}` : "";
