import type { HuffmanTable } from "./huffman.ts";
import { type ScanComponent, ScanReader } from "./jpeg-scan-reader.ts";
import { SymbolWriter, tablesFor } from "./jpeg-scan-writer.ts";
import { Symbols } from "./jpeg-symbols.ts";
import { DRAWN, SHADED, type UnitSize } from "./jpeg-units.ts";

/** Markers (ISO/IEC 10918-1, B.1.1.3). */
const [SOI, EOI, SOF0, DHT, SOS, DQT, APP0] = [0xd8, 0xd9, 0xc0, 0xc4, 0xda, 0xdb, 0xe0];

/**
 * Symbols that wait for the tables: the best tables are known when the last one is. A page of more gets tables that are the
 * best for this much of it and have a code for everything.
 */
const WAITING = 2 * 1024 * 1024;

/** A part, taken apart. */
interface PartFile {
  /** The quantisation tables, as segments. */
  readonly quantisation: readonly Uint8Array[];
  /** The frame header and the scan header, as segments. */
  readonly frame: Uint8Array;
  readonly scanHeader: Uint8Array;
  readonly components: readonly ScanComponent[];
  /** By class and number: DC 0, DC 1, AC 0, AC 1. */
  readonly tables: readonly HuffmanTable[];
  readonly data: Uint8Array;
}

/**
 * Makes one baseline JPEG of one scan out of units that were encoded elsewhere, in baseline JPEGs of the same quality and
 * sampling, and units of one colour, which need no encoder. It has Huffman tables of its own.
 */
export class JoinedJpeg {
  readonly #size: { width: number; height: number };
  readonly #dpi: number;
  readonly #unit: UnitSize;
  readonly #flat = new Map<number, Int32Array>();
  #first: PartFile | undefined;
  #symbols: Symbols | undefined;
  #writer: SymbolWriter | undefined;
  #ready: Uint8Array[] = [];

  /** Pixels; `dpi` goes into the JFIF header. */
  constructor({ width, height, dpi, unit }: { width: number; height: number; dpi: number; unit: UnitSize }) {
    this.#size = { width, height };
    this.#dpi = dpi;
    this.#unit = unit;
  }

  /**
   * Takes the next units: those of one colour, and those that are `DRAWN` and `SHADED`, in their order, out of the files; without
   * one there are none of them. The first call has something drawn. Gives the bytes that can be sent, if there are any.
   */
  add(colours: Uint32Array, files: { drawn: Uint8Array | undefined; shaded: Uint8Array | undefined }): Uint8Array[] {
    const part = files.drawn && readPart(files.drawn);
    if (part) checkSampling(part, this.#unit);
    this.#first ??= part;
    const first = this.#first;
    if (!first) throw new Error("the first units of a JPEG have nothing drawn");
    const symbols = (this.#symbols ??= new Symbols(first.components, WAITING));
    const drawn = part && new ScanReader(part.data, part.components, part.tables);
    const greys = files.shaded && readPart(files.shaded);
    const shaded = greys && new ScanReader(greys.data, greys.components, greys.tables);
    for (let at = 0; at < colours.length; at++) {
      if (symbols.full) this.#flush({ open: true });
      const colour = colours[at] ?? 0;
      if (colour === DRAWN && drawn) symbols.drawn(drawn, first.components.length);
      else if (colour === SHADED && shaded) symbols.drawn(shaded, 1);
      else symbols.flat(this.#flatValues(first, colour));
    }
    if (this.#writer) this.#flush({ open: true });
    return this.#ready.splice(0);
  }

  /** The bytes that are left, after the last unit. */
  finish(): Uint8Array[] {
    this.#flush({ open: false });
    return [...this.#ready.splice(0), this.#writer?.finish() ?? new Uint8Array(0), new Uint8Array([0xff, EOI])];
  }

  #flush(options: { open: boolean }): void {
    const [first, symbols] = [this.#first, this.#symbols];
    if (!first || !symbols) throw new Error("a JPEG of no units");
    if (!this.#writer) {
      const tables = tablesFor(symbols.held, first.components, options);
      this.#writer = new SymbolWriter(tables, first.components);
      this.#ready.push(this.#header(first, tables));
    }
    this.#ready.push(...this.#writer.write(symbols.held));
    symbols.clear();
  }

  #flatValues(first: PartFile, colour: number): Int32Array {
    const known = this.#flat.get(colour);
    if (known) return known;
    const values = flatValues(first, colour);
    // A page of many colours does not fill the memory with them.
    if (this.#flat.size < 1_000) this.#flat.set(colour, values);
    return values;
  }

  #header({ quantisation, frame, scanHeader, components }: PartFile, tables: readonly HuffmanTable[]): Uint8Array {
    const whole = frame.slice();
    const view = new DataView(whole.buffer);
    view.setUint16(5, this.#size.height);
    view.setUint16(7, this.#size.width);
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

function readPart(file: Uint8Array): PartFile {
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
      return { quantisation, frame, scanHeader: part, tables, data, components: readFrame(frame, part) };
    } else if (marker === EOI || (marker >= 0xc1 && marker <= 0xcf)) break;
    at = end;
  }
  throw new Error("a part is not a baseline JPEG of one scan");
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

/** What a unit is made of (A.2). */
function readFrame(frame: Uint8Array, scan: Uint8Array): ScanComponent[] {
  const count = frame[9] ?? 0;
  if (scan[4] !== count) throw new Error("a part has more than one scan");
  const blocks = Array.from({ length: count }, (_, index) => {
    const factors = frame[11 + index * 3] ?? 0x11;
    // A scan of one component has units of one block, whatever its sampling.
    return count === 1 ? 1 : (factors >> 4) * (factors & 15);
  });
  return blocks.map((of, index) => {
    const tables = scan[6 + index * 2] ?? 0;
    return { blocks: of, dc: (tables >> 4) & 1, ac: 2 | (tables & 1) };
  });
}

function checkSampling({ components }: PartFile, { across, down }: UnitSize): void {
  if (components[0]?.blocks === (across * down) / 64) return;
  throw new Error("a part has another sampling than was expected");
}

/**
 * The DC value of each component in a unit of one colour, in quantisation steps: eight times the sample (A.3.3), which is of the
 * colour space of JFIF in libjpeg's whole numbers.
 */
function flatValues({ quantisation, frame, components }: PartFile, colour: number): Int32Array {
  const [red, green, blue] = [colour & 0xff, (colour >>> 8) & 0xff, (colour >>> 16) & 0xff];
  const middle = (128 << 16) + 32_767;
  const samples = [
    (19_595 * red + 38_470 * green + 7_471 * blue + 32_768) >> 16,
    (-11_059 * red - 21_709 * green + 32_768 * blue + middle) >> 16,
    (32_768 * red - 27_439 * green - 5_329 * blue + middle) >> 16,
  ];
  return Int32Array.from(components, (_, index) => {
    const value = 8 * ((samples[index] ?? 128) - 128);
    const step = dcStep(quantisation, frame[12 + index * 3] ?? 0);
    return Math.sign(value) * Math.floor(Math.abs(value) / step + 0.5);
  });
}

/** The first number of a quantisation table: tables of 64 bytes, each behind its number (B.2.4.1). */
function dcStep(segments: readonly Uint8Array[], table: number): number {
  for (const segment of segments) {
    for (let at = 4; at < segment.length; at += 65) if (segment[at] === table) return segment[at + 1] ?? 1;
  }
  throw new Error("a part has no such quantisation table");
}
