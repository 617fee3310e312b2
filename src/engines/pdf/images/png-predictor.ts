/** Reads rows of samples from inflated data and undoes the PNG filters (ISO 32000-2, 7.4.4.4). */
import type { PDFObject } from "mupdf";
import { unfilter } from "../../image/png-rows.ts";

interface Layout {
  readonly columns: number;
  readonly colors: number;
  /** Bits per component; default: 8. */
  readonly bits?: number;
}

export class PngPredictor {
  readonly #layout: Layout;
  readonly #filtered: boolean;

  private constructor(layout: Layout, filtered: boolean) {
    this.#layout = layout;
    this.#filtered = filtered;
  }

  /** Undefined if deflate is not the only filter, or if the parameters do not match the image. */
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
      number("Colors", 1) === layout.colors &&
      number("BitsPerComponent", 8) === (layout.bits ?? 8);
    return fits ? new PngPredictor(layout, true) : undefined;
  }

  /** At most `count` rows. Each is valid only until the next. */
  async *rows(chunks: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
    const { columns, colors, bits = 8 } = this.#layout;
    const bytes = Math.ceil((columns * colors * bits) / 8);
    const step = Math.max(1, (colors * bits) >> 3);
    const row = new Uint8Array(this.#filtered ? 1 + bytes : bytes);
    let [line, above] = [new Uint8Array(bytes), new Uint8Array(bytes)];
    let [filled, given] = [0, 0];
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + row.length - filled);
        row.set(part, filled);
        at += part.length;
        filled += part.length;
        if (filled < row.length) break;
        filled = 0;
        if (this.#filtered) {
          unfilter(row, above, line, step);
          yield line;
          [line, above] = [above, line];
        } else yield row;
        if (++given === count) return;
      }
    }
  }
}
