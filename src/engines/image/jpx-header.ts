/** JPEG 2000 in a file (ISO/IEC 15444-1, Annex I) or bare (Annex A): the parts that can be left out when it is decoded. */

const [SOC, COD, COC, SOT, SOD, EOC] = [0xff4f, 0xff52, 0xff53, 0xff90, 0xff93, 0xffd9];

/** Bytes of a box's header: its length and type, and of one with an extended length. */
const [BOX, LONG_BOX] = [8, 16];

/** Boxes or markers that are looked at. A tile-part has few, and an image thousands of tile-parts at most. */
const MOST_STEPS = 200_000;

export interface JpxFacts {
  /** Samples. */
  readonly width: number;
  readonly height: number;
  readonly components: number;
  /**
   * How many of the highest resolution levels can be left out, each of which halves width and height: as many as the tile and the component with the
   * fewest have. 0 for indices of a palette, of which a mean is another color, and for an image that does not begin at the origin of its grid.
   */
  readonly spareLevels: number;
  /** Whether a part of it can be decoded: it begins where its tiles do, and all components have its size. */
  readonly hasParts: boolean;
}

/** Undefined if it cannot be read. */
export function readJpx(data: Uint8Array): JpxFacts | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  try {
    const found = view.getUint16(0) === SOC ? { at: 0, hasPalette: false } : codestreamIn(view);
    return found && readCodestream(view, found.at, found.hasPalette);
  } catch (error) {
    // It ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Where the codestream begins, and whether its samples are indices of a palette (I.5.3.4). */
function codestreamIn(view: DataView): { readonly at: number; readonly hasPalette: boolean } | undefined {
  let hasPalette = false;
  for (let at = 0, steps = 0; steps < MOST_STEPS; steps++) {
    const [length, type] = [view.getUint32(at), nameAt(view, at + 4)];
    if (type === "jp2c") return { at: at + (length === 1 ? LONG_BOX : BOX), hasPalette };
    hasPalette ||= type === "pclr";
    // The header is a box of boxes.
    if (type === "jp2h") at += BOX;
    else if (length >= BOX) at += length;
    else return undefined;
  }
  return undefined;
}

const nameAt = (view: DataView, at: number): string =>
  String.fromCodePoint(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)));

function readCodestream(view: DataView, start: number, hasPalette: boolean): JpxFacts | undefined {
  // SIZ always is the first segment (A.5.1).
  const [right, bottom, left, top, , , tileLeft, tileTop] = Array.from({ length: 8 }, (_, index) =>
    view.getUint32(start + 8 + index * 4),
  );
  if (right === undefined || bottom === undefined || left === undefined || top === undefined) return undefined;
  const components = view.getUint16(start + 40);
  const steps = Array.from({ length: components * 3 }, (_, index) => view.getUint8(start + 42 + index));
  const isPlain = steps.every((step, index) => index % 3 === 0 || step === 1);
  const isAtOrigin = left === 0 && top === 0;
  return {
    width: right - left,
    height: bottom - top,
    components,
    spareLevels: hasPalette || !isAtOrigin ? 0 : levelsIn(view, start, components > 256),
    hasParts: isPlain && isAtOrigin && tileLeft === 0 && tileTop === 0,
  };
}

/** `isLarge`: components are numbered with two bytes (A.6.2). */
function levelsIn(view: DataView, start: number, isLarge: boolean): number {
  let least = Infinity;
  /** Where the tile-part ends whose header is read. */
  let end = view.byteLength;
  for (let at = start + 2, steps = 0; at + 4 <= view.byteLength && steps < MOST_STEPS; steps++) {
    const marker = view.getUint16(at);
    if (marker === EOC) break;
    if (marker === SOD) {
      at = end;
      continue;
    }
    if (marker === COD) least = Math.min(least, view.getUint8(at + 9));
    if (marker === COC) least = Math.min(least, view.getUint8(at + (isLarge ? 7 : 6)));
    if (marker === SOT) {
      const length = view.getUint32(at + 6);
      end = length === 0 ? view.byteLength : at + length;
      if (end <= at) return 0;
    }
    at += 2 + view.getUint16(at + 2);
  }
  return Number.isFinite(least) ? least : 0;
}
