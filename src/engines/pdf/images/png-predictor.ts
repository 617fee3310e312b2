/** Rows of samples out of inflated data, PNG's filters undone (ISO 32000-2, 7.4.4.4). */
import type { PDFObject } from "mupdf";

interface Layout {
  readonly columns: number;
  /** Components of 8 bits. */
  readonly colours: number;
}

export class PngPredictor {
  readonly #layout: Layout;
  readonly #filtered: boolean;

  private constructor(layout: Layout, filtered: boolean) {
    this.#layout = layout;
    this.#filtered = filtered;
  }

  /** Undefined for a stream that is not deflated only, or whose parameters do not go with its image. */
  static of(stream: PDFObject, layout: Layout): PngPredictor | undefined {
    const [filter, parameters] = ["Filter", "DecodeParms"].map((key) => {
      const value = stream.get(key);
      return value.isArray() && value.length === 1 ? value.get(0) : value;
    });
    if (!filter?.isName() || filter.asName() !== "FlateDecode" || !parameters) return undefined;
    const number = (key: string, other: number): number => {
      const value = parameters.isDictionary() ? parameters.get(key) : undefined;
      return value?.isNumber() ? value.asNumber() : other;
    };
    const predictor = number("Predictor", 1);
    if (predictor === 1) return new PngPredictor(layout, false);
    const fits =
      predictor >= 10 &&
      number("Columns", 1) === layout.columns &&
      number("Colors", 1) === layout.colours &&
      number("BitsPerComponent", 8) === 8;
    return fits ? new PngPredictor(layout, true) : undefined;
  }

  /** At most `count` rows; each is good only until the next. */
  async *rows(chunks: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
    const { columns, colours } = this.#layout;
    const head = this.#filtered ? 1 : 0;
    let [row, above] = [new Uint8Array(head + columns * colours), new Uint8Array(head + columns * colours)];
    let [filled, given] = [0, 0];
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + row.length - filled);
        row.set(part, filled);
        at += part.length;
        filled += part.length;
        if (filled < row.length) break;
        if (this.#filtered) unfilter(row, above, colours);
        yield row.subarray(head);
        if (++given === count) return;
        [row, above, filled] = [above, row, 0];
      }
    }
  }
}

/** PNG (RFC 2083), 6; the first byte says which filter. */
function unfilter(row: Uint8Array, above: Uint8Array, step: number): void {
  const filter = row[0] ?? 0;
  if (filter === 0) return;
  for (let at = 1; at < row.length; at++) {
    const before = at > step ? (row[at - step] ?? 0) : 0;
    const up = above[at] ?? 0;
    if (filter === 1) row[at] = (row[at] ?? 0) + before;
    else if (filter === 2) row[at] = (row[at] ?? 0) + up;
    else if (filter === 3) row[at] = (row[at] ?? 0) + ((before + up) >> 1);
    else row[at] = (row[at] ?? 0) + paeth(before, up, at > step ? (above[at - step] ?? 0) : 0);
  }
}

function paeth(before: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(before - corner), Math.abs(before + up - 2 * corner)];
  if (a <= b && a <= c) return before;
  return b <= c ? up : corner;
}
