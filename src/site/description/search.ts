import MiniSearch from "minisearch";

/** The searched fields, from the name of a thing to the text about it. */
export interface Searched {
  readonly name: string;
  /** Words that people use for it. */
  readonly words: string;
  readonly place: string;
  readonly text: string;
  /** How much it matters next to others with the same words. */
  readonly weight: number;
}

/** Stop words of questions. */
const IDLE = new Set("a an and are can do does for from how i in into is it my of on or the to what with".split(" "));

/**
 * The parts of camel case and of names with hyphens are words, too: `ownerPassword` is found by `password`. The names of standards are one word: `PDF/A`
 * is not found by everything that is about PDF.
 */
function tokens(text: string): string[] {
  const joined = text.replaceAll(/\bPDF\/(?=(?:A|E|R|UA|VT|X)\b)/gi, "PDF");
  return joined.split(/[\s\p{Z}\p{P}$+<=>^`|~]+/u).flatMap((word) => {
    const parts = word.split(/(?<=[a-z])(?=[A-Z])/);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
}

/** Without case, accents, and the ending of a plural. */
function term(word: string): string | null {
  const plain = word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  if (plain === "" || IDLE.has(plain)) return null;
  return /[^s]s$/.test(plain) && plain.length > 3 ? plain.slice(0, -1) : plain;
}

/** A search that forgives typos and matches prefixes. Entries with only some of the words come last. */
export function searchIn(all: readonly Searched[]): (query: string) => number[] {
  const index = new MiniSearch<Searched & { readonly id: number }>({
    fields: ["name", "words", "place", "text"],
    tokenize: tokens,
    processTerm: term,
  });
  index.addAll(all.map((one, id) => ({ ...one, id })));
  return (query) => {
    const phrase = query.trim().toLowerCase();
    const terms = tokens(query).flatMap((word) => term(word) ?? []);
    // Everything here is about PDF.
    const own = (word: string): string | null => (terms.length > 1 && term(word) === "pdf" ? null : term(word));
    const found = index.search(query, {
      processTerm: own,
      boost: { name: 6, words: 4, place: 1.5, text: 1 },
      prefix: (word) => word.length > 1,
      fuzzy: (word) => (word.length > 3 ? 0.25 : false),
      weights: { prefix: 0.6, fuzzy: 0.35 },
      boostDocument(id) {
        const { weight, name, words } = all[id as number] ?? { weight: 1, name: "", words: "" };
        const isMeant = phrase.length > 2 && `${name} ${words}`.toLowerCase().includes(phrase);
        return isMeant ? weight * 2 : weight;
      },
    });
    // Entries with more of the words come first.
    return found
      .toSorted((a, b) => b.queryTerms.length - a.queryTerms.length || b.score - a.score)
      .map(({ id }) => id as number);
  };
}
