/** Fax data of a TIFF: passed on unchanged to a PDF, or its strips encoded again as one. */
import type { TiffPage, TiffPart } from "../../image/tiff/pages.ts";
import { FaxEncoder, FaxRow } from "../../image/tiff/fax-rows.ts";
import { faxRows, reverseBits } from "../../image/tiff/rows.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { partOf } from "../../memory/joined-bytes.ts";
import { ParseMeter } from "../../parse-meter.ts";
import { Collector } from "../mupdf/collector.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { EmbeddedImage } from "./embedded-image.ts";

type Passed = Pick<EmbeddedImage, "coding" | "data" | "fax">;

/** Bytes that are copied at once. */
const COPIED = 64 * 1024;

/**
 * Undefined for tiles.
 * @throws BadImage if several strips are damaged: one is not decoded; Refusal `limit_exceeded` (memory, work)
 */
export async function passedFax(
  engine: PdfEngine,
  file: EngineBytes,
  page: TiffPage,
  parts: readonly TiffPart[],
): Promise<Passed | undefined> {
  const isBlack1 = page.color !== "white-is-zero";
  const [part] = parts;
  if (page.part.isTile || !part) return undefined;
  if (parts.length > 1) {
    const data = await joinedStrips(engine, file, page, parts);
    return { coding: "fax", fax: { k: -1, hasEnd: true, isBlack1 }, data };
  }
  const isByteAligned = page.compression === "fax-rows";
  const k = page.compression === "fax-g4" ? -1 : page.compression === "fax-g3" && page.isTwoDimensional ? 4 : 0;
  const fax = { k, isByteAligned, hasEnd: !isByteAligned, isBlack1 } as const;
  const data = page.isReversed ? await reversed(engine, file, part) : partOf(file, part.start, part.end);
  return { coding: "fax", fax, data };
}

/** Each strip begins anew, as if below a white row, which a PDF cannot express. */
async function joinedStrips(
  engine: PdfEngine,
  file: EngineBytes,
  page: TiffPage,
  parts: readonly TiffPart[],
): Promise<EngineBytes> {
  const collector = new Collector(engine);
  const encoder = new FaxEncoder(page.width, (bytes) => collector.write(bytes));
  let above = new FaxRow(page.width);
  for (const [index, part] of parts.entries()) {
    // A row is valid until the next but one of its strip: the last one of a strip is no longer read.
    for await (const row of faxRows(engine.work, file, page, { index, part })) {
      encoder.row(row, above);
      above = row;
    }
  }
  encoder.end();
  return collector.bytes;
}

/** The data with the bits of each byte in the opposite order. */
async function reversed(engine: PdfEngine, file: EngineBytes, part: TiffPart): Promise<EngineBytes> {
  const meter = ParseMeter.ofRequest(engine.work, "image");
  const collector = new Collector(engine);
  for (let at = part.start; at < part.end; at += COPIED) {
    const piece = file.view(at, Math.min(at + COPIED, part.end)).slice();
    meter.bytes(piece.length);
    await meter.pause();
    collector.write(reverseBits(piece));
  }
  return collector.bytes;
}
