/** The advances and outlines of glyphs in the Compact Font Format, by their CharStrings (Adobe Technical Note 5177). */
import type { ParseMeter } from "../../parse-meter.ts";
import {
  type CffFont,
  type CffIndex,
  DEFAULT_WIDTH,
  FD_ARRAY,
  FD_SELECT,
  FONT_MATRIX,
  NOMINAL_WIDTH,
  PRIVATE,
  readDict,
  SUBRS,
} from "./cff.ts";
import type { Outline } from "./type1-outlines.ts";
import { Type2Reader } from "./type2-reader.ts";
import { UnknownFont } from "./unknown-font.ts";

/** Operators of the Top DICT and of a Private DICT. */

interface PrivateDict {
  readonly usual: number;
  readonly nominal: number;
  readonly subroutines: CffIndex | undefined;
  readonly scale: number;
}

export class CffGlyphs {
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
    const dict = this.#dictOf(glyph);
    const { width, count } = Type2Reader.width(this.#font.outlines.item(glyph), {
      global: this.#global,
      local: dict.subroutines,
    });
    this.#meter.element(count);
    return (width === undefined ? dict.usual : dict.nominal + width) * dict.scale;
  }

  /**
   * The outline of a glyph and its width, in units of the font.
   * @param numberOf the glyph with a name, which a composed glyph may refer to
   */
  outlineOf(glyph: number, numberOf: (name: string) => number | undefined): Outline {
    const { usual, nominal, subroutines } = this.#dictOf(glyph);
    const { outlines } = this.#font;
    const { width, steps, count } = Type2Reader.outline(
      outlines.item(glyph),
      { global: this.#global, local: subroutines },
      (name) => {
        const part = numberOf(name);
        return part === undefined ? undefined : outlines.item(part);
      },
    );
    this.#meter.element(1 + count);
    return { width: width === undefined ? usual : nominal + width, steps };
  }

  #dictOf(glyph: number): PrivateDict {
    const dict = this.#dicts[this.#selected?.[glyph] ?? 0];
    if (!dict) throw new UnknownFont();
    return dict;
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
