import { searchIn } from "../description/search.ts";

/** An entry of the search: its name, section, address, text, and synonyms. */
export type SearchEntry = readonly [name: string, place: string, address: string, text: string, words?: string];

/** The addresses that a query finds, best first. */
export function searchOf(entries: readonly SearchEntry[]): (query: string) => SearchEntry[] {
  const search = searchIn(
    entries.map((entry) => {
      const [name, place, , text, words = ""] = entry;
      return { name, words, place, text, weight: weightOf(entry) };
    }),
  );
  return (query) => search(query).flatMap((at) => entries.slice(at, at + 1));
}

/** Operations and explanations before the many parameters and headers. */
function weightOf([, place, address]: SearchEntry): number {
  if (place === "Operations") return 2.5;
  if (place === "Guide" || place === NOT_OFFERED) return 2.2;
  if (address.startsWith("/docs/")) return 1.6;
  return place.startsWith("Error") ? 1.2 : 0.6;
}

/** The guide whose list has what people look for in vain. */
export const NOT_OFFERED = "Not offered";
