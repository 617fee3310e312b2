import { RowFilter } from "../../image/row-filter.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { Deflated } from "./deflated.ts";

const OPAQUE = 255;

/** Fuel per byte of a row that is filtered and deflated. */
const FILTER_WORK = 4;
/** Fuel per byte of a row for decoding it: `PARSERS.image`, and inflating. */
const DECODING_WORK = 4;

/** Runs the conversion of rows with so many bytes together, whose fuel is known by that. */
export const convertRows = <T>(engine: PdfEngine, bytes: number, convert: () => Promise<T>): Promise<T> =>
  engine.work.stage("convertImage", bytes * (FILTER_WORK + DECODING_WORK)).run(convert);

/** Deflates rows with PNG filters, as `EmbeddedImage` has them under `filtered`. */
export class FilteredRows implements Disposable {
  readonly #engine: PdfEngine;
  readonly #filter: RowFilter;
  readonly #deflated: Deflated;
  /** Whether all bytes so far are 255, as in alpha that hides nothing. */
  isOpaque = true;

  /** `bytes` per row; `distance`: bytes from a sample to its left neighbor. */
  constructor(engine: PdfEngine, bytes: number, distance: number) {
    this.#engine = engine;
    this.#filter = new RowFilter(bytes, distance);
    this.#deflated = new Deflated(engine);
  }

  /** @throws Refusal `limit_exceeded` (memory, work), `overloaded` */
  async write(row: Uint8Array): Promise<void> {
    this.#engine.work.spend(row.length * FILTER_WORK);
    this.isOpaque &&= row.every((byte) => byte === OPAQUE);
    await this.#deflated.write(this.#filter.filter(row));
    await this.#engine.work.pause();
  }

  /** @throws Refusal as `write` */
  end(): Promise<EngineBytes> {
    return this.#deflated.end();
  }

  [Symbol.dispose](): void {
    this.#deflated[Symbol.dispose]();
  }
}
