/** Which pieces of a list, each so long, hold these places. */
export function piecesOf(places: number[], length: number): number[] {
  return [...new Set(places.map((place) => Math.floor(place / length)))].sort((a, b) => a - b);
}
