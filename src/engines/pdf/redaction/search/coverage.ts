/** Which characters of a text are found, however many matches they are parts of. */

/** From one index of a text to another. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Bits of a character: it is in a match, and in the same one as the character before it. */
const [IN, GOES_ON] = [1, 2];

export class MatchCoverage {
  readonly #marks: Uint8Array;
  isEmpty = true;

  constructor(length: number) {
    this.#marks = new Uint8Array(length);
  }

  add({ start, end }: Range): void {
    if (end <= start) return;
    this.isEmpty = false;
    this.#marks[start] = (this.#marks[start] ?? 0) | IN;
    this.#marks.fill(IN | GOES_ON, start + 1, end);
  }

  addAll(other: MatchCoverage): void {
    if (other.isEmpty) return;
    this.isEmpty = false;
    for (let at = 0; at < this.#marks.length; at++) {
      this.#marks[at] = (this.#marks[at] ?? 0) | (other.#marks[at] ?? 0);
    }
  }

  /** Whether no character of a range is in a match. */
  isFree({ start, end }: Range): boolean {
    for (let at = start; at < end; at++) if (this.#marks[at] !== 0) return false;
    return true;
  }

  /** In order, with those that overlap made one. */
  ranges(): Range[] {
    const ranges: Range[] = [];
    if (this.isEmpty) return ranges;
    let start: number | undefined;
    for (let at = 0; at <= this.#marks.length; at++) {
      const mark = this.#marks[at] ?? 0;
      if ((mark & GOES_ON) !== 0) continue;
      if (start !== undefined) ranges.push({ start, end: at });
      start = mark === 0 ? undefined : at;
    }
    return ranges;
  }
}
