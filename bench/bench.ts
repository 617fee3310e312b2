/**
 * `npm run bench -- [--runs N] [--json] [--input file.pdf ...] [--corpus folder] [--only operations|text|images|compress]`: wall time of the service over HTTP on a warm server, against
 * qpdf's whole process where qpdf is installed; of extract-text against pdftotext and mutool on the documents of a corpus
 * (`$CORPUS_DIR` where none is named) whose text is known; of to-images against mutool and pdftoppm. Both run in turn, so that what else the machine does hits both. A server is
 * started, unless `$BASE_URL` and `$API_KEY` name one.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { pdfPart, type Part, type Service } from "../test/harness/client.ts";
import { document } from "../test/harness/fixtures.ts";
import { withService } from "../test/harness/service.ts";
import { prepareCall, timedCall } from "./call.ts";
import { benchFromImages, printFromImages } from "./from-images.ts";
import { fieldsOf, valuesOf } from "./forms.ts";
import { benchImages, printImages } from "./images.ts";
import { benchCompress, printCompress } from "./compress.ts";
import { benchText, median, printText } from "./text.ts";

interface Job {
  readonly name: string;
  readonly operation: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly Uint8Array[];
  /** How many times qpdf's time the service may take, where that is laid down. */
  readonly atMost?: number;
  /** qpdf's arguments for the same work, where it does it; `inputs` are paths, `output` a path in an empty folder. */
  readonly qpdf?: (inputs: readonly string[], output: string) => string[];
}

interface Row {
  readonly name: string;
  readonly inputBytes: number;
  /** Medians, ms. */
  readonly service: number;
  readonly qpdf: number | undefined;
  readonly ratio: number | undefined;
  readonly atMost: number | undefined;
}

const WARM_UP_RUNS = 3;

const merge = (name: string, files: readonly Uint8Array[]): Job => ({
  name,
  operation: "merge",
  fields: {},
  files,
  qpdf: (inputs, output) => ["--empty", "--pages", ...inputs, "--", output],
});
const split = (name: string, file: Uint8Array): Job => ({
  name,
  operation: "split",
  fields: { mode: "pages" },
  files: [file],
  qpdf: (inputs, output) => ["--split-pages", ...inputs, output],
});
const extract = (name: string, file: Uint8Array, page: number): Job => ({
  name,
  operation: "extract-pages",
  fields: { range: String(page) },
  files: [file],
  qpdf: ([input = ""], output) => ["--empty", "--pages", input, String(page), "--", output],
});
const rotate = (name: string, file: Uint8Array): Job => ({
  name,
  operation: "rotate",
  fields: { angle: "90" },
  files: [file],
  qpdf: (inputs, output) => [...inputs, "--rotate=+90", output],
});
const protect = (name: string, file: Uint8Array): Job => ({
  name,
  operation: "protect",
  fields: { userPassword: "user", ownerPassword: "owner" },
  files: [file],
  atMost: 2,
  qpdf: (inputs, output) => ["--encrypt", "user", "owner", "256", "--", ...inputs, output],
});

const numbers = (name: string, file: Uint8Array): Job => ({
  name,
  operation: "add-page-numbers",
  fields: {},
  files: [file],
});
const watermark = (name: string, file: Uint8Array): Job => ({
  name,
  operation: "watermark",
  fields: { kind: "text", text: "Confidential", position: "diagonal" },
  files: [file],
});

const fill = (name: string, value: string): Job => ({
  name,
  operation: "fill-form",
  fields: { values: valuesOf(200, value) },
  files: [fieldsOf(200)],
});

async function jobs(inputs: readonly string[]): Promise<Job[]> {
  const chapters = Array.from({ length: 10 }, (_, index) =>
    document({
      name: `file ${index}`,
      pages: 14,
      features: ["outline", "links", "image-per-page"],
      imageBytes: 20_000,
      seed: index + 1,
    }),
  );
  const hundred = document({
    name: "hundred",
    pages: 100,
    features: ["outline", "links", "destinations", "labels", "shared-image", "image-per-page"],
    imageBytes: 10_000,
  });
  const megabyte = document({
    name: "megabyte",
    pages: 20,
    features: ["outline", "image-per-page"],
    imageBytes: 50_000,
  });
  const own = await Promise.all(
    inputs.map(async (path) => {
      const bytes = new Uint8Array(await readFile(path));
      const name = basename(path);
      return [
        merge(`merge ${name} twice`, [bytes, bytes]),
        split(`split ${name}`, bytes),
        extract(`extract 1 of ${name}`, bytes, 1),
        rotate(`rotate ${name}`, bytes),
        protect(`protect ${name}`, bytes),
      ];
    }),
  );
  return [
    merge("merge ten files of 14 pages", chapters),
    split("split 100 pages", hundred),
    extract("extract page 50 of 100", hundred, 50),
    rotate("rotate 100 pages", hundred),
    rotate("rotate a file of 1 MB", megabyte),
    numbers("number 100 pages", hundred),
    watermark("watermark 100 pages", hundred),
    fill("fill 200 fields", "Ada Lovelace"),
    fill("fill 200 fields in Arabic", "\u0645\u0631\u062d\u0628\u0627"),
    protect("protect 100 pages", hundred),
    protect("protect a file of 1 MB", megabyte),
    ...own.flat(),
  ];
}

async function measure(service: Service, job: Job, runs: number, withQpdf: boolean): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-bench-"));
  try {
    const inputs = await Promise.all(
      job.files.map(async (bytes, index) => {
        const path = join(folder, `in-${index}.pdf`);
        await writeFile(path, bytes);
        return path;
      }),
    );
    const args = withQpdf ? job.qpdf?.(inputs, join(folder, "out.pdf")) : undefined;
    const call = await prepareCall(job.operation, partsOf(job));
    for (let run = 0; run < WARM_UP_RUNS; run++) await timedCall(service, call);
    const times: { service: number[]; qpdf: number[] } = { service: [], qpdf: [] };
    for (let run = 0; run < runs; run++) {
      times.service.push((await timedCall(service, call)).time);
      if (args) times.qpdf.push(runQpdf(args));
    }
    const [own, other] = [median(times.service), args ? median(times.qpdf) : undefined];
    const inputBytes = job.files.reduce((sum, file) => sum + file.length, 0);
    return {
      name: job.name,
      inputBytes,
      service: own,
      qpdf: other,
      ratio: other === undefined ? undefined : own / other,
      atMost: job.atMost,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function partsOf({ operation, fields, files }: Job): Record<string, Part> {
  const parts: Record<string, Part> = { ...fields };
  files.forEach((bytes, index) => (parts[operation === "merge" ? `file${index}` : "file"] = pdfPart(bytes)));
  return parts;
}

function runQpdf(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync("qpdf", args, { encoding: "utf8" });
  const time = performance.now() - start;
  // 3: it worked, with warnings about the input.
  if (status !== 0 && status !== 3) throw new Error(`qpdf ${args.join(" ")}: ${stderr}`);
  return time;
}

const ms = (value: number | undefined): string => (value === undefined ? "-" : `${value.toFixed(1)} ms`);

const factor = (value: number | undefined): string => (value === undefined ? "-" : value.toFixed(2));

const cells = (row: readonly string[]): string =>
  row.map((cell, index) => (index === 0 ? cell.padEnd(44) : cell.padStart(12))).join("");

function printTable(rows: readonly Row[]): void {
  console.log(cells(["", "input", "service", "qpdf", "ratio", "at most"]));
  for (const { name, inputBytes, service, qpdf, ratio, atMost } of rows) {
    const megabytes = `${(inputBytes / 1e6).toFixed(1)} MB`;
    console.log(cells([name, megabytes, ms(service), ms(qpdf), factor(ratio), factor(atMost)]));
  }
}

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "15" },
    json: { type: "boolean", default: false },
    input: { type: "string", multiple: true, default: [] },
    corpus: { type: "string" },
    only: { type: "string" },
  },
});
const withQpdf = spawnSync("qpdf", ["--version"]).status === 0;
const runs = Number(values.runs);
const wanted = (part: "operations" | "text" | "images" | "compress"): boolean =>
  values.only === undefined || values.only === part;
const { rows, text, fromImages, toImages, compressed } = await withService(async (service) => {
  const measured: Row[] = [];
  const all = wanted("operations") ? await jobs(values.input) : [];
  for (const job of all) measured.push(await measure(service, job, runs, withQpdf));
  const corpus = values.corpus ?? process.env["CORPUS_DIR"];
  return {
    rows: measured,
    text: wanted("text") ? await benchText(service, corpus, runs) : [],
    fromImages: wanted("images") ? await benchFromImages(service, runs) : [],
    toImages: wanted("images") ? await benchImages(service, corpus, runs) : [],
    compressed: wanted("compress") ? await benchCompress(service, corpus) : [],
  };
});
if (values.json) console.log(JSON.stringify([...rows, ...text, ...fromImages, ...toImages, ...compressed], null, 2));
else {
  if (rows.length > 0) printTable(rows);
  if (!withQpdf) console.log("qpdf is not installed: no ratios.");
  if (text.length > 0) printText(text);
  if (fromImages.length > 0) printFromImages(fromImages);
  if (toImages.length > 0) printImages(toImages);
  if (compressed.length > 0) printCompress(compressed);
}
