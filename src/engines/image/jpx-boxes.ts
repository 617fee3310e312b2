/** The boxes around the codestream of JPEG 2000 (ISO/IEC 15444-1, Annex I), written as PDF/A wants them. */
import { bytesOf, latin1 } from "../../bytes/latin1.ts";
import { concat } from "../../bytes/concat.ts";

const SIZ = 0xff51;
const SOC = "\xff\x4f";
/** Bytes of the header of a box, and boxes that are looked at. */
const [HEADER, MOST_BOXES] = [8, 10_000];
/** Enumerated color spaces by number of components (I.5.3.3): gray, sRGB, and CMYK. */
const ENUMERATED: Readonly<Record<number, number>> = { 1: 17, 3: 16, 4: 12 };
/** Methods of color specifications that readers know (15444-2, M.11.7.3): enumerated, and two kinds of ICC profiles. */
const METHODS = [1, 2, 3];
/** Boxes of the header that are written anew: sizes, bit depths, and colors. */
const WRITTEN = ["ihdr", "bpcc", "colr"];
/** A depth that is the same for all components. */
const MOST_DEPTH = 38;

interface Box {
  readonly type: string;
  readonly data: Uint8Array;
}

/**
 * The same image with a header that agrees with its codestream, and with its first color specification, or one for its number of components. Undefined
 * if PDF/A forbids the image itself: its components differ in their depths, or are not 1, 3, or 4.
 */
export function withSoundBoxes(data: Uint8Array): Uint8Array | undefined {
  const outer = boxesIn(data);
  const codestream = latin1(data.subarray(0, 2)) === SOC ? data : outer.find(({ type }) => type === "jp2c")?.data;
  const size = codestream && readSize(codestream);
  const space = size && ENUMERATED[size.components];
  if (!codestream || !size || space === undefined) return undefined;
  const inner = codestream === data ? [] : boxesIn(outer.find(({ type }) => type === "jp2h")?.data ?? new Uint8Array());
  const color = inner.find(({ type, data: own }) => type === "colr" && METHODS.includes(own[0] ?? 0))?.data;
  const header = concat([
    boxOf("ihdr", Uint8Array.from([...u32(size.height), ...u32(size.width), 0, size.components, size.depth, 7, 0, 0])),
    boxOf("colr", color ?? Uint8Array.from([1, 0, 0, ...u32(space)])),
    ...inner.filter(({ type }) => !WRITTEN.includes(type)).map(({ type, data: own }) => boxOf(type, own)),
  ]);
  return concat([
    boxOf("jP  ", Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a)),
    boxOf("ftyp", Uint8Array.from([...bytesOf("jp2 "), 0, 0, 0, 0, ...bytesOf("jp2 ")])),
    boxOf("jp2h", header),
    boxOf("jp2c", codestream),
  ]);
}

/** The size and the components of an image (A.5.1); undefined if its components differ. */
function readSize(codestream: Uint8Array) {
  const view = viewOf(codestream);
  if (view.byteLength < 43 || view.getUint16(2) !== SIZ) return undefined;
  const [width, height] = [view.getUint32(8) - view.getUint32(16), view.getUint32(12) - view.getUint32(20)];
  const components = view.getUint16(40);
  const depth = view.getUint8(42);
  for (let index = 1; index < components; index++) {
    const at = 42 + index * 3;
    if (at >= view.byteLength || view.getUint8(at) !== depth) return undefined;
  }
  return (depth & 0x7f) < MOST_DEPTH ? { width, height, components, depth } : undefined;
}

function boxesIn(data: Uint8Array): Box[] {
  const view = viewOf(data);
  const found: Box[] = [];
  for (let at = 0; at + HEADER <= data.length && found.length < MOST_BOXES;) {
    const length = view.getUint32(at);
    const isLong = length === 1 && at + 16 <= data.length;
    const size = length === 0 ? data.length - at : isLong ? Number(view.getBigUint64(at + HEADER)) : length;
    if (size < HEADER) break;
    const type = latin1(data.subarray(at + 4, at + HEADER));
    found.push({ type, data: data.subarray(at + (isLong ? 16 : HEADER), at + size) });
    at += size;
  }
  return found;
}

const boxOf = (type: string, data: Uint8Array): Uint8Array =>
  concat([Uint8Array.from(u32(data.length + HEADER)), bytesOf(type), data]);

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

const u32 = (value: number): number[] => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
