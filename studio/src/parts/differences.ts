type Fields = { [name: string]: unknown } | null;
/** What machines keep for themselves: ids, times of storing, what it was made from. */
const QUIET = new Set(["id", "spaceId", "space_id", "createdAt", "created_at", "updatedAt", "updated_at", "personId", "person_id", "lastVerifiedAt", "last_verified_at", "provenance", "sourceRef", "source_ref", "hint"]);
/** Of a record that is new or gone, these tell what it is. */
const TELLING = new Set(["content", "value", "title", "displayName", "display_name", "name", "role"]);
const LONGEST = 300;
const MOST = 6;

/** The fields that differ, as text; of a record that is new or gone, what people wrote in it. */
export function differences(before: Fields, after: Fields): { name: string; was: string | null; is: string | null }[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .filter((name) => (before && after ? !QUIET.has(name) : TELLING.has(name)))
    .map((name) => ({ name, was: shown(before?.[name]), is: shown(after?.[name]) }))
    .filter(({ was, is }) => was !== is)
    .slice(0, MOST);
}

/** A list of words as words; of what has parts of its own, how many they are. */
function shown(value: unknown): string | null {
  if (value === null || value === undefined || value === "" || value === false || value === 0) return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.some((one) => typeof one === "object") ? `${value.length}` : cut(value.join(", "));
  if (typeof value === "object") return Object.keys(value).length === 0 ? null : `${Object.keys(value).length}`;
  return cut(String(value));
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
