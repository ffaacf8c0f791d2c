/** Fill the places of a string in one pass, so that a value cannot bring in another place. Numbers are grouped. */
export function filled(text: string, values: Record<string, string | number>, language: string): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) return place;
    return typeof value === "number" ? value.toLocaleString(language) : value;
  });
}
