/** The fields of a form, from a JSON schema of an object. */
type Schema = { [name: string]: unknown };
export type Field = {
  name: string;
  title: string;
  description: string;
  kind: "boolean" | "number" | "choice" | "choices" | "text";
  nullable: boolean;
  choices: string[];
  minimum?: number;
  maximum?: number;
};

export function fieldsOf(schema: Schema): Field[] {
  const properties = (schema["properties"] ?? {}) as { [name: string]: Schema };
  return Object.entries(properties).flatMap(([name, whole]) => {
    const ways = (whole["anyOf"] as Schema[] | undefined) ?? [whole];
    const one = ways.find((way) => way["type"] !== "null") ?? whole;
    if (one["type"] === "object" || one["$ref"]) return []; // no field of a form is one
    const items = (one["items"] ?? {}) as Schema;
    return {
      name,
      title: String(whole["title"] ?? name),
      description: plain(String(whole["description"] ?? "")),
      kind: kindOf(one),
      nullable: ways.some((way) => way["type"] === "null"),
      choices: ((one["enum"] ?? items["enum"] ?? []) as unknown[]).map(String),
      minimum: one["minimum"] as number | undefined,
      maximum: one["maximum"] as number | undefined,
    };
  });
}

const GROUPS = {
  gateway: ["enabled", "injection", "extraction", "skillsEnabled", "maxTokens"],
  recall: ["strategy", "retentionDays", "includeGlobal", "documents", "rerankEnabled", "promptDigestDays"],
  upkeep: ["extractors", "autoSummarize"],
  insights: ["insights", "insightPeople", "insightTopics", "mutedChannels"],
  models: ["rerankProviderModel", "embedding", "transformersEnabled", "staticEnabled", "vector"],
};
export type Group = keyof typeof GROUPS | "other";

/** The fields by what they are about, switches first: beside each other they do not tear the other rows apart. */
export function inGroups(fields: Field[]): [Group, Field[]][] {
  const about = (name: string) => (Object.keys(GROUPS) as (keyof typeof GROUPS)[]).find((group) => GROUPS[group].some((one) => one === name || (group === "models" && name.startsWith(one)))) ?? "other";
  const sorted = [...fields].sort((one, other) => Number(other.kind === "boolean") - Number(one.kind === "boolean"));
  return ([...Object.keys(GROUPS), "other"] as Group[]).map((group) => [group, sorted.filter(({ name }) => about(name) === group)] as [Group, Field[]]).filter(([, members]) => members.length > 0);
}

function kindOf(schema: Schema): Field["kind"] {
  if (schema["type"] === "boolean") return "boolean";
  if (schema["type"] === "integer" || schema["type"] === "number") return "number";
  if (schema["type"] === "array") return "choices";
  return schema["enum"] ? "choice" : "text";
}

function plain(text: string): string {
  return text.replaceAll("`", "");
}
