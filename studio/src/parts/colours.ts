import { layerColour } from "../theme";

const ROUND = [...["memory", "insight", "message", "fact", "summary", "passage"].map((one) => `var(--layer-${one})`), "light-dark(#0a7f9c, #5ccbe6)", "light-dark(#a34a12, #f0a071)", "light-dark(#7b2d8e, #dba0ea)", "light-dark(#b3214f, #ff9bb5)", "light-dark(#3f4fb5, #aab5ff)", "light-dark(#6e6113, #d8cc6a)"];
const REST = "var(--soft)";

/** A colour for each name, the most frequent first; a layer has its own, and who comes too late shares one. */
export function coloursOf(named: readonly (readonly [string, string | null])[]): Map<string, string> {
  const counts = new Map<string, { count: number; layer: string | null }>();
  for (const [name, layer] of named) counts.set(name, { count: (counts.get(name)?.count ?? 0) + 1, layer });
  const order = [...counts].sort((a, b) => b[1].count - a[1].count || a[0].localeCompare(b[0]));
  return new Map(order.map(([name, { layer }], at) => [name, (layer && layerColour[layer]) || ROUND[at] || REST]));
}
