import MiniSearch, { type SearchResult } from "minisearch";

/** The searched fields, from the name of a thing to the text about it. */
export interface Searched {
  readonly name: string;
  /** Words that people use for it. */
  readonly words: string;
  readonly place: string;
  readonly text: string;
  /** How much it matters next to others with the same words. */
  readonly weight: number;
  /** Whether the name is the title of a whole page. A question that is this title means the page. */
  readonly isTitle?: boolean;
}

/** Stop words of questions. */
const IDLE = new Set(
  "a an and are be can do does for from get have how i in into is it many me my of on or our the there this to use want was we what when where which will with you your".split(
    " ",
  ),
);

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
  // Numbers of pages and the like. Three digits are a status.
  if (plain === "" || IDLE.has(plain) || /^\d\d?$/.test(plain)) return null;
  return /[^s]s$/.test(plain) && plain.length > 3 ? plain.slice(0, -1) : plain;
}

/** How well an entry covers a word of the question, by the field that has the word. */
const FIELDS = { name: 1, words: 0.9, place: 0.8, text: 0.45 };
/** The same, if the entry has a longer word or a similar one. */
const PREFIX = 0.7;
const SIMILAR = 0.5;

/** How much more an entry counts that has the question in its words, that is named like it, or that the question names with its place. */
const PHRASE = 2;
const NAME = 1.5;
const TITLE = 4;
const INSIDE = 2;

interface Rank {
  /** The sum of the scores of MiniSearch (BM25+). */
  score: number;
  /** The share of the question that the entry covers, 0 to 1. Rare words are a larger share. */
  covered: number;
  /** Words that its name or its synonyms have. */
  readonly named: Set<string>;
}

/** A search that forgives typos and matches prefixes. Entries that cover more of the question come first. */
export function searchIn(all: readonly Searched[]): (query: string) => number[] {
  const index = new MiniSearch<Searched & { readonly id: number }>({
    fields: Object.keys(FIELDS),
    tokenize: tokens,
    processTerm: term,
  });
  index.addAll(all.map((one, id) => ({ ...one, id })));
  const places = new Map([...new Set(all.map(({ place }) => place))].map((place) => [place, termsOf(place)]));

  return (query) => {
    const phrase = query.trim().toLowerCase();
    const terms = termsOf(query);
    // Everything here is about PDF.
    const words = terms.length > 1 ? terms.filter((word) => word !== "pdf") : terms;
    const found = words.map((word) =>
      index.search(word, {
        tokenize: (one) => [one],
        processTerm: (one) => one,
        boost: { name: 6, words: 4, place: 1.5, text: 1 },
        prefix: word.length > 1,
        fuzzy: word.length > 3 ? 0.25 : false,
        weights: { prefix: 0.6, fuzzy: 0.35 },
      }),
    );
    const rarity = found.map(({ length }) => Math.log(1 + all.length / (1 + length)));
    const sum = rarity.reduce((total, one) => total + one, 0);
    const ranks = new Map<number, Rank>();
    for (const [at, results] of found.entries()) {
      const word = words[at] ?? "";
      for (const { id, score, match } of results) {
        const rank = ranks.get(id as number) ?? { score: 0, covered: 0, named: new Set() };
        rank.score += score;
        rank.covered += ((rarity[at] ?? 0) / sum) * bestMatch(word, match);
        if (match[word]?.some((field) => field === "name" || field === "words") === true) rank.named.add(word);
        ranks.set(id as number, rank);
      }
    }
    const rankOf = (id: number, { score, covered, named }: Rank): number => {
      const entry = all[id];
      if (entry === undefined) return 0;
      const { name, words: own, place, weight, isTitle = false } = entry;
      const around = places.get(place) ?? [];
      const isMeant = phrase.length > 2 && `${name} ${own}`.toLowerCase().includes(phrase);
      const isNamed = weight > 1 && name.toLowerCase() === phrase;
      const isInside =
        around.length > 0 &&
        around.every((one) => words.includes(one)) &&
        [...named].some((word) => !around.includes(word));
      const factor = (isMeant ? PHRASE : 1) * (isNamed ? (isTitle ? TITLE : NAME) : 1) * (isInside ? INSIDE : 1);
      return score * covered ** 2 * weight * factor;
    };
    return Array.from(ranks, ([id, rank]) => ({ id, rank: rankOf(id, rank) }))
      .toSorted((a, b) => b.rank - a.rank)
      .map(({ id }) => id);
  };
}

const termsOf = (text: string): string[] => [...new Set(tokens(text).flatMap((word) => term(word) ?? []))];

/** How well an entry covers a word, by its best match: 0 to 1. */
function bestMatch(word: string, match: SearchResult["match"]): number {
  const values: Readonly<Record<string, number>> = FIELDS;
  const all = Object.entries(match).flatMap(([found, fields]) => {
    const likeness = found === word ? 1 : found.startsWith(word) ? PREFIX : SIMILAR;
    return fields.map((field) => likeness * (values[field] ?? 0));
  });
  return Math.max(0, ...all);
}
