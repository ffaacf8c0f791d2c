export type Section = { title: string; lines: string[] };

/** The sections of a Markdown text that have lines, each with its list. */
export function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = [];
  for (const line of markdown.split("\n")) {
    if (line.startsWith("## ")) sections.push({ title: line.slice(3).trim(), lines: [] });
    else if (line.startsWith("- ")) sections.at(-1)?.lines.push(line.slice(2).trim());
  }
  return sections.filter((one) => one.lines.length > 0);
}
