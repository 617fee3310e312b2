/** JPEG data of a TIFF: passed on unchanged to a PDF, or decoded by MuPDF where a PDF cannot hold it. */
import type { Buffer } from "mupdf";
import { concat } from "../../../bytes/concat.ts";
import { BadImage, uint16 } from "../../image/facts.ts";
import { readJpeg } from "../../image/jpeg-header.ts";
import { EOI, isFrame, markers, SOS, standsAlone } from "../../image/jpeg-segments.ts";
import type { TiffPage, TiffPart } from "../../image/tiff/pages.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { joinedBytes, ownBytes, partOf } from "../../memory/joined-bytes.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { EmbeddedImage } from "./embedded-image.ts";

type Passed = Pick<EmbeddedImage, "coding" | "data" | "untransformedRgb">;

const SOI_BYTES = Uint8Array.of(0xff, 0xd8);
const EOI_BYTES = Uint8Array.of(0xff, EOI);
const RST0 = 0xd0;
const DRI = 0xdd;
const BASELINE = 0xc0;
const EXTENDED = 0xc1;
/** Longest interval between restart markers (ITU-T T.81, B.2.4.4). */
const LONGEST_INTERVAL = 0xffff;
const BLOCK = 8;

/**
 * JPEG data: unchanged if there is one strip, and joined by restart markers if there are several. Undefined if that is not possible.
 * @throws BadImage if it is damaged, or of a kind that PDF does not support
 */
export async function passedJpeg(
  engine: PdfEngine,
  file: EngineBytes,
  page: TiffPage,
  parts: readonly TiffPart[],
): Promise<Passed | undefined> {
  if (page.part.isTile && parts.length > 1) return undefined;
  const data =
    parts.length === 1 && parts[0] ? jpegOf(page, file, parts[0]) : await joinedStrips(engine, page, file, parts);
  if (!data) return undefined;
  const { width, height } = await jpegFacts(engine, page, data);
  if (width !== page.width || height !== page.height) return undefined;
  return { coding: "jpeg", data, untransformedRgb: page.color === "rgb" };
}

/** A complete JPEG of a strip or tile: with the tables that all share. */
function jpegOf({ jpegTables }: TiffPage, file: EngineBytes, part: TiffPart): EngineBytes {
  const own = partOf(file, part.start, part.end);
  if (!jpegTables) return own;
  const stored = file.view(jpegTables.start, jpegTables.end).slice();
  const tables = ownBytes(stored.subarray(0, tablesEnd(stored)));
  return joinedBytes([tables, partOf(file, Math.min(part.start + SOI_BYTES.length, part.end), part.end)]);
}

/** Where the tables end: before their end marker. */
function tablesEnd(tables: Uint8Array): number {
  const { length } = tables;
  return tables[length - 2] === 0xff && tables[length - 1] === EOI ? length - EOI_BYTES.length : length;
}

async function jpegFacts(
  engine: PdfEngine,
  page: TiffPage,
  data: EngineBytes,
): Promise<{ width: number; height: number }> {
  const facts = await readJpeg(engine.work, data.view(0, data.length));
  if (facts.components !== page.components)
    throw new BadImage("is damaged: its JPEG data has other colors than its page");
  return facts;
}

interface Strip {
  /** The frame, tables, and the head of the scan, from which the height and the metadata are left out. */
  readonly header: Uint8Array;
  /** Offset of the height in the header. */
  readonly heightAt: number;
  /** Where the head of the scan begins in the header. */
  readonly scanAt: number;
  readonly height: number;
  /** Pixels of the smallest unit of the data. */
  readonly unit: { readonly width: number; readonly height: number };
  /** The data of the scan. */
  readonly data: EngineBytes;
}

/**
 * Strips as one JPEG: in each the prediction begins anew, as it does after a restart marker. Undefined unless they are baseline JPEG data with the same
 * tables, and all but the last end with whole units.
 */
async function joinedStrips(
  engine: PdfEngine,
  page: TiffPage,
  file: EngineBytes,
  parts: readonly TiffPart[],
): Promise<EngineBytes | undefined> {
  const meter = ParseMeter.ofRequest(engine.work, "image");
  const strips: Strip[] = [];
  let first: Strip | undefined;
  for (const [index, part] of parts.entries()) {
    meter.bytes(part.end - part.start);
    await meter.pause();
    const strip = readStrip(jpegOf(page, file, part));
    if (!strip) return undefined;
    first ??= strip;
    const { unit } = first;
    const rows = Math.min(page.part.height, page.height - index * page.part.height);
    const isLast = index === parts.length - 1;
    const fits = isLast
      ? Math.ceil(strip.height / unit.height) === Math.ceil(rows / unit.height)
      : strip.height === rows && rows % unit.height === 0;
    if (!fits || !isEqual(strip.header, first.header)) return undefined;
    strips.push(strip);
  }
  if (!first) return undefined;
  const { header, heightAt, scanAt, unit } = first;
  const interval = Math.ceil(page.width / unit.width) * (page.part.height / unit.height);
  if (interval > LONGEST_INTERVAL || page.height > 0xffff) return undefined;
  const whole = header.slice();
  whole.set([page.height >> 8, page.height & 255], heightAt);
  const restarts = Uint8Array.of(0xff, DRI, 0, 4, interval >> 8, interval & 255);
  return joinedBytes([
    ...[SOI_BYTES, whole.subarray(0, scanAt), restarts, whole.subarray(scanAt)].map((bytes) => ownBytes(bytes)),
    ...strips.flatMap(({ data }, index) =>
      index === 0 ? [data] : [ownBytes(Uint8Array.of(0xff, RST0 + ((index - 1) % 8))), data],
    ),
    ownBytes(EOI_BYTES),
  ]);
}

const isEqual = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, index) => byte === right[index]);

const DHT = 0xc4;
const DQT = 0xdb;

/** Undefined if it is not baseline, has restart markers of its own, or several scans. */
function readStrip(jpeg: EngineBytes): Strip | undefined {
  const bytes = jpeg.view(0, jpeg.length);
  const kept: Uint8Array[] = [];
  let length = 0;
  let [heightAt, scanAt, height, from, components] = [0, 0, 0, 0, 0];
  let unit = { width: BLOCK, height: BLOCK };
  for (const { marker, start, end } of markers(bytes)) {
    if (marker === EOI && from > 0) {
      const header = concat(kept);
      header.fill(0, heightAt, heightAt + 2);
      return { header, heightAt, scanAt, height, unit, data: partOf(jpeg, from, end - EOI_BYTES.length) };
    }
    if (marker === 0) continue;
    if (standsAlone(marker) || from > 0 || marker === DRI || end > bytes.length || end < start) return undefined;
    if (isFrame(marker)) {
      if ((marker !== BASELINE && marker !== EXTENDED) || heightAt > 0) return undefined;
      heightAt = length + 5;
      height = uint16(bytes, start + 1);
      components = bytes[start + 5] ?? 0;
      unit = unitOf(bytes.subarray(start + 6, end), components);
    }
    if (marker === SOS) {
      if (heightAt === 0 || bytes[start] !== components) return undefined;
      scanAt = length;
      from = end;
    }
    if (isFrame(marker) || marker === SOS || marker === DHT || marker === DQT) {
      // With the marker and the length before it.
      const piece = bytes.slice(start - 4, end);
      kept.push(piece);
      length += piece.length;
    }
  }
  return undefined;
}

/** The size of the unit in which the components of a scan are interleaved (A.2.3); one component alone has blocks. */
function unitOf(frame: Uint8Array, components: number): { width: number; height: number } {
  if (components === 1) return { width: BLOCK, height: BLOCK };
  const factors = Array.from({ length: components }, (_, index) => frame[index * 3 + 1] ?? 0x11);
  const most = (read: (factor: number) => number): number => Math.max(1, ...factors.map(read)) * BLOCK;
  return { width: most((factor) => factor >> 4), height: most((factor) => factor & 15) };
}

/** JPEG data may be larger than its strip or tile, by less than a unit. */
const MOST_PADDING = 32;

/**
 * The rows of a strip or tile of JPEG data.
 * @throws BadImage if it is damaged; Refusal `limit_exceeded` (memory, work)
 */
export async function* decodedJpeg(
  engine: PdfEngine,
  file: EngineBytes,
  page: TiffPage,
  { part, rows }: { readonly part: TiffPart; readonly rows: number },
): AsyncGenerator<Uint8Array, void> {
  const data = jpegOf(page, file, part);
  const { width, height } = await jpegFacts(engine, page, data);
  const [wider, higher] = [width - page.part.width, height - rows];
  if (wider < 0 || higher < 0 || wider > MOST_PADDING || higher > Math.max(MOST_PADDING, page.part.height)) {
    throw new BadImage("is damaged: the size of its JPEG data is not that of its page");
  }
  const decoded = await decode(engine, data.view(0, data.length).slice(), page.color === "ycbcr" ? 1 : 0);
  const [stride, bytes] = [width * page.components, page.part.width * page.components];
  try {
    if (decoded.getLength() < stride * rows)
      throw new BadImage("is truncated or damaged: some of its rows are missing");
    for (let y = 0; y < rows; y++) yield decoded.asUint8Array().slice(y * stride, y * stride + bytes);
  } finally {
    decoded.destroy();
  }
}

function decode(engine: PdfEngine, data: Uint8Array, transform: 0 | 1): Promise<Buffer> {
  return engine.scope(async () => {
    const document = new engine.mupdf.PDFDocument();
    const entries = { Filter: "DCTDecode", DecodeParms: { ColorTransform: transform } };
    try {
      return await engine.complete(() => engine.long.readStream(document.addRawStream(data, entries)));
    } catch (error) {
      throw engine.isFailure(error) ? new BadImage("is damaged: its data cannot be decompressed") : error;
    }
  });
}
