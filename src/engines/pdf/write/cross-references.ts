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
  /** The number of the object stream that contains it. Only a stream of cross-references can give it. */
  readonly container?: number;
}

export interface WrittenSection {
  /** Offset of the written part, in bytes from the header of the file. */
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

const DEFLATED = "/Filter/FlateDecode";

const OFFSET_DIGITS = 10;
const GENERATION_DIGITS = 5;

/** Writes the section and the end of the file. */
export async function writeSection(
  parts: FileParts,
  written: readonly CrossReferenceRow[],
  section: WrittenSection,
): Promise<void> {
  const offset = section.start + parts.length;
  const rows = written.toSorted((a, b) => a.number - b.number);
  if (section.asStream) await writeStream(parts, rows, section, offset);
  else writeTable(parts, rows, section);
  parts.text(`startxref\n${offset}\n%%EOF\n`);
}

function writeTable(
  parts: FileParts,
  rows: readonly CrossReferenceRow[],
  { size, previous, trailer }: WrittenSection,
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
  { size, previous, trailer }: WrittenSection,
  offset: number,
): Promise<void> {
  const all = [HEAD, ...rows, { number: size, generation: 0, deleted: false, offset }];
  const index = runsOf(all).map((run) => `${run[0]?.number} ${run.length}`);
  const sections = index.length > 1 ? `/Index[${index.join(" ")}]` : "";
  const fields = all.map((row) => fieldsOf(row));
  const widths = fieldWidths(fields);
  const table = new Uint8Array(all.length * widths.reduce((sum, width) => sum + width, 0));
  let at = 0;
  for (const row of fields) {
    for (const [index, width] of widths.entries()) {
      let rest = row[index] ?? 0;
      for (let byte = width - 1; byte >= 0; byte--, rest = Math.floor(rest / 256)) table[at + byte] = rest % 256;
      at += width;
    }
  }
  const deflated = await deflate(table);
  const isWorth = deflated.length + DEFLATED.length < table.length;
  const data = isWorth ? deflated : table;
  const described = `/W[${widths.join(" ")}]${sections}${isWorth ? DEFLATED : ""}`;
  const own = `/Type/XRef/Size ${size + 1}${previousOf(previous)}${described}/Length ${data.length}`;
  parts.text(`${size} 0 obj\n<<${own}${trailer}>>stream\n`);
  parts.bytes(ownBytes(data));
  parts.text("\nendstream\nendobj\n");
}

/** The fields of a row (table 18): its type, its offset or object stream, and its generation or index there. */
function fieldsOf({ deleted, container, offset, generation }: CrossReferenceRow): readonly [number, number, number] {
  if (deleted) return [0, 0, generation];
  return container === undefined ? [1, offset, generation] : [2, container, offset];
}

/** The bytes that each field needs. Nobody reads the generation of object 0, which would take two in each row. */
function fieldWidths(fields: readonly (readonly [number, number, number])[]): readonly number[] {
  let [most, last] = [0, 0];
  for (const [index, [, place, detail]] of fields.entries()) {
    most = Math.max(most, place);
    if (index > 0) last = Math.max(last, detail);
  }
  return [1, bytesFor(most), bytesFor(last)];
}

const bytesFor = (value: number): number => Math.max(1, Math.ceil(Math.log2(value + 1) / 8));

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
