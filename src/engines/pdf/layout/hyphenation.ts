/**
 * Hyphens at line ends: whether one divides a word, or belongs to a compound, the document's own words tell. `infor-` and `mation` are one
 * word; `well-` and `known` stay a compound where the document writes it within a line, or both as words.
 */
/** Follows a hyphen at the end of a line until the document is known. No text has it: it is a noncharacter. */
export const JOINT = "\ufdd0";
const JOINTS = /[-\u2010]\ufdd0/gu;
/** Divides a word at the end of a line, and only there. */
export const SOFT_HYPHEN = "\u00ad";
const SPECIAL = /[\ufdd0\u00ad]/u;
/** A word with a joint in it, which is no evidence for others; and a word, or a compound. */
const DIVIDED = /[\p{L}\p{N}]*[-\u2010]\ufdd0[\p{L}\p{N}]*/gu;
const WORDS = /[\p{L}\p{N}]+(?:[-\u2010][\p{L}\p{N}]+)*/gu;
const [BEFORE, AFTER] = [/[\p{L}\p{N}]+$/u, /^[\p{L}\p{N}]+/u];
/** Shorter halves are words by chance, such as `for` and `ward`. */
const LEAST_HALF = 4;
/** Letters that are looked at on either side of a hyphen, and words of a document that are known. */
const [LONGEST, MOST_WORDS] = [40, 200_000];

/** Text whose words are joined at the ends of lines. */
export const withoutJoints = (text: string): string =>
  SPECIAL.test(text) ? withoutSoftHyphens(text.replaceAll(JOINTS, "")) : text;

/** What ends with a soft hyphen shows one. */
const withoutSoftHyphens = (text: string): string =>
  text.replaceAll(/\u00ad(?=\p{L})/gu, "").replaceAll(SOFT_HYPHEN, "-");

/** The words of a document. */
export class WrittenWords {
  /** By their hash, because whole books have to fit. */
  readonly #hashes = new Set<number>();

  /** Adds the words of a text and, of its compounds, the part up to the first hyphen, with it. */
  add(text: string): void {
    for (const [word] of text.replaceAll(DIVIDED, " ").matchAll(WORDS)) {
      if (this.#hashes.size >= MOST_WORDS) return;
      const plain = unified(word);
      this.#hashes.add(hashOf(plain));
      const hyphen = plain.indexOf("-");
      if (hyphen >= 0) this.#hashes.add(hashOf(plain.slice(0, hyphen + 1)));
    }
  }

  /** Spans without joints. */
  resolved<T extends { readonly text: string }>(spans: readonly T[]): readonly T[] {
    if (!spans.some(({ text }) => SPECIAL.test(text))) return spans;
    return spans.map((span, index) => {
      const [first = "", ...rest] = withoutSoftHyphens(span.text).split(JOINT);
      let text = first;
      for (const [at, piece] of rest.entries()) {
        const after = at === rest.length - 1 && piece.length < LONGEST ? piece + (spans[index + 1]?.text ?? "") : piece;
        const before = text.length <= LONGEST ? (spans[index - 1]?.text ?? "") + text : text;
        text = (this.#isCompound(before, after) ? text : text.slice(0, -1)) + piece;
      }
      return { ...span, text };
    });
  }

  /** Whether the hyphen at the end of a text belongs to the word that it makes with the next text. */
  #isCompound(before: string, after: string): boolean {
    const left = unified(BEFORE.exec(before.slice(-LONGEST - 1, -1))?.[0] ?? "");
    const right = unified(AFTER.exec(after.slice(0, LONGEST))?.[0] ?? "");
    if (this.#has(`${left}-${right}`)) return true;
    if (this.#has(left + right)) return false;
    if (!this.#has(right)) return false;
    const areWords = this.#has(left) && Math.min(left.length, right.length) >= LEAST_HALF;
    return areWords || this.#has(`${left}-`);
  }

  #has(word: string): boolean {
    return this.#hashes.has(hashOf(word));
  }
}

const unified = (word: string): string => word.toLowerCase().replaceAll("\u2010", "-");

/** FNV-1a, in the 31 bits of a small integer. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 2;
}
