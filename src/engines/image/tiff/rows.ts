/** The rows of a strip or tile of a TIFF, decoded. */
import { copies, DamagedStream, inflate } from "../../flate/inflate.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { BadImage } from "../facts.ts";
import { FaxDecoder, type FaxRow } from "./fax-rows.ts";
import { DamagedLzw, Lzw } from "../lzw.ts";
import { PackBits } from "./pack-bits.ts";
import { splitRows } from "../split-rows.ts";
import { partRowBytes, partRows, samplesInPart, type TiffPage, type TiffPart } from "./pages.ts";

/** The byte with its bits in the opposite order. */
const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let result = 0;
  for (let bit = 0; bit < 8; bit++) result |= ((byte >> bit) & 1) << (7 - bit);
  return result;
});

/** Reverses the bits of each byte in place. */
export function reverseBits(bytes: Uint8Array): Uint8Array {
  for (let at = 0; at < bytes.length; at++) bytes[at] = REVERSED[bytes[at] ?? 0] ?? 0;
  return bytes;
}

/**
 * The rows of the strip or tile `index` with samples as in PDF: without predictor, and of 16 bits with the high byte first. A row is valid until the
 * next.
 * @throws BadImage if the data is damaged; Refusal `limit_exceeded` (work)
 */
export async function* rowsOfPart(
  work: Work,
  file: EngineBytes,
  page: TiffPage,
  { index, part }: { readonly index: number; readonly part: TiffPart },
): AsyncGenerator<Uint8Array, void> {
  const meter = ParseMeter.ofRequest(work, "image");
  if (isFax(page)) {
    for await (const row of faxRows(work, file, page, { index, part })) {
      meter.bytes(partRowBytes(page));
      yield row.bits();
    }
    return;
  }
  const isSwapped = page.bits === 16 && page.isLittleEndian;
  const samples = samplesInPart(page);
  const sum = page.bits === 16 ? sum16 : sum8;
  const bytes = partRowBytes(page);
  for await (const row of splitRows(decode(work, file, page, part), bytes, partRows(page, index))) {
    meter.bytes(bytes);
    await meter.pause();
    if (isSwapped) swapBytes(row);
    if (page.hasPredictor) sum(row, samples);
    yield row;
  }
}

export const isFax = ({ compression }: TiffPage): boolean => compression.startsWith("fax");

/** Fuel per code and per row of fax data. */
const [CODE_WORK, FAX_ROW_WORK] = [10, 100];

/**
 * The rows of the strip or tile `index` of fax data. A row is valid until the next but one.
 * @throws BadImage if the data is damaged; Refusal `limit_exceeded` (work)
 */
export async function* faxRows(
  work: Work,
  file: EngineBytes,
  page: TiffPage,
  { index, part }: { readonly index: number; readonly part: TiffPart },
): AsyncGenerator<FaxRow, void> {
  const pieces = copies([part], file.view);
  let [piece, at] = [new Uint8Array(), 0];
  const next = (): number | undefined => {
    if (at === piece.length) {
      const { value } = pieces.next();
      [piece, at] = [value ? value.slice() : new Uint8Array(), 0];
      if (page.isReversed) reverseBits(piece);
    }
    return piece[at++];
  };
  const coding = page.compression === "fax-g4" ? "g4" : page.compression === "fax-g3" ? "g3" : "rows";
  const decoder = new FaxDecoder({ width: page.part.width, coding, isTwoDimensional: page.isTwoDimensional }, next);
  for (let y = partRows(page, index); y > 0; y--) {
    const before = decoder.codes;
    const row = decoder.row();
    work.spend((decoder.codes - before) * CODE_WORK + FAX_ROW_WORK);
    await work.pause();
    yield row;
  }
}

/** The decoded bytes of a strip or tile, and whatever follows them. */
async function* decode(
  work: Work,
  file: EngineBytes,
  page: TiffPage,
  part: TiffPart,
): AsyncGenerator<Uint8Array, void> {
  const pieces = storedPieces(work, file, page, part);
  switch (page.compression) {
    case "none":
      yield* pieces;
      return;
    case "pack-bits": {
      const stream = new PackBits();
      for await (const piece of pieces) yield stream.decode(piece);
      return;
    }
    case "lzw":
      yield* unpackLzw(pieces);
      return;
    case "deflate":
      try {
        yield* inflate(work, pieces);
      } catch (error) {
        throw error instanceof DamagedStream ? damaged() : error;
      }
      return;
    default:
      throw new Error(`the rows of ${page.compression} are not decoded here`);
  }
}

async function* unpackLzw(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let stream: Lzw | undefined;
  try {
    for await (const piece of pieces) {
      // Before TIFF 5, codes were packed from the low bits: the first one, which clears the table, begins differently.
      if (stream === undefined && piece[0] === 0 && ((piece[1] ?? 0) & 1) === 1) {
        throw new BadImage("has LZW data of the kind before TIFF 5.0, which is not supported. Save it again");
      }
      stream ??= new Lzw({ order: "msb", symbolBits: 8, isEarly: true });
      yield* stream.decode(piece);
      if (stream.hasEnded) return;
    }
  } catch (error) {
    throw error instanceof DamagedLzw ? damaged() : error;
  }
}

const damaged = (): BadImage => new BadImage("is damaged: its data cannot be decompressed");

/** The stored bytes, copied in steps. They need not give any rows, so others have their turn between them. */
async function* storedPieces(
  work: Work,
  file: EngineBytes,
  page: TiffPage,
  part: TiffPart,
): AsyncGenerator<Uint8Array, void> {
  const meter = ParseMeter.ofRequest(work, "image");
  for (const piece of copies([part], file.view)) {
    meter.bytes(piece.length);
    await meter.pause();
    yield page.isReversed ? reverseBits(piece) : piece;
  }
}

function swapBytes(row: Uint8Array): void {
  for (let at = 0; at + 1 < row.length; at += 2) [row[at], row[at + 1]] = [row[at + 1] ?? 0, row[at] ?? 0];
}

/** Adds to each sample its left neighbor (TIFF 6.0, section 14). `samples`: of a pixel. */
function sum8(row: Uint8Array, samples: number): void {
  for (let at = samples; at < row.length; at++) row[at] = (row[at] ?? 0) + (row[at - samples] ?? 0);
}

/** The same for samples of two bytes, the high one first. */
function sum16(row: Uint8Array, samples: number): void {
  for (let at = samples * 2; at + 1 < row.length; at += 2) {
    const left = at - samples * 2;
    const sum = ((row[at] ?? 0) << 8) + (row[at + 1] ?? 0) + ((row[left] ?? 0) << 8) + (row[left + 1] ?? 0);
    row[at] = sum >> 8;
    row[at + 1] = sum;
  }
}
