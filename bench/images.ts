/** to-images against mutool and pdftoppm: time and size. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pdfPart, post, type Service } from "../test/harness/requests/client.ts";
import { drawing, textPage } from "../test/harness/fixtures/drawing-fixtures.ts";
import { median } from "./text.ts";

export interface ImageRow {
  readonly name: string;
  /** Medians, ms, of a call and of a whole process; undefined where the program is not installed. */
  readonly service: number;
  readonly other: number | undefined;
  readonly ratio: number | undefined;
  /** Bytes of the images. */
  readonly bytes: number;
  readonly otherBytes: number | undefined;
}

interface ImageJob {
  readonly name: string;
  readonly file: Uint8Array;
  readonly fields: Readonly<Record<string, string>>;
  /** Program and arguments for the same work; it writes into `folder`. */
  readonly other: (input: string, folder: string) => readonly [string, ...string[]];
}

const mutool =
  (dpi: string, pages: string) =>
  (input: string, folder: string): readonly [string, ...string[]] => [
    "mutool",
    "draw",
    "-q",
    "-r",
    dpi,
    "-o",
    join(folder, "p%d.png"),
    input,
    pages,
  ];
const pdftoppm =
  (kind: "-png" | "-jpeg") =>
  (input: string, folder: string): readonly [string, ...string[]] => [
    "pdftoppm",
    kind,
    "-r",
    "150",
    "-l",
    "14",
    input,
    join(folder, "p"),
  ];

const BOOK = "text-truth/GeoTopo-komprimiert.pdf";
const SCAN = "scans/linn.pdf";

/** The corpus's book, and the first pages of its other documents; a generated page without a corpus. */
async function jobs(corpus: string | undefined): Promise<ImageJob[]> {
  const fourteen = { pages: "1-14", dpi: "150" };
  const made = drawing(...Array.from({ length: 14 }, () => textPage({ width: 595, height: 842, color: true })));
  const path = corpus === undefined ? "" : join(corpus, BOOK);
  const book = existsSync(path) ? new Uint8Array(await readFile(path)) : made;
  const scanPath = corpus === undefined ? "" : join(corpus, SCAN);
  const scan = existsSync(scanPath) ? new Uint8Array(await readFile(scanPath)) : undefined;
  const letter = drawing(textPage({ width: 612, height: 792, color: true }));
  return [
    { name: "14 pages, png 150 dpi, mutool draw", file: book, fields: fourteen, other: mutool("150", "1-14") },
    { name: "14 pages, png 150 dpi, pdftoppm -png", file: book, fields: fourteen, other: pdftoppm("-png") },
    {
      name: "14 pages, jpeg 150 dpi, pdftoppm -jpeg",
      file: book,
      fields: { ...fourteen, format: "jpeg" },
      other: pdftoppm("-jpeg"),
    },
    { name: "Letter, png 600 dpi, mutool draw", file: letter, fields: { dpi: "600" }, other: mutool("600", "1") },
    ...(scan
      ? [
          {
            name: "a gray scan, png 600 dpi, mutool draw",
            file: scan,
            fields: { dpi: "600", pages: "1" },
            other: mutool("600", "1"),
          },
        ]
      : []),
  ];
}

/** Folders of the corpus whose first pages are compared in size. */
const FOLDERS = ["cjk-rtl", "forms", "scans", "tagged-outlines", "text-truth"];

async function sizeJobs(corpus: string | undefined): Promise<ImageJob[]> {
  if (corpus === undefined || !existsSync(corpus)) return [];
  const found: ImageJob[] = [];
  for (const folder of FOLDERS) {
    for (const name of (await readdir(join(corpus, folder))).toSorted()) {
      if (!name.endsWith(".pdf")) continue;
      const file = new Uint8Array(await readFile(join(corpus, folder, name)));
      found.push({ name, file, fields: { pages: "1", dpi: "150" }, other: mutool("150", "1") });
    }
  }
  return found;
}

/** Times of a few works, and the sizes of the corpus's first pages at 150 dpi, all of them together. */
export async function benchImages(service: Service, corpus: string | undefined, runs: number): Promise<ImageRow[]> {
  const rows: ImageRow[] = [];
  for (const job of await jobs(corpus)) rows.push(await measure(service, job, runs));
  const sizes: ImageRow[] = [];
  for (const job of await sizeJobs(corpus)) sizes.push(await measure(service, job, 1));
  const both = sizes.filter(({ otherBytes }) => otherBytes !== undefined);
  const sum = (of: (row: ImageRow) => number | undefined): number =>
    both.reduce((total, row) => total + (of(row) ?? 0), 0);
  if (both.length === 0) return rows;
  const [own, other] = [sum(({ service }) => service), sum((row) => row.other)];
  return [
    ...rows,
    {
      name: `first pages of ${both.length} files, png 150 dpi, mutool`,
      service: own,
      other,
      ratio: own / other,
      bytes: sum(({ bytes }) => bytes),
      otherBytes: sum(({ otherBytes }) => otherBytes),
    },
  ];
}

async function measure(service: Service, job: ImageJob, runs: number): Promise<ImageRow> {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-bench-"));
  try {
    const input = join(folder, "in.pdf");
    await writeFile(input, job.file);
    const [program, ...args] = job.other(input, folder);
    const installed = spawnSync(program, ["-v"]).error === undefined;
    const times: { service: number[]; other: number[] } = { service: [], other: [] };
    let [bytes, worked] = [0, installed];
    for (let run = 0; run < runs; run++) {
      const start = performance.now();
      const response = await post(service, "to-images", { file: pdfPart(job.file), ...job.fields }, 300_000);
      times.service.push(performance.now() - start);
      // A file that needs a password has no first page to compare.
      if (response.status !== 200) worked = false;
      bytes = response.body.length;
      if (!worked) continue;
      const begun = performance.now();
      worked = spawnSync(program, args).status === 0;
      times.other.push(performance.now() - begun);
    }
    const own = median(times.service);
    const other = worked ? median(times.other) : undefined;
    return {
      name: job.name,
      service: own,
      other,
      ratio: other === undefined ? undefined : own / other,
      bytes,
      otherBytes: worked ? await imageBytes(folder) : undefined,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function imageBytes(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder)) if (!name.endsWith(".pdf")) total += (await stat(join(folder, name))).size;
  return total;
}

export function printImages(rows: readonly ImageRow[]): void {
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(52) : cell.padStart(12))).join("");
  const ms = (value: number | undefined): string => (value === undefined ? "-" : `${value.toFixed(0)} ms`);
  const kb = (value: number | undefined): string => (value === undefined ? "-" : `${(value / 1000).toFixed(0)} kB`);
  console.log(line(["to-images", "service", "other", "ratio", "bytes", "other"]));
  for (const { name, service, other, ratio, bytes, otherBytes } of rows) {
    console.log(line([name, ms(service), ms(other), ratio?.toFixed(2) ?? "-", kb(bytes), kb(otherBytes)]));
  }
}
