/** The boundaries of the codes of a font, and the advance of each (ISO 32000-2, 9.2.4, 9.6, and 9.7). */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { isNamed, items, objectNumber } from "../objects/objects.ts";
import { type CodeMap, codeOf, predefinedMap, readCodeMap } from "./cmap.ts";
import { measureCodes } from "./measure-codes.ts";

/** Displacements in thousandths of the font size. */
export interface CodeMetrics {
  /** Along the line: to the right, or up in vertical writing, where it is negative. */
  readonly advance: number;
  /** From the point at which the code is shown to the origin of its glyph, in vertical writing. */
  readonly toOrigin: readonly [number, number];
}

export interface FontMetrics {
  readonly vertical: boolean;
  /** Bytes of the code at an offset, at least one. */
  lengthAt(bytes: Uint8Array, at: number): number;
  metricsOf(code: number, length: number): CodeMetrics;
  /** To be called with a string before its codes are looked at. */
  prepare?(bytes: Uint8Array): Promise<void>;
  /** Lowest and highest point of glyphs, in thousandths. */
  readonly reach: readonly [number, number];
}

const HORIZONTAL = [0, 0] as const;

const ALL_BYTES = Array.from({ length: 256 }, (_, code) => Uint8Array.of(code));

/** Used if a font has no value or an invalid one. */
const REACH = [-250, 950] as const;

const MOST_CID = 65_535;

/** Fuel per width. */
const WIDTH_WORK = 10;

/** The metrics of the fonts of a document, each read once. */
export class Fonts {
  readonly #open: OpenPdf;
  readonly #known = new Map<number, FontMetrics>();

  constructor(open: OpenPdf) {
    this.#open = open;
  }

  async of(font: PDFObject): Promise<FontMetrics> {
    const number = objectNumber(font);
    const known = number > 0 ? this.#known.get(number) : undefined;
    if (known) return known;
    const read = isNamed(font.get("Subtype"), "Type0")
      ? await this.#composite(font)
      : await this.#simple(font, isNamed(font.get("Subtype"), "Type3"));
    if (number > 0) this.#known.set(number, read);
    return read;
  }

  async #simple(font: PDFObject, isType3: boolean): Promise<FontMetrics> {
    const descriptor = font.get("FontDescriptor");
    const first = font.get("FirstChar").asNumber();
    const scale = isType3 ? widthScale(font) : 1;
    const missing = descriptor.get("MissingWidth").asNumber();
    const hasWidths = font.get("Widths").isArray();
    const widths = hasWidths
      ? items(font.get("Widths")).map((width) => width.asNumber())
      : (await measureCodes(this.#open, font, ALL_BYTES, false)).map(({ advance }) => advance);
    this.#open.engine.work.spend(widths.length * WIDTH_WORK);
    return {
      vertical: false,
      lengthAt: () => 1,
      metricsOf: (code) => ({
        advance: (widths[hasWidths ? code - first : code] ?? missing) * scale,
        toOrigin: HORIZONTAL,
      }),
      reach: isType3 ? reachOfType3(font) : reachOf(descriptor),
    };
  }

  async #composite(font: PDFObject): Promise<FontMetrics> {
    const map = await this.#mapOf(font.get("Encoding"));
    const descendant = font.get("DescendantFonts", 0);
    const usual = descendant.get("DW");
    const width = usual.isNumber() ? usual.asNumber() : 1000;
    const widths = this.#metricsBy(descendant.get("W"), 1);
    const [down = 880, advance = -1000] = items(descendant.get("DW2")).map((item) => item.asNumber());
    const vertical = map.vertical ? this.#metricsBy(descendant.get("W2"), 3) : undefined;
    const measured = new Map<string, CodeMetrics>();
    const open = this.#open;
    const { engine } = open;
    const lengthAt = (bytes: Uint8Array, at: number): number =>
      Math.max(1, Math.min(map.lengthAt(bytes, at), bytes.length - at));
    const metricsOf = (code: number, length: number): CodeMetrics => {
      engine.work.spend(1);
      const cid = map.cidOf(code, length);
      const own = measured.get(`${length} ${code}`);
      if (own) return own;
      const across = (cid === undefined ? undefined : widths.get(cid)?.[0]) ?? width;
      if (!vertical) return { advance: across, toOrigin: HORIZONTAL };
      const [w1, x, y] = (cid === undefined ? undefined : vertical.get(cid)) ?? [advance, across / 2, down];
      return { advance: w1 ?? advance, toOrigin: [-(x ?? 0), -(y ?? 0)] };
    };
    return {
      vertical: map.vertical,
      lengthAt,
      metricsOf,
      async prepare(bytes) {
        const codes = new Map<string, Uint8Array>();
        for (let at = 0; at < bytes.length;) {
          const code = bytes.subarray(at, at + lengthAt(bytes, at));
          at += code.length;
          const key = `${code.length} ${codeOf(code)}`;
          if (map.cidOf(codeOf(code), code.length) === undefined && !measured.has(key)) codes.set(key, code);
        }
        if (codes.size === 0) return;
        const found = await measureCodes(open, font, [...codes.values()], map.vertical);
        for (const [at, key] of [...codes.keys()].entries()) {
          const metrics = found[at];
          if (metrics) measured.set(key, metrics);
        }
      },
      reach: reachOf(descendant.get("FontDescriptor")),
    };
  }

  async #mapOf(encoding: PDFObject, depth = 0): Promise<CodeMap> {
    const { engine } = this.#open;
    if (encoding.isName()) return predefinedMap(encoding.asName());
    if (!encoding.isStream() || depth > 8) return predefinedMap("Identity-H");
    const buffer = encoding.readStream();
    engine.countDecoded(buffer.getLength());
    const bytes = buffer.asUint8Array().slice();
    buffer.destroy();
    const other = encoding.get("UseCMap");
    const base = other.isNull() ? undefined : await this.#mapOf(other, depth + 1);
    const read = await readCodeMap(bytes, engine.work, base);
    return encoding.get("WMode").isNumber() ? { ...read, vertical: encoding.get("WMode").asNumber() === 1 } : read;
  }

  /** Widths (`count`: 1) or vertical metrics (3) by CID. */
  #metricsBy(array: PDFObject, count: 1 | 3): Map<number, readonly number[]> {
    const found = new Map<number, readonly number[]>();
    for (const { first, last, values } of cidMetrics(array, count)) {
      this.#open.engine.work.spend(Math.max(0, last - first + 1) * WIDTH_WORK);
      const numbers = values.map((value) => value.asNumber());
      for (let cid = first; cid <= last; cid++) found.set(cid, numbers);
    }
    return found;
  }
}

/** Ranges of CIDs with the same widths (`count`: 1) or vertical metrics (3), of which later ones count (9.7.4.3). */
export function* cidMetrics(
  array: PDFObject,
  count: 1 | 3,
): Generator<{ readonly first: number; readonly last: number; readonly values: readonly PDFObject[] }> {
  const list = items(array);
  for (let at = 0; at + 1 < list.length;) {
    const [first, next] = [Math.max(0, list[at]?.asNumber() ?? 0), list[at + 1]];
    if (next?.isArray()) {
      const all = items(next);
      for (let index = 0, cid = first; index + count <= all.length; index += count, cid++)
        yield { first: cid, last: cid, values: all.slice(index, index + count) };
      at += 2;
    } else {
      const values = list.slice(at + 2, at + 2 + count);
      if (values.length === count) yield { first, last: Math.min(next?.asNumber() ?? 0, MOST_CID), values };
      at += 2 + count;
    }
  }
}

/** Thousandths of the font size per unit of the widths of a Type 3 font (9.6.4). */
function widthScale(font: PDFObject): number {
  const [a = 0.001] = items(font.get("FontMatrix")).map((item) => item.asNumber());
  return a * 1000;
}

function reachOf(descriptor: PDFObject): readonly [number, number] {
  const [, bottom = 0, , top = 0] = items(descriptor.get("FontBBox")).map((item) => item.asNumber());
  const [descent, ascent] = [descriptor.get("Descent").asNumber(), descriptor.get("Ascent").asNumber()];
  const [low, high] = [Math.min(bottom, descent), Math.max(top, ascent)];
  return high > low && high - low < 4000 ? [low, high] : REACH;
}

function reachOfType3(font: PDFObject): readonly [number, number] {
  const [, bottom = 0, , top = 0] = items(font.get("FontBBox")).map((item) => item.asNumber());
  const [, , , d = 0.001, , f = 0] = items(font.get("FontMatrix")).map((item) => item.asNumber());
  const ends = [(bottom * d + f) * 1000, (top * d + f) * 1000];
  return top > bottom ? [Math.min(...ends), Math.max(...ends)] : REACH;
}
