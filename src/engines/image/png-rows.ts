/** The rows of a PNG: as stored, with their filters, or as samples in display order. */
import { copies, DamagedStream, inflate } from "../flate/inflate.ts";
import type { EngineBytes } from "../memory/heap.ts";
import type { Work } from "../work.ts";
import { BadImage } from "./facts.ts";
import type { PngFacts } from "./png-header.ts";
import { paeth } from "../flate/paeth.ts";

/** A pass of Adam7 (ISO/IEC 15948, 8.2): its first column and row, and the steps between columns and rows. */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly stepX: number;
  readonly stepY: number;
}

const ADAM7: readonly Pass[] = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
];
/** The largest number of a filter (ISO/IEC 15948, 9.2). */
export const HIGHEST_FILTER = 4;
/** Fuel per unfiltered byte, in addition to that for inflating it. */
export const UNFILTER_WORK = 4;

/** Bits per pixel. */
export const pixelBits = ({ depth, channels }: PngFacts): number => depth * channels;
const rowBytes = (pixels: number, png: PngFacts): number => Math.ceil((pixels * pixelBits(png)) / 8);

const passes = ({ interlaced, width, height }: PngFacts): (Pass & { columns: number; rows: number })[] =>
  (interlaced ? ADAM7 : [{ x: 0, y: 0, stepX: 1, stepY: 1 }])
    .map((pass) => ({
      ...pass,
      columns: Math.ceil((width - pass.x) / pass.stepX),
      rows: Math.ceil((height - pass.y) / pass.stepY),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0);

/** Bytes inflated to read all rows: for an interlaced image, the data before each pass counts again. */
export function inflatedBytes(png: PngFacts): number {
  let end = 0;
  let sum = 0;
  for (const { columns, rows } of passes(png)) {
    end += (1 + rowBytes(columns, png)) * rows;
    sum += end;
  }
  return sum;
}

/**
 * The stored rows of a non-interlaced image, each preceded by its filter byte. A row is valid until the next.
 * @throws BadImage if the data is damaged or has the wrong length
 */
export async function* storedRows(work: Work, png: PngFacts, file: EngineBytes): AsyncGenerator<Uint8Array, void> {
  yield* rowsOf(inflate(work, copies(png.data, file.view)), 0, 1 + rowBytes(png.width, png), png.height, true);
}

/**
 * The rows as shown, unfiltered, with samples packed as in PNG. A row is valid until the next. For an interlaced image, seven
 * decompressors read the passes in parallel: that inflates twice as much, but holds a few rows instead of the image.
 * @throws BadImage as `storedRows`
 */
export async function* shownPngRows(work: Work, png: PngFacts, file: EngineBytes): AsyncGenerator<Uint8Array, void> {
  const all = passes(png);
  let skip = 0;
  const readers = all.map((pass, index) => {
    const bytes = 1 + rowBytes(pass.columns, png);
    const last = index === all.length - 1;
    const stored = rowsOf(inflate(work, copies(png.data, file.view)), skip, bytes, pass.rows, last);
    skip += bytes * pass.rows;
    return { ...pass, lines: unfiltered(work, stored, bytes, Math.max(1, pixelBits(png) >> 3)) };
  });
  const row = new Uint8Array(rowBytes(png.width, png));
  for (let y = 0; y < png.height; y++) {
    for (const { lines, x, stepX, columns, y: first, stepY } of readers) {
      if (y < first || (y - first) % stepY > 0) continue;
      const { value: line } = await lines.next();
      if (!line) throw new Error("a pass of the image has fewer rows than it must");
      if (png.interlaced) spread(line, row, pixelBits(png), { x, stepX, columns });
      else row.set(line);
    }
    yield row;
  }
  // The end of the data is checked after the last row.
  for (const { lines } of readers) await lines.next();
}

async function* rowsOf(
  data: AsyncGenerator<Uint8Array, void>,
  skip: number,
  bytes: number,
  count: number,
  toTheEnd: boolean,
): AsyncGenerator<Uint8Array, void> {
  const row = new Uint8Array(bytes);
  let skipped = 0;
  let filled = 0;
  let rows = 0;
  for await (const chunk of readable(data)) {
    let at = Math.min(chunk.length, skip - skipped);
    skipped += at;
    while (at < chunk.length) {
      if (rows === count) {
        if (!toTheEnd) return;
        throw new BadImage("is damaged: it has more data than its size allows");
      }
      const part = chunk.subarray(at, at + bytes - filled);
      row.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < bytes) break;
      if ((row[0] ?? 0) > HIGHEST_FILTER) throw new BadImage("is damaged: a row has an unknown filter");
      yield row;
      rows++;
      filled = 0;
    }
    if (rows === count && !toTheEnd) return;
  }
  if (rows < count) throw new BadImage("is truncated or damaged: some of its rows are missing");
}

/** An image whose data does not inflate is damaged. */
async function* readable(data: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* data;
  } catch (error) {
    throw error instanceof DamagedStream ? new BadImage("is damaged: its data cannot be decompressed") : error;
  }
}

/** Unfiltered rows (clause 9). `distance`: bytes from a sample to its left neighbor. */
async function* unfiltered(
  work: Work,
  rows: AsyncGenerator<Uint8Array, void>,
  bytes: number,
  distance: number,
): AsyncGenerator<Uint8Array, void> {
  let above = new Uint8Array(bytes - 1);
  let line = new Uint8Array(bytes - 1);
  for await (const row of rows) {
    work.spend(bytes * UNFILTER_WORK);
    await work.pause();
    unfilter(row, above, line, distance);
    yield line;
    [above, line] = [line, above];
  }
}

/** Reverses the filter of a stored row. `above` is the previous row; the samples are written to `line`. */
export function unfilter(row: Uint8Array, above: Uint8Array, line: Uint8Array, distance: number): void {
  const filter = row[0];
  for (let index = 0; index < line.length; index++) {
    const left = index < distance ? 0 : (line[index - distance] ?? 0);
    const up = above[index] ?? 0;
    let guess = 0;
    if (filter === 1) guess = left;
    else if (filter === 2) guess = up;
    else if (filter === 3) guess = (left + up) >> 1;
    else if (filter !== 0) guess = paeth(left, up, index < distance ? 0 : (above[index - distance] ?? 0));
    line[index] = (row[index + 1] ?? 0) + guess;
  }
}

/** Copies the pixels of a pass to their positions in the full row. */
function spread(
  line: Uint8Array,
  row: Uint8Array,
  bits: number,
  { x, stepX, columns }: { x: number; stepX: number; columns: number },
): void {
  if (bits >= 8) {
    const bytes = bits >> 3;
    for (let column = 0; column < columns; column++) {
      const to = (x + column * stepX) * bytes;
      for (let byte = 0; byte < bytes; byte++) row[to + byte] = line[column * bytes + byte] ?? 0;
    }
    return;
  }
  const mask = (1 << bits) - 1;
  for (let column = 0; column < columns; column++) {
    const to = (x + column * stepX) * bits;
    const shift = 8 - bits - (to & 7);
    row[to >> 3] = ((row[to >> 3] ?? 0) & ~(mask << shift)) | (sample(line, column, bits) << shift);
  }
}

/** Sample `index` of a row with packed samples of 1, 2, 4 or 8 bits. */
export function sample(row: Uint8Array, index: number, bits: number): number {
  const at = index * bits;
  return ((row[at >> 3] ?? 0) >> (8 - bits - (at & 7))) & ((1 << bits) - 1);
}
