import type { HuffmanTable } from "./huffman.ts";
import { type ScanComponent, SymbolCounts, SymbolWriter, walkScan } from "./jpeg-scan.ts";

/** Markers (ISO/IEC 10918-1, B.1.1.3). */
const [SOI, EOI, SOF0, DHT, SOS, DQT, APP0] = [0xd8, 0xd9, 0xc0, 0xc4, 0xda, 0xdb, 0xe0];

/**
 * Bytes of bands that wait for the tables. The best tables are known when the last band is; a page of more bytes gets tables
 * that are the best for this much of it and have a code for everything.
 */
const WAITING_BYTES = 8 * 1024 * 1024;

/** A band, taken apart. */
interface BandFile {
  /** The quantisation tables, as segments. */
  readonly quantisation: readonly Uint8Array[];
  /** The frame header and the scan header, as segments. */
  readonly frame: Uint8Array;
  readonly scanHeader: Uint8Array;
  readonly components: readonly ScanComponent[];
  /** By class and number: DC 0, DC 1, AC 0, AC 1. */
  readonly tables: readonly HuffmanTable[];
  readonly units: number;
  readonly data: Uint8Array;
}

/**
 * Joins baseline JPEGs that lie one below the other, of the same width, quality and sampling, into one of one scan, with
 * Huffman tables of its own: an encoder makes tables for each band, and begins each with a DC value of 0. Every band but the
 * last has whole units (16 rows are, in every sampling).
 */
export class JpegBands {
  readonly #height: number;
  readonly #dpi: number;
  readonly #counts = new SymbolCounts(4);
  #waiting: BandFile[] = [];
  #waitingBytes = 0;
  #counted: number[] = [];
  #written: number[] = [];
  #writer: SymbolWriter | undefined;

  /** `height`: rows of all bands; `dpi` goes into the JFIF header. */
  constructor({ height, dpi }: { height: number; dpi: number }) {
    this.#height = height;
    this.#dpi = dpi;
  }

  /** Takes the next band; gives the bytes that can be sent, if there are any. */
  add(file: Uint8Array): Uint8Array[] {
    const band = readBand(file);
    if (this.#writer) return [this.#write(band, this.#writer)];
    this.#counted = walkScan(band.data, band, this.#counted, this.#counts);
    this.#waiting.push(band);
    this.#waitingBytes += band.data.length;
    return this.#waitingBytes > WAITING_BYTES ? this.#flush({ open: true }) : [];
  }

  /** The bytes that are left, after the last band. */
  finish(): Uint8Array[] {
    const sent = this.#writer ? [] : this.#flush({ open: false });
    return [...sent, this.#writer?.finish() ?? new Uint8Array(0), new Uint8Array([0xff, EOI])];
  }

  #flush(options: { open: boolean }): Uint8Array[] {
    const [first] = this.#waiting;
    if (!first) throw new Error("a JPEG of no bands");
    const tables = this.#counts.tables(options);
    const writer = new SymbolWriter(tables);
    this.#writer = writer;
    const waiting = this.#waiting.splice(0);
    return [this.#header(first, tables), ...waiting.map((band) => this.#write(band, writer))];
  }

  #write(band: BandFile, writer: SymbolWriter): Uint8Array {
    this.#written = walkScan(band.data, band, this.#written, writer);
    return writer.take();
  }

  #header({ quantisation, frame, scanHeader, components }: BandFile, tables: readonly HuffmanTable[]): Uint8Array {
    const whole = frame.slice();
    new DataView(whole.buffer).setUint16(5, this.#height);
    const [high, low] = [this.#dpi >> 8, this.#dpi & 0xff];
    // Version 1.1, dots an inch, no thumbnail.
    const jfif = [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 1, high, low, high, low, 0, 0];
    const used = new Set(components.flatMap(({ dc, ac }) => [dc, ac]));
    const huffman = tables.flatMap(({ counts, symbols }, index) =>
      used.has(index) ? [segment(DHT, [((index >> 1) << 4) | (index & 1), ...counts, ...symbols])] : [],
    );
    const parts = [new Uint8Array([0xff, SOI]), segment(APP0, jfif), ...quantisation, whole, ...huffman, scanHeader];
    const header = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      header.set(part, at);
      at += part.length;
    }
    return header;
  }
}

function segment(marker: number, content: readonly number[]): Uint8Array {
  const length = content.length + 2;
  return new Uint8Array([0xff, marker, length >> 8, length & 0xff, ...content]);
}

function readBand(file: Uint8Array): BandFile {
  const quantisation: Uint8Array[] = [];
  const tables: HuffmanTable[] = Array.from({ length: 4 }, () => ({
    counts: new Uint8Array(16),
    symbols: new Uint8Array(0),
  }));
  let frame: Uint8Array | undefined;
  let at = 2;
  for (;;) {
    const marker = file[at + 1] ?? EOI;
    const end = at + 2 + (((file[at + 2] ?? 0) << 8) | (file[at + 3] ?? 0));
    const part = file.subarray(at, end);
    if (marker === DQT) quantisation.push(part);
    else if (marker === SOF0) frame = part;
    else if (marker === DHT) readTables(part.subarray(4), tables);
    else if (marker === SOS) {
      if (!frame) break;
      const data = file.subarray(end, file.length - 2);
      return { quantisation, frame, scanHeader: part, tables, data, ...readFrame(frame, part) };
    } else if (marker === EOI || (marker >= 0xc1 && marker <= 0xcf)) break;
    at = end;
  }
  throw new Error("a band is not a baseline JPEG of one scan");
}

function readTables(content: Uint8Array, tables: HuffmanTable[]): void {
  for (let at = 0; at < content.length;) {
    const id = content[at] ?? 0;
    const counts = content.subarray(at + 1, at + 17);
    const size = counts.reduce((sum, count) => sum + count, 0);
    tables[((id >> 4) << 1) | (id & 1)] = { counts, symbols: content.subarray(at + 17, at + 17 + size) };
    at += 17 + size;
  }
}

/** How many units the scan has, and what a unit is made of (A.2). */
function readFrame(frame: Uint8Array, scan: Uint8Array): { units: number; components: ScanComponent[] } {
  const view = new DataView(frame.buffer, frame.byteOffset);
  const [height, width] = [view.getUint16(5), view.getUint16(7)];
  const count = frame[9] ?? 0;
  if (scan[4] !== count) throw new Error("a band has more than one scan");
  const sampling = Array.from({ length: count }, (_, index) => {
    const factors = frame[11 + index * 3] ?? 0x11;
    return { across: factors >> 4, down: factors & 15 };
  });
  const components = sampling.map(({ across, down }, index) => {
    const tables = scan[6 + index * 2] ?? 0;
    // A scan of one component has units of one block, whatever its sampling.
    return { blocks: count === 1 ? 1 : across * down, dc: (tables >> 4) & 1, ac: 2 | (tables & 1) };
  });
  const [across, down] =
    count === 1 ? [1, 1] : [Math.max(...sampling.map((of) => of.across)), Math.max(...sampling.map((of) => of.down))];
  return { units: Math.ceil(width / (8 * across)) * Math.ceil(height / (8 * down)), components };
}
