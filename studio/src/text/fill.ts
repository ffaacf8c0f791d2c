/** Fill the places of a string in one pass, so that a value cannot bring in another place. Numbers are grouped.
 *
 * "{count} {count:passage|passages}": which word stands there depends on the number, as the language has it.
 */
export function filled(text: string, values: Record<string, string | number>, language: string): string {
  return text.replace(/\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}/g, (place, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return place;
    if (one !== undefined && many !== undefined) return new Intl.PluralRules(language).select(Number(value)) === "one" ? one : many;
    return typeof value === "number" ? value.toLocaleString(language) : value;
  });
}
