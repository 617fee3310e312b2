/** The advances of glyphs in the Compact Font Format, which begin their CharStrings (Adobe Technical Note 5177, 3.1). */
import type { ParseMeter } from "../../parse-meter.ts";
import { type CffFont, type CffIndex, PRIVATE, readDict } from "./cff.ts";
import { UnknownFont } from "./unknown-font.ts";

/** Operators of the Top DICT and of a Private DICT. */
const [FONT_MATRIX, FD_ARRAY, FD_SELECT] = [(12 << 8) | 7, (12 << 8) | 36, (12 << 8) | 37];
const [SUBRS, DEFAULT_WIDTH, NOMINAL_WIDTH] = [19, 20, 21];
/** Subroutines within each other (Technical Note 5177, appendix B), and bytes of a glyph up to its first operator. */
const [MOST_CALLS, MOST_STEPS] = [10, 400];

interface PrivateDict {
  readonly usual: number;
  readonly nominal: number;
  readonly subroutines: CffIndex | undefined;
  readonly scale: number;
}

export class CffWidths {
  readonly #font: CffFont;
  readonly #meter: ParseMeter;
  readonly #global: CffIndex;
  readonly #dicts: readonly PrivateDict[];
  readonly #selected: readonly number[] | undefined;

  /** @throws UnknownFont, or RangeError if a table is cut off */
  constructor(font: CffFont, meter: ParseMeter) {
    this.#font = font;
    this.#meter = meter;
    this.#global = font.indexAt(font.strings.end);
    const outer = scaleOf(font.numbersOf(FONT_MATRIX));
    const [array] = font.numbersOf(FD_ARRAY);
    const [select] = font.numbersOf(FD_SELECT);
    if (array === undefined || select === undefined) {
      const [size = 0, start = 0] = font.numbersOf(PRIVATE);
      this.#dicts = [privateDict(font, size, start, outer ?? 1)];
      this.#selected = undefined;
      return;
    }
    const dicts = font.indexAt(array);
    meter.element(dicts.count);
    this.#dicts = Array.from({ length: dicts.count }, (_, index) => {
      const dict = readDict(dicts.item(index));
      const [size = 0, start = 0] = dict.get(PRIVATE)?.numbers ?? [];
      const inner = scaleOf(dict.get(FONT_MATRIX)?.numbers ?? []);
      return privateDict(font, size, start, combined(outer, inner));
    });
    this.#selected = readSelect(font.bytes, select, font.outlines.count, meter);
  }

  /** In thousandths of the font size. */
  of(glyph: number): number {
    const dict = this.#dicts[this.#selected?.[glyph] ?? 0];
    if (!dict) throw new UnknownFont();
    const reader = new WidthReader(this.#global, dict.subroutines);
    const width = reader.read(this.#font.outlines.item(glyph));
    this.#meter.element(reader.steps);
    return (width === undefined ? dict.usual : dict.nominal + width) * dict.scale;
  }
}

/** Thousandths for a unit of the font; undefined without a matrix. */
function scaleOf([scale]: readonly number[]): number | undefined {
  return scale === undefined ? undefined : Math.round(scale * 1000 * 1e6) / 1e6;
}

/** The scale by the matrices of a font and of a Font DICT. Some fonts have the same one in both, which counts once. */
function combined(outer: number | undefined, inner: number | undefined): number {
  const product = ((outer ?? 1000) * (inner ?? 1000)) / 1000;
  if (outer === undefined && inner === undefined) return 1;
  return product < 0.01 ? (inner ?? 1) : product;
}

function privateDict(font: CffFont, size: number, start: number, scale: number): PrivateDict {
  const dict = readDict(font.bytes.subarray(start, start + size));
  const [usual = 0] = dict.get(DEFAULT_WIDTH)?.numbers ?? [];
  const [nominal = 0] = dict.get(NOMINAL_WIDTH)?.numbers ?? [];
  const [offset] = dict.get(SUBRS)?.numbers ?? [];
  return { usual, nominal, subroutines: offset === undefined ? undefined : font.indexAt(start + offset), scale };
}

/** The Font DICT of each glyph. */
function readSelect(bytes: Uint8Array, start: number, count: number, meter: ParseMeter): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  meter.element(count);
  const format = view.getUint8(start);
  if (format === 0) return Array.from({ length: count }, (_, glyph) => view.getUint8(start + 1 + glyph));
  if (format !== 3) throw new UnknownFont();
  const selected: number[] = [];
  for (let range = 0, ranges = view.getUint16(start + 1); range < ranges; range++) {
    const at = start + 3 + range * 3;
    const [first, next] = [view.getUint16(at), view.getUint16(at + 3)];
    for (let glyph = first; glyph < Math.min(next, count); glyph++) selected[glyph] = view.getUint8(at + 2);
  }
  return selected;
}

/** Reads a CharString up to its first operator that clears the stack. */
class WidthReader {
  readonly #global: CffIndex;
  readonly #local: CffIndex | undefined;
  readonly #stack: number[] = [];
  steps = 0;

  constructor(global: CffIndex, local: CffIndex | undefined) {
    this.#global = global;
    this.#local = local;
  }

  /** The width as the CharString has it; undefined if it has none. */
  read(code: Uint8Array): number | undefined {
    return this.#run(code, 0) ?? undefined;
  }

  /** Null: there is no width. Undefined: the subroutine has returned. */
  #run(code: Uint8Array, depth: number): number | null | undefined {
    if (depth > MOST_CALLS) throw new UnknownFont();
    const stack = this.#stack;
    for (let at = 0; at < code.length;) {
      if (++this.steps > MOST_STEPS) throw new UnknownFont();
      const byte = code[at++] ?? 0;
      const next = (): number => code[at++] ?? 0;
      if (byte >= 32 || byte === 28) {
        if (byte === 28) stack.push(((next() << 24) | (next() << 16)) >> 16);
        else if (byte <= 246) stack.push(byte - 139);
        else if (byte <= 250) stack.push((byte - 247) * 256 + next() + 108);
        else if (byte <= 254) stack.push(-(byte - 251) * 256 - next() - 108);
        else stack.push(((next() << 24) | (next() << 16) | (next() << 8) | next()) / 65_536);
      } else if (byte === 10 || byte === 29) {
        const index = byte === 10 ? this.#local : this.#global;
        if (!index) throw new UnknownFont();
        const bias = index.count < 1240 ? 107 : index.count < 33_900 ? 1131 : 32_768;
        const found = this.#run(index.item((stack.pop() ?? 0) + bias), depth + 1);
        if (found !== undefined) return found;
      } else if (byte === 11) return undefined;
      else return this.#widthBefore(byte) ?? null;
    }
    return undefined;
  }

  /** Whether there are more operands than the operator takes: then the first one is the width. */
  #widthBefore(operator: number): number | undefined {
    const stack = this.#stack;
    const { length } = stack;
    // Stems take pairs.
    if ([1, 3, 18, 23, 19, 20].includes(operator)) return length % 2 === 1 ? stack[0] : undefined;
    if (operator === 21) return length > 2 ? stack[0] : undefined;
    if (operator === 22 || operator === 4) return length > 1 ? stack[0] : undefined;
    if (operator === 14) return length === 1 || length === 5 ? stack[0] : undefined;
    // A path that begins without a movement, or arithmetic.
    if (operator === 12) throw new UnknownFont();
    return undefined;
  }
}
