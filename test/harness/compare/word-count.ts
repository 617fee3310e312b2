/** Words of a text and how often each occurs. */
export type WordCount = ReadonlyMap<string, number>;

/** Letters, marks and digits next to each other are a word; a character of a script that is written without spaces is one alone. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+/gu;

function countEach(words: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Counts words, with compatibility forms as their characters (NFKC). */
export const countWords = (text: string): WordCount => countEach(text.normalize("NFKC").match(WORD) ?? []);

/** Words of `from` that `to` lacks, each as often as it is lacking. */
function lacking(from: WordCount, to: WordCount): string[] {
  return [...from].flatMap(([word, count]) =>
    Array.from({ length: Math.max(0, count - (to.get(word) ?? 0)) }, () => word),
  );
}

/** Words that are in both, each as often as it is in both. */
export function commonWords(one: WordCount, other: WordCount): WordCount {
  const shared = [...one].map(([word, count]) => [word, Math.min(count, other.get(word) ?? 0)] as const);
  return new Map(shared.filter(([, count]) => count > 0));
}

export const totalOf = (words: WordCount): number => [...words.values()].reduce((sum, count) => sum + count, 0);

/**
 * Words lost and won between two texts, apart from words that were `added` on purpose. A word is not lost where all its
 * letters are among those of words won: "foot" and "note" for "footnote" is another idea of where the spaces are.
 */
export function compareWords(
  before: WordCount,
  after: WordCount,
  added: WordCount = new Map(),
): { lost: readonly string[]; won: readonly string[] } {
  const won = lacking(after, before);
  const unexpected = lacking(countEach(won), added);
  const letters = countEach(unexpected.flatMap((word) => [...word]));
  const isRegrouped = (word: string): boolean => {
    const needed = [...countEach([...word])];
    if (needed.some(([letter, count]) => (letters.get(letter) ?? 0) < count)) return false;
    for (const [letter, count] of needed) letters.set(letter, (letters.get(letter) ?? 0) - count);
    return true;
  };
  return { lost: lacking(before, after).filter((word) => !isRegrouped(word)), won };
}
