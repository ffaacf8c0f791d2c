import type { Layer, RecallRequest } from "../api/shapes";

/** What is chosen beside a question; an empty choice leaves it to the settings of the space. */
export type Chosen = {
  strategy: "hybrid" | "semantic" | "recent" | "";
  tier: "fast" | "balanced" | "best" | "";
  limit: number;
  maxTokens: number | null;
  personHints: string[];
  layers: Layer[];
  asOf: string;
  rerank: boolean | null;
};

export const USUAL: Chosen = { strategy: "", tier: "", limit: 10, maxTokens: null, personHints: [], layers: [], asOf: "", rerank: null };

/** The request: what was left as it is stays out, for an empty list would mean "nothing". */
export function requestOf(query: string, chosen: Chosen): RecallRequest {
  return {
    query,
    limit: chosen.limit,
    ...(chosen.strategy && { strategy: chosen.strategy }),
    ...(chosen.tier && { tier: chosen.tier }),
    ...(chosen.maxTokens !== null && { maxTokens: chosen.maxTokens }),
    ...(chosen.personHints.length > 0 && { personHints: chosen.personHints }),
    ...(chosen.layers.length > 0 && { layers: chosen.layers }),
    ...(chosen.asOf && { asOf: new Date(chosen.asOf).toISOString() }),
    ...(chosen.rerank !== null && { rerank: chosen.rerank }),
  };
}
