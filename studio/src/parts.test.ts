import { describe, expect, it } from "vitest";
import { eventsIn } from "./api/files";
import { coloursOf } from "./parts/colours";
import { draftsIn } from "./parts/drafts";
import { marked } from "./parts/marked";
import { ARROWS, neighbour, WHOLE, zoomed } from "./parts/pan";
import { sectionsOf } from "./parts/sections";

describe("marks in a text", () => {
  it("count an emoji as one character, as the server does", () => {
    expect(marked("😀 tea and tea", [[2, 5], [10, 13]])).toEqual([
      { text: "😀 ", hit: false }, { text: "tea", hit: true }, { text: " and ", hit: false }, { text: "tea", hit: true },
    ]);
  });
  it("lose no text, whatever the marks", () => {
    for (const marks of [[], [[5, 2]], [[0, 99]], [[3, 6], [1, 4]], [["x", 1]]]) {
      expect(marked("abcdefg", marks).map((part) => part.text).join("")).toBe("abcdefg");
    }
  });
});

it("events are read as they come, even in pieces", () => {
  const first = eventsIn('event: progress\ndata: {"a":1}\n\nevent: prog');
  expect(first).toEqual({ whole: ['{"a":1}'], rest: "event: prog" });
  expect(eventsIn(`${first.rest}ress\r\ndata: {"a":2}\r\n\r\n: still at it\n\n`)).toEqual({ whole: ['{"a":2}'], rest: "" });
});

describe("the map", () => {
  const points = [{ x: 0, y: 0 }, { x: 1, y: 0.1 }, { x: 0.5, y: 0.9 }, { x: -1, y: 0 }];
  it("goes to the nearest point in a direction, and stays where there is none", () => {
    expect(neighbour(points, null, ARROWS["ArrowRight"]!)).toBe(points[0]);
    expect(neighbour(points, points[0]!, ARROWS["ArrowRight"]!)).toBe(points[1]);
    expect(neighbour(points, points[0]!, ARROWS["ArrowDown"]!)).toBe(points[2]);
    expect(neighbour(points, points[3]!, ARROWS["ArrowLeft"]!)).toBeNull();
  });
  it("keeps the place under the pointer when it zooms, and never goes beyond the whole", () => {
    const near = zoomed(WHOLE, 0.5, 0.2, 0.4);
    expect((0.2 - near.x) / near.size).toBeCloseTo((0.2 - WHOLE.x) / WHOLE.size);
    expect(zoomed(near, 99, 0, 0)).toEqual(WHOLE);
  });
  it("gives the most frequent names colours of their own, and layers theirs", () => {
    const colours = coloursOf([["b", null], ["a", null], ["a", null], ["Facts", "fact"]]);
    expect([...colours.keys()][0]).toBe("a");
    expect(colours.get("a")).not.toBe(colours.get("b"));
    expect(colours.get("Facts")).toBe("var(--layer-fact)");
    expect(coloursOf(Array.from({ length: 20 }, (_, at) => [`n${at}`, null] as const)).size).toBe(20);
  });
});

describe("a JSON file of memories", () => {
  it("may list texts or objects, and brings in what is known of them", () => {
    expect(draftsIn('["tea", {"content": "x", "tags": ["a"], "id": "7", "title": null}]')).toEqual([{ content: "tea" }, { content: "x", tags: ["a"] }]);
    expect(draftsIn('{"items": [{"content": "x"}]}')).toEqual([{ content: "x" }]);
    expect(draftsIn("[]")).toEqual([]);
  });
  it("is refused whole when a part of it is none", () => {
    for (const text of ["{", "7", "null", '{"a": 1}', '["x", 7]', '[{"text": "x"}]', '[" "]']) expect(draftsIn(text)).toBeNull();
  });
});

it("the sections of a digest are those with lines", () => {
  expect(sectionsOf("# The last 7 days\n\n## Due\n- Roof – due 2026-11-20\n- … and 3 more\n\n## Closed\n")).toEqual([{ title: "Due", lines: ["Roof – due 2026-11-20", "… and 3 more"] }]);
  expect(sectionsOf("# The last day\n\nNothing was decided.\n")).toEqual([]);
});
