import { searchIn } from "../description/search.ts";

/** An entry of the search: its name, section, address, text, and synonyms. */
export type SearchEntry = readonly [name: string, place: string, address: string, text: string, words?: string];

/** The entries that a query finds, best first. */
export function searchOf(entries: readonly SearchEntry[]): (query: string) => SearchEntry[] {
  const search = searchIn(
    entries.map((entry) => {
      const [name, place, , text, words = ""] = entry;
      return { name, words, place, text, weight: weightOf(entry), isTitle: place === GUIDE };
    }),
  );
  return (query) => search(query).flatMap((at) => entries.slice(at, at + 1));
}

/** Operations first, then sections before whole guides, and explanations before parameters, rows of tables, fields of responses, and headers. */
function weightOf([, place, address]: SearchEntry): number {
  if (place === "Operations") return 3;
  if (place === NOT_OFFERED) return 2.2;
  if (place === GUIDE) return 1.8;
  if (isRow(address)) return 0.6;
  if (address.startsWith("/docs/")) return 2;
  if (place.startsWith("Error")) return 1.2;
  return /\.response\.|#object-|#header-/.test(address) ? 0.5 : 0.8;
}

/** Whether an address is that of a limit, a variable, or another row of a guide's table. */
const isRow = (address: string): boolean => /^\/docs\/[^#]+#.*\./.test(address);

/** The place of a guide's beginning. */
export const GUIDE = "Guide";

/** The guide whose list has what people look for in vain. */
export const NOT_OFFERED = "Not offered";
