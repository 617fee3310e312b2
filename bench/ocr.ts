/**
 * ocr against Debian's tesseract on pages whose text is known: how right against its own models at 300 dpi, how fast against the
 * same models as the service's, in one thread. The other programs get pages that are drawn already; the service draws them.
 */
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { createOCREngine } from "tesseract-wasm";
import { root } from "../scripts/root.ts";
import { pdfPart, type Service } from "../test/harness/requests/client.ts";
import { characterErrorRate } from "../test/harness/compare/edit-distance.ts";
import { type Call, prepareCall, timedCall } from "./call.ts";
import { median } from "./text.ts";
import { models } from "../wasm/generated/models.js";

/** Error rate and ms. */
interface Result {
  readonly errors: number;
  readonly time: number;
}

export interface OcrRow {
  readonly name: string;
  /** Characters of the truth. */
  readonly length: number;
  readonly service: Result;
  /** With `accuracy=fast`; undefined without such models. */
  readonly fast: Result | undefined;
  /** Debian's tesseract with its own models at 300 dpi; undefined if it is missing. */
  readonly debian: Result | undefined;
  /** The same with the service's models, at 300 and at 200 dpi. */
  readonly sameModels: Result | undefined;
  readonly lower: Result | undefined;
  /** tesseract-wasm at 200 dpi, on one page. */
  readonly wasm: Result | undefined;
}

interface Truth {
  readonly file: string;
  /** A file of the corpus, or the text itself. */
  readonly truth: { readonly file: string } | string;
  readonly languages: readonly string[];
  readonly withWasm?: boolean;
}

const SENTENCE = "Docling bundles PDF document conversion to JSON and Markdown in an easy self contained package";
const linn = { truth: { file: "scans/linn.txt" }, languages: ["eng"] };
const truths: readonly Truth[] = [
  { file: "scans/linn.pdf", ...linn, withWasm: true },
  { file: "scans/ccitt.pdf", ...linn },
  { file: "scans/skew.pdf", ...linn },
  { file: "scans/rotated_skew.pdf", ...linn },
  { file: "scans/ocr_test.pdf", truth: SENTENCE, languages: ["eng"] },
  {
    file: "scans/lang/eurotext.png",
    truth: { file: "scans/lang/eurotext.txt" },
    languages: ["eng", "deu", "fra"],
  },
];

/** Measures the pages of the folder, if it exists. */
export async function benchOcr(service: Service, folder: string | undefined, runs: number): Promise<OcrRow[]> {
  if (folder === undefined) return [];
  const work = await mkdtemp(join(tmpdir(), "pdf-service-bench-"));
  try {
    const rows: OcrRow[] = [];
    for (const one of truths) {
      if (existsSync(join(folder, one.file))) rows.push(await measure(service, { folder, work, runs }, one));
    }
    return rows;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function measure(
  service: Service,
  { folder, work, runs }: { folder: string; work: string; runs: number },
  { file, truth, languages, withWasm = false }: Truth,
): Promise<OcrRow> {
  const path = join(folder, file);
  const expected = typeof truth === "string" ? truth : await readFile(join(folder, truth.file), "utf8");
  for (const language of languages) {
    const model = await readFile(join(root, "wasm/generated/assets/models", `${language}.traineddata.gz`));
    await writeFile(join(work, `${language}.traineddata`), gunzipSync(model));
  }
  const fields = {
    file: pdfPart(new Uint8Array(await readFile(path))),
    languages: languages.join(","),
    mode: "force",
    accuracy: "best",
  } as const;
  const call = await prepareCall("ocr", fields);
  const hasFast = languages.every((language) => models.fast.includes(language));
  const fastCall = hasFast ? await prepareCall("ocr", { ...fields, accuracy: "fast" }) : undefined;
  const ofService = async (call: Call): Promise<Timed> => {
    const { time, body } = await timedCall(service, call);
    const { text } = JSON.parse(new TextDecoder().decode(body)) as { text: string };
    return { text, time };
  };
  const native = (dpi: number, ...options: string[]): (() => Promise<Timed>) | undefined => {
    const image = pictureOf(path, dpi, join(work, `page-${dpi}`));
    if (image === undefined) return undefined;
    return () => runTesseract([image, "-", "--dpi", String(dpi), "-l", languages.join("+"), ...options]);
  };
  const same = ["--tessdata-dir", work];
  const programs = [native(300), native(300, ...same), native(200, ...same)];
  const samples: Timed[][] = [[], [], [], [], []];
  // In turn, so that what else the machine does hits all.
  for (let run = -1; run < runs; run++) {
    const timed: (Timed | undefined)[] = [await ofService(call), fastCall && (await ofService(fastCall))];
    for (const program of programs) timed.push(await program?.());
    if (run >= 0) timed.forEach((sample, index) => sample && samples[index]?.push(sample));
  }
  const result = (timed: readonly Timed[] = []): Result | undefined =>
    timed[0] && { errors: characterErrorRate(timed[0].text, expected), time: median(timed.map(({ time }) => time)) };
  const [own = { errors: 1, time: 0 }, fast, debian, sameModels, lower] = samples.map(result);
  const wasm = withWasm ? await runWasm(join(work, "page-200.pgm"), join(work, "eng.traineddata")) : undefined;
  return {
    name: basename(file),
    length: expected.length,
    service: own,
    fast,
    debian,
    sameModels,
    lower,
    wasm: result(wasm && [wasm]),
  };
}

interface Timed {
  readonly text: string;
  readonly time: number;
}

/** Draws the first page with poppler; an image is used directly. */
function pictureOf(path: string, dpi: number, to: string): string | undefined {
  if (spawnSync("tesseract", ["--version"]).error !== undefined) return undefined;
  if (!path.endsWith(".pdf")) return path;
  const args = ["-r", String(dpi), "-gray", "-f", "1", "-singlefile", path, to];
  return spawnSync("pdftoppm", args).error === undefined ? `${to}.pgm` : undefined;
}

const execute = promisify(execFile);

async function runTesseract(args: readonly string[]): Promise<Timed> {
  const start = performance.now();
  const { stdout } = await execute("tesseract", args, { env: { ...process.env, OMP_THREAD_LIMIT: "1" } });
  return { text: stdout, time: performance.now() - start };
}

/** The other build of Tesseract for WebAssembly: one page, loading not counted. */
async function runWasm(picture: string, model: string): Promise<Timed | undefined> {
  if (!existsSync(picture)) return undefined;
  const binary = await readFile(join(root, "node_modules/tesseract-wasm/dist/tesseract-core.wasm"));
  const engine = await createOCREngine({ wasmBinary: binary });
  engine.loadModel(await readFile(model));
  const start = performance.now();
  engine.loadImage(rgbaOf(await readFile(picture)));
  const text = engine.getText();
  const time = performance.now() - start;
  engine.destroy();
  return { text, time };
}

/** A binary PGM as the pixels of a canvas. */
function rgbaOf(file: Buffer): { data: Uint8ClampedArray; width: number; height: number } {
  const [, width = "", height = ""] = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(file.toString("latin1", 0, 40)) ?? [];
  const gray = file.subarray(-Number(width) * Number(height));
  const data = new Uint8ClampedArray(gray.length * 4).fill(255);
  gray.forEach((value, index) => data.fill(value, index * 4, index * 4 + 3));
  return { data, width: Number(width), height: Number(height) };
}

/** How much worse than Debian's tesseract a file may be read (in all, not at all), and how many times its time it may take. */
const AT_MOST = { worse: 0.005, time: 1.3, fast: 2 } as const;

export function printOcr(rows: readonly OcrRow[]): void {
  const percent = (rate: number | undefined): string => (rate === undefined ? "-" : `${(rate * 100).toFixed(2)} %`);
  const seconds = (time: number | undefined): string => (time === undefined ? "-" : `${(time / 1000).toFixed(2)} s`);
  const cells = (row: readonly string[]): string =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(20) : cell.padStart(13))).join("");
  console.log(cells(["ocr", "errors", "Debian 300", "time", "same models", "ratio", "errors", "at 200 dpi", "errors"]));
  console.log(cells(["  at most", `+${percent(AT_MOST.worse)}`, "", "", "300 dpi", AT_MOST.time.toFixed(2)]));
  for (const { name, service, debian, sameModels, lower } of rows) {
    const ratio = sameModels ? (service.time / sameModels.time).toFixed(2) : "-";
    const times = [seconds(service.time), seconds(sameModels?.time), ratio, percent(sameModels?.errors)];
    const below = [seconds(lower?.time), percent(lower?.errors)];
    console.log(cells([name, percent(service.errors), percent(debian?.errors), ...times, ...below]));
  }
  const total = (of: (row: OcrRow) => Result | undefined): string => {
    const length = rows.reduce((sum, row) => sum + row.length, 0);
    return percent(rows.reduce((sum, row) => sum + (of(row)?.errors ?? Number.NaN) * row.length, 0) / length);
  };
  console.log(cells(["all", total((row) => row.service), total((row) => row.debian)]));
  for (const { name, fast, debian } of rows) {
    if (!fast || !debian) continue;
    const ratio = (fast.time / debian.time).toFixed(2);
    console.log(
      `${name} with accuracy=fast: ${percent(fast.errors)}, ${seconds(fast.time)}, ${ratio} of Debian's, at most ${AT_MOST.fast}`,
    );
  }
  for (const { name, wasm } of rows) {
    if (wasm) console.log(`${name} with tesseract-wasm at 200 dpi: ${percent(wasm.errors)}, ${seconds(wasm.time)}`);
  }
}
