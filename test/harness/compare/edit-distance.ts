/** White space of any kind and length as one space, none at the ends, and compatibility forms as their characters (NFC). */
const normalizeSpace = (text: string): string => text.normalize("NFC").replaceAll(/\s+/gu, " ").trim();

/**
 * Edit distance (Levenshtein) in code points. Walks the band of diagonals that can still be reached, each as far as it
 * goes for a number of edits: quick for texts that are alike, however long (time grows with the square of the distance).
 */
function editDistance(left: string, right: string): number {
  const a = Uint32Array.from(left, (character) => character.codePointAt(0) ?? 0);
  const b = Uint32Array.from(right, (character) => character.codePointAt(0) ?? 0);
  const most = Math.max(a.length, b.length);
  /** `reach[diagonal + most + 1]`: how many characters of `a` are matched on that diagonal (index in `b` less index in `a`). */
  let reach = new Int32Array(2 * most + 3).fill(-1);
  let next = new Int32Array(2 * most + 3).fill(-1);
  const goal = b.length - a.length;
  for (let edits = 0; edits <= most; edits++) {
    const from = Math.max(-edits, -a.length);
    const to = Math.min(edits, b.length);
    for (let diagonal = from; diagonal <= to; diagonal++) {
      const at = diagonal + most + 1;
      let i = 0;
      if (edits > 0) {
        const replaced = (reach[at] ?? -1) + 1;
        const dropped = (reach[at + 1] ?? -1) + 1;
        const added = reach[at - 1] ?? -1;
        i = Math.min(Math.max(replaced, dropped, added), a.length, b.length - diagonal);
      }
      while (i < a.length && i + diagonal < b.length && a[i] === b[i + diagonal]) i++;
      next[at] = i;
    }
    if (next[goal + most + 1] === a.length) return edits;
    [reach, next] = [next, reach];
  }
  return most;
}

/** Character error rate of `text` against `truth`, white space normalized: 0 is the same text. */
export function characterErrorRate(text: string, truth: string): number {
  const expected = normalizeSpace(truth);
  return editDistance(normalizeSpace(text), expected) / Math.max(1, [...expected].length);
}

/**
 * How well a text holds pieces of the truth, wherever they stand in it: the edits that each needs from the part of the text
 * that is most like it, over the length of all pieces.
 */
export function fragmentErrorRate(text: string, fragments: readonly string[]): number {
  const whole = [...normalizeSpace(text)];
  let [edits, length] = [0, 0];
  for (const fragment of fragments.map(normalizeSpace)) {
    const wanted = [...fragment];
    /** `row[j]`: edits from the fragment so far to a part of the text that ends before `j`; it may begin anywhere. */
    let row = new Uint32Array(whole.length + 1);
    for (const [index, character] of wanted.entries()) {
      const next = new Uint32Array(whole.length + 1).fill(index + 1, 0, 1);
      for (let j = 1; j <= whole.length; j++) {
        const replaced = (row[j - 1] ?? 0) + (whole[j - 1] === character ? 0 : 1);
        next[j] = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      }
      row = next;
    }
    edits += row.reduce((least, value) => Math.min(least, value), wanted.length);
    length += wanted.length;
  }
  return edits / Math.max(1, length);
}
