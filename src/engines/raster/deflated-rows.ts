/** Samples on their way into a PDF: filtered as PNG does, which is PDF's predictor 15 (ISO 32000-2, 7.4.4.4), and deflated. */
import { Zlib } from "fflate";
import { Collector } from "../pdf/collector.ts";
import type { EngineBytes } from "../pdf/heap.ts";
import type { PdfEngine } from "../pdf/mupdf.ts";
import { paeth } from "./png-rows.ts";

/** A zlib stream that is made as bytes come. */
export class Deflated {
  readonly #collector: Collector;
  readonly #stream: Zlib;

  constructor(engine: PdfEngine) {
    this.#collector = new Collector(engine);
    this.#stream = new Zlib((chunk) => this.#collector.write(chunk));
  }

  /** @throws Refusal `limit_exceeded`, `overloaded` (memory). */
  write(bytes: Uint8Array): void {
    this.#stream.push(bytes);
  }

  end(): EngineBytes {
    this.#stream.push(new Uint8Array(), true);
    return this.#collector.bytes;
  }
}

const SUB = 1;
const UP = 2;
const PAETH = 4;

/** A zlib stream of rows, each with the filter that leaves the smallest numbers (PNG 3rd edition, 12.7). */
export class FilteredRows {
  readonly #deflated: Deflated;
  readonly #distance: number;
  readonly #candidates: readonly Uint8Array[];
  #above: Uint8Array;

  /** `bytes` of a row; `distance`: bytes from a sample to the one left of it. */
  constructor(engine: PdfEngine, bytes: number, distance: number) {
    this.#deflated = new Deflated(engine);
    this.#distance = distance;
    this.#above = new Uint8Array(bytes);
    this.#candidates = [SUB, UP, PAETH].map((filter) => {
      const row = new Uint8Array(1 + bytes);
      row[0] = filter;
      return row;
    });
  }

  write(line: Uint8Array): void {
    const [sub, up, third] = this.#candidates;
    if (!sub || !up || !third) return;
    const [above, distance] = [this.#above, this.#distance];
    let [sumSub, sumUp, sumPaeth] = [0, 0, 0];
    for (let index = 0; index < line.length; index++) {
      const value = line[index] ?? 0;
      const left = index < distance ? 0 : (line[index - distance] ?? 0);
      const over = above[index] ?? 0;
      const corner = index < distance ? 0 : (above[index - distance] ?? 0);
      sumSub += magnitude((sub[index + 1] = value - left));
      sumUp += magnitude((up[index + 1] = value - over));
      sumPaeth += magnitude((third[index + 1] = value - paeth(left, over, corner)));
    }
    const sums = [sumSub, sumUp, sumPaeth];
    const best = this.#candidates[sums.indexOf(Math.min(...sums))];
    if (best) this.#deflated.write(best);
    above.set(line);
  }

  end(): EngineBytes {
    return this.#deflated.end();
  }
}

/** Of a difference as a signed byte. */
function magnitude(difference: number): number {
  const byte = difference & 0xff;
  return byte < 128 ? byte : 256 - byte;
}
