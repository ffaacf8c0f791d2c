export type Part = { text: string; hit: boolean };

/** A text in parts, those between the marks apart. Marks count characters as the server does, an emoji as one. */
export function marked(text: string, marks: readonly (readonly unknown[])[]): Part[] {
  const characters = Array.from(text);
  const parts: Part[] = [];
  let at = 0;
  for (const [first, last] of marks.map((mark) => mark.map(Number))) {
    if (first === undefined || last === undefined || first < at || last <= first) continue;
    parts.push({ text: characters.slice(at, first).join(""), hit: false }, { text: characters.slice(first, last).join(""), hit: true });
    at = last;
  }
  parts.push({ text: characters.slice(at).join(""), hit: false });
  return parts.filter((part) => part.text);
}
