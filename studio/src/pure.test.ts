import { describe, expect, it } from "vitest";
import { addressOf } from "./api/client";
import { cumulative } from "./parts/cumulative";
import { differences } from "./parts/differences";
import { fieldsOf, inGroups } from "./parts/fields";
import { counted, rowsOf, schedule } from "./parts/names";
import { piecesOf } from "./parts/pieces-of";
import { requestOf, USUAL } from "./parts/request";
import { shares, widestOf } from "./parts/score";
import { preferred } from "./text";
import { ago } from "./text/dates";
import { type Catalogue, en, type Key } from "./text/en";
import { filled } from "./text/fill";
import { pt } from "./text/pt";
import { zh } from "./text/zh";

const NOTHING = { fusedBy: {}, pinned: 0, person: 0, speaker: 0, time: 0, answer: 0, rerank: 0, recency: 0 };

describe("a score's bar", () => {
  it("shows each part by its share of the widest, and leaves nothing out but nothing", () => {
    const hit = { ...NOTHING, fusedBy: { terms: 0.4, vector: 0.2 }, pinned: 0.2, recency: -0.2 };
    expect(widestOf([hit, NOTHING])).toBeCloseTo(1);
    expect(shares(hit, 1).map(({ part, percent }) => [part, Math.round(percent)])).toEqual([["terms", 40], ["vector", 20], ["pinned", 20], ["recency", 20]]);
    expect(shares(NOTHING, 0)).toEqual([]);
  });
});

describe("growth", () => {
  it("adds up day by day, quiet days included", () => {
    const now = Date.parse("2026-03-04T15:00:00Z");
    const days: { day: string; counts: Record<string, number> }[] = [{ day: "2026-03-02", counts: { fact: 1, memory: 2 } }, { day: "2026-03-04", counts: { memory: 4 } }];
    expect(cumulative(10, days, 4, now).counts).toEqual([10, 13, 13, 17]);
  });
});

describe("what is sent", () => {
  it("fills and escapes an address, and repeats a name for a list", () => {
    expect(addressOf("/api/memory/{id}", { id: "a/b?" }, { tag: ["x", "y"], q: undefined, pinned: false })).toBe("/api/memory/a%2Fb%3F?tag=x&tag=y&pinned=false");
  });
  it("leaves out what was not chosen: an empty list would mean nothing at all", () => {
    expect(requestOf("tea", USUAL)).toEqual({ query: "tea", limit: 10 });
    expect(requestOf("tea", { ...USUAL, layers: ["fact"], rerank: false })).toEqual({ query: "tea", limit: 10, layers: ["fact"], rerank: false });
  });
  it("asks for the pieces that hold what is in view, each once", () => {
    expect(piecesOf([49, 50, 51, 149, 150], 50)).toEqual([0, 1, 2, 3]);
  });
});

describe("a line of the journal", () => {
  it("shows what changed, and of what is new or gone only what tells it", () => {
    expect(differences({ mode: "single", name: "a", updatedAt: "x" }, { mode: "multi", name: "a", updatedAt: "y" })).toEqual([{ name: "mode", was: "single", is: "multi" }]);
    expect(differences({ value: "tea", confidence: 90 }, null)).toEqual([{ name: "value", was: "tea", is: null }]);
    expect(differences(null, null)).toEqual([]);
    expect(differences({ tags: ["a"], timeline: [] }, { tags: ["a", "b"], timeline: [{ event: "opened" }] })).toEqual([{ name: "tags", was: "a", is: "a, b" }, { name: "timeline", was: null, is: "1" }]);
  });
});

describe("names of the server", () => {
  it("are told in words, and as they are where there are none", () => {
    expect(schedule("daily at 03:30")).toBe("daily at 03:30");
    expect(schedule("every 600 seconds")).toBe("every 10 min");
    expect(schedule("never")).toBe("never");
    expect(counted({ token_vectors: 9, other_things: 2 })).toBe("vectors of words 9 · other_things 2");
    expect(["memory", "documents", "summary", "strange"].map(rowsOf)).toEqual(["Memories", "Documents", "Summaries", "strange"]);
  });
});

describe("a form from a schema", () => {
  it("knows switches, bounds, choices, lists and what may be empty", () => {
    const schema = {
      properties: {
        on: { type: "boolean", title: "On", description: "Use `it`." },
        days: { anyOf: [{ type: "integer", minimum: 1, maximum: 9 }, { type: "null" }] },
        way: { type: "string", enum: ["a", "b"] },
        many: { type: "array", items: { enum: ["x"] } },
        word: { type: "string" },
      },
    };
    const fields = fieldsOf(schema);
    expect(fields.map(({ kind, nullable }) => [kind, nullable])).toEqual([["boolean", false], ["number", true], ["choice", false], ["choices", false], ["text", false]]);
    expect(fields[0]).toMatchObject({ title: "On", description: "Use it." });
    expect(fields[1]).toMatchObject({ minimum: 1, maximum: 9 });
    expect(fields[3]?.choices).toEqual(["x"]);
  });
  it("is told in groups, switches first, and keeps what it does not know", () => {
    const fields = fieldsOf({ properties: { maxTokens: { type: "integer" }, enabled: { type: "boolean" }, vectorHost: { type: "string" }, brandNew: { type: "string" } } });
    expect(inGroups(fields).map(([group, members]) => [group, ...members.map(({ name }) => name)])).toEqual([["gateway", "enabled", "maxTokens"], ["models", "vectorHost"], ["other", "brandNew"]]);
  });
  it("leaves out what no field can hold", () => {
    expect(fieldsOf({ properties: { mapping: { type: "object" }, other: { anyOf: [{ $ref: "#/x" }, { type: "null" }] }, on: { type: "boolean" } } }).map(({ name }) => name)).toEqual(["on"]);
  });
});

describe("the catalogue", () => {
  it("has the same places in every language", () => {
    const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    const wrong = Object.entries(en).flatMap(([key, text]) =>
      [pt, zh].map((other) => other[key as keyof typeof en]).filter((said) => !said.trim() || places(said).join() !== places(text).join()),
    );
    expect(wrong).toEqual([]);
  });
  it("leaves nothing in English but names and what is the same word", () => {
    const same = (other: Catalogue) => Object.keys(en).filter((key) => other[key as Key] === en[key as Key]).sort();
    expect(same(zh)).toEqual(["measure.terms", "source.studio", "store.tls"]);
    expect(same(pt)).toEqual(["measure.terms", "options.gateway", "play.tokens", "sign.as", "source.studio", "store.tls", "type.factual"]);
  });
  it("fills places in one pass", () => {
    expect(filled("{a} and {b}", { a: "{b}", b: 1200 }, "en")).toBe("{b} and 1,200");
  });
  it("chooses the word that a number asks for, as the language does", () => {
    const passages = "{count} {count:passage|passages}";
    expect([0, 1, 2].map((count) => filled(passages, { count }, "en"))).toEqual(["0 passages", "1 passage", "2 passages"]);
    expect(filled("{count} {count:vez|vezes}", { count: 0 }, "pt")).toBe("0 vez");
    expect(filled(passages, {}, "en")).toBe(passages);
  });
  it("speaks the language that was chosen, else the browser's, else English", () => {
    expect(preferred("zh", ["pt-BR"])).toBe("zh");
    expect(preferred(null, ["fr", "pt-BR"])).toBe("pt");
    expect(preferred("xx", [])).toBe("en");
  });
  it("tells how long ago something was", () => {
    const now = Date.parse("2026-03-04T12:00:00Z");
    expect(ago("2026-03-01T12:00:00Z", now, "en")).toBe("3 days ago");
    expect(ago("2026-03-04T11:59:50Z", now, "en")).toBe("this minute");
  });
});
