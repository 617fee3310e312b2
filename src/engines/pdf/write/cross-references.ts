/** Writes cross-references (ISO 32000-2, 7.5.4 and 7.5.8), and the end of a file. */
import { deflate } from "../../flate/deflate.ts";
import { type FileParts, ownBytes } from "../../memory/joined-bytes.ts";

/** Where an object is. A deleted one has the generation of its next use. */
export interface CrossReferenceRow {
  readonly number: number;
  readonly generation: number;
  readonly deleted: boolean;
  /** In bytes from the header of the file. Of an object in an object stream, its index there. */
  readonly offset: number;
  /** The number of the object stream that contains it. Only a stream of cross-references can say so. */
  readonly container?: number;
}

export interface UpdateSection {
  /** Offset of the update in bytes from the header of the file. */
  readonly start: number;
  /** Offset of the section before it, if there is one. */
  readonly previous?: number;
  /** One more than the highest object number. */
  readonly size: number;
  /** The trailer's entries, without those that only this section has. */
  readonly trailer: string;
  /** Whether the section before it is a stream: a file keeps to one kind, for readers that know only the other. */
  readonly asStream: boolean;
}

/** Object 0 is always free. All free objects may refer to it as the next one (7.5.4). */
const HEAD: CrossReferenceRow = { number: 0, generation: 65_535, deleted: true, offset: 0 };

/** Widths of the fields of a stream in bytes, besides that of the offset. */
const TYPE_WIDTH = 1;
const GENERATION_WIDTH = 2;

const OFFSET_DIGITS = 10;
const GENERATION_DIGITS = 5;

/** Writes the section and the end of the file. `rows`: in order of their numbers. */
export async function writeSection(
  parts: FileParts,
  rows: readonly CrossReferenceRow[],
  section: UpdateSection,
): Promise<void> {
  const offset = section.start + parts.length;
  if (section.asStream) await writeStream(parts, rows, section, offset);
  else writeTable(parts, rows, section);
  parts.text(`startxref\n${offset}\n%%EOF\n`);
}

function writeTable(
  parts: FileParts,
  rows: readonly CrossReferenceRow[],
  { size, previous, trailer }: UpdateSection,
): void {
  const digits = (value: number, count: number): string => String(value).padStart(count, "0");
  let table = "xref\n";
  for (const run of runsOf([HEAD, ...rows])) {
    table += `${run[0]?.number} ${run.length}\n`;
    for (const { offset, generation, deleted } of run) {
      const place = digits(deleted ? 0 : offset, OFFSET_DIGITS);
      table += `${place} ${digits(generation, GENERATION_DIGITS)} ${deleted ? "f" : "n"} \n`;
    }
  }
  parts.text(`${table}trailer\n<</Size ${size}${previousOf(previous)}${trailer}>>\n`);
}

/** A stream is an object of its own, with the next number. */
async function writeStream(
  parts: FileParts,
  rows: readonly CrossReferenceRow[],
  { size, previous, trailer }: UpdateSection,
  offset: number,
): Promise<void> {
  const all = [HEAD, ...rows, { number: size, generation: 0, deleted: false, offset }];
  const index = runsOf(all).map((run) => `${run[0]?.number} ${run.length}`);
  // An object stream has its number where others have their offset.
  const offsetWidth = Math.ceil(Math.log2(Math.max(offset, size) + 1) / 8);
  const rowWidth = TYPE_WIDTH + offsetWidth + GENERATION_WIDTH;
  const table = new DataView(new ArrayBuffer(all.length * rowWidth));
  for (const [at, row] of all.entries()) {
    const place = at * rowWidth;
    table.setUint8(place, row.deleted ? 0 : row.container === undefined ? 1 : 2);
    let rest = row.deleted ? 0 : (row.container ?? row.offset);
    for (let byte = offsetWidth; byte > 0; byte--, rest = Math.floor(rest / 256))
      table.setUint8(place + byte, rest % 256);
    table.setUint16(place + rowWidth - GENERATION_WIDTH, row.container === undefined ? row.generation : row.offset);
  }
  const data = await deflate(new Uint8Array(table.buffer));
  const widths = `/W[${TYPE_WIDTH} ${offsetWidth} ${GENERATION_WIDTH}]/Index[${index.join(" ")}]`;
  const own = `/Type/XRef/Size ${size + 1}${previousOf(previous)}${widths}/Filter/FlateDecode/Length ${data.length}`;
  parts.text(`${size} 0 obj\n<<${own}${trailer}>>\nstream\n`);
  parts.bytes(ownBytes(data));
  parts.text("\nendstream\nendobj\n");
}

const previousOf = (offset: number | undefined): string => (offset === undefined ? "" : `/Prev ${offset}`);

/** Rows with consecutive numbers together. */
function runsOf(rows: readonly CrossReferenceRow[]): CrossReferenceRow[][] {
  const runs: CrossReferenceRow[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run && run.at(-1)?.number === row.number - 1) run.push(row);
    else runs.push([row]);
  }
  return runs;
}
