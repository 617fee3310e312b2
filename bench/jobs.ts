/**
 * Jobs: a scanned book beside OCRmyPDF (with fast models, too, where they are in place), and what one costs with many consumers, computed from what a
 * part costs here.
 */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { type Call, prepareCall, send } from "./call.ts";
import { drawing, textPage } from "../test/harness/fixtures/drawing-fixtures.ts";
import { type Part, pdfPart, post, type Service } from "../test/harness/requests/client.ts";
import { models } from "../wasm/generated/models.js";

const PAGES = 40;
const DPI = 200;

/** What work took, in seconds. */
interface Spent {
  readonly wall: number;
  /** Of the processor, which does not depend on what else the machine does; undefined for a service that is elsewhere. */
  readonly cpu: number | undefined;
}

export interface JobsRow {
  readonly accuracy: "best" | "fast";
  /** From the request to the end of the job. */
  readonly job: Spent;
  /** OCRmyPDF in one process, with the models that are installed for it; undefined if it is missing. */
  readonly ocrmypdf: Spent | undefined;
  readonly atMost: number;
  readonly simulated: readonly Simulated[];
}

/** What the consumers of one database do. */
interface Simulated {
  readonly consumers: number;
  readonly minutes: number;
  /** Transactions and written rows of the database, a second. */
  readonly trips: number;
  readonly writes: number;
}

/**
 * A part of ocr has two pages. Its transactions and rows: `npx vitest run --project worker test/jobs/growth.test.ts` prints them, with several
 * consumers at work; to them come two statements for the file that it writes, with their index entries. Its requests to R2: a write of its output,
 * and reads of the request and of the document, of 4 MiB each.
 */
const PART = { pages: 2, trips: 8, rowsRead: 240, rowsWritten: 21, classA: 1, classB: 4, messages: 1 };
/** Transactions a second of one D1 database (docs/operating.md, "Growth"). */
const D1_TRIPS = 200;
/** US dollars a million: CPU ms, rows read and written, R2 operations of class A and B, queue operations. Read on August 3, 2026. */
const PRICES = { cpu: 0.02, rowsRead: 0.001, rowsWritten: 1, classA: 4.5, classB: 0.36, messages: 0.4 };
const SIMULATED_PAGES = 500;

export async function benchJobs(service: Service & { readonly pid?: number }): Promise<JobsRow[]> {
  const scan = await scanned(service);
  const rows: JobsRow[] = [];
  for (const accuracy of ["best", "fast"] as const) {
    if (!models[accuracy].includes("eng")) continue;
    const fields = { file: pdfPart(scan), mode: "force", accuracy } as const;
    // The first recognition reads the model.
    await post(service, "ocr", { ...fields, pages: "1" });
    const call = await prepareCall("ocr", { ...fields, output: "pdf" });
    const job = await spentBy(
      () => cpuSeconds(service.pid),
      () => runJob(service, call),
    );
    const ofPart = (job.wall / PAGES) * PART.pages;
    const simulated = [1, 2, 10, 50, 100, 250].map((consumers) => simulate(consumers, ofPart));
    rows.push({ accuracy, job, ocrmypdf: await runOcrmypdf(scan), atMost: 1.15, simulated });
  }
  return rows;
}

/** CPU seconds of a process, or of the processes that this one has run (proc(5), `/proc/pid/stat`). */
async function cpuSeconds(of: number | "children" | undefined): Promise<number | undefined> {
  if (of === undefined) return undefined;
  const stat = await readFile(`/proc/${of === "children" ? "self" : of}/stat`, "utf8");
  // From the state on: utime, stime, cutime, and cstime, in ticks, of which Linux counts 100 a second.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user = Number.NaN, system = Number.NaN] = of === "children" ? fields.slice(13) : fields.slice(11);
  return (user + system) / 100;
}

async function spentBy(cpu: () => Promise<number | undefined>, work: () => Promise<unknown>): Promise<Spent> {
  const [start, before] = [performance.now(), await cpu()];
  await work();
  const [wall, after] = [(performance.now() - start) / 1_000, await cpu()];
  return { wall, cpu: before === undefined || after === undefined ? undefined : after - before };
}

/** A book of pages of text, as images of 200 dpi. */
async function scanned(service: Service): Promise<Uint8Array> {
  const page = textPage({ width: 612, height: 792, color: false });
  const drawn = await post(service, "to-images", { file: pdfPart(drawing(page, page)), dpi: String(DPI) });
  const [image] = Object.values(unzipSync(drawn.body));
  if (image === undefined) throw new Error("no page was drawn");
  const parts = Array.from({ length: PAGES }, (_, number): [string, Part] => [
    `image${number}`,
    { bytes: image, fileName: "page.png" },
  ]);
  return (await post(service, "from-images", Object.fromEntries(parts))).body;
}

/** Sends a request as a job and waits until it has succeeded. Throws where it does not. */
export async function runJob(service: Service, call: Call): Promise<void> {
  const { status, body } = await send(service, { ...call, headers: { ...call.headers, Prefer: "respond-async" } });
  if (status !== 202) throw new Error(`${call.operation}: ${status} ${new TextDecoder().decode(body).slice(0, 300)}`);
  const { id } = JSON.parse(new TextDecoder().decode(body)) as { id: string };
  for (;;) {
    const response = await fetch(`${service.baseUrl}/api/v1/jobs/${id}?wait=30`, {
      headers: { Authorization: `Bearer ${service.key}` },
    });
    const { status: state } = (await response.json()) as { status: string };
    if (state === "succeeded") return;
    if (state !== "queued" && state !== "running") throw new Error(`the job is ${state}`);
  }
}

async function runOcrmypdf(scan: Uint8Array): Promise<Spent | undefined> {
  if (spawnSync("ocrmypdf", ["--version"]).status !== 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-bench-"));
  try {
    const [input, output] = [join(folder, "in.pdf"), join(folder, "out.pdf")];
    await writeFile(input, scan);
    const options = ["--jobs", "1", "--output-type", "pdf", "--optimize", "0", "--force-ocr"];
    const env = { ...process.env, OMP_THREAD_LIMIT: "1" };
    return await spentBy(
      () => cpuSeconds("children"),
      () => promisify(execFile)("ocrmypdf", [...options, input, output], { env }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Parts are independent: each consumer does one after the other, as fast as the database lets all of them. */
function simulate(consumers: number, secondsOfPart: number): Simulated {
  const parts = SIMULATED_PAGES / PART.pages;
  const atOnce = Math.min(consumers, parts);
  const rate = Math.min(atOnce / secondsOfPart, D1_TRIPS / PART.trips);
  const minutes = (Math.ceil(parts / atOnce) * Math.max(secondsOfPart, atOnce / rate)) / 60;
  return { consumers, minutes, trips: rate * PART.trips, writes: rate * PART.rowsWritten };
}

/** Of 1,000 pages, in US dollars. */
function costOf(secondsOfPart: number): number {
  const million = 1_000 / PART.pages / 1_000_000;
  const { rowsRead, rowsWritten, classA, classB, messages } = PART;
  const counts = { cpu: secondsOfPart * 1_000, rowsRead, rowsWritten, classA, classB, messages };
  return Object.entries(PRICES).reduce(
    (sum, [name, price]) => sum + counts[name as keyof typeof PRICES] * million * price,
    0,
  );
}

const shown = (spent: Spent | undefined): string =>
  spent ? `${spent.wall.toFixed(1)} s, CPU ${spent.cpu?.toFixed(1) ?? "-"} s` : "-";

export function printJobs(rows: readonly JobsRow[]): void {
  for (const { accuracy, job, ocrmypdf, atMost, simulated } of rows) {
    const ofPart = (job.wall / PAGES) * PART.pages;
    const ratio = ocrmypdf && (job.cpu ?? job.wall) / ((job.cpu && ocrmypdf.cpu) ?? ocrmypdf.wall);
    const verdict =
      ratio === undefined
        ? "ocrmypdf is not installed"
        : `${ratio.toFixed(2)}, at most ${atMost}: ${ratio <= atMost ? "ok" : "TOO SLOW"}`;
    console.log(
      `\nJobs: ocr of ${PAGES} scanned pages, accuracy=${accuracy}: ${shown(job)}; OCRmyPDF ${shown(ocrmypdf)}: ${verdict}`,
    );
    console.log(`a part of ${PART.pages} pages ${ofPart.toFixed(2)} s; 1,000 pages cost $${costOf(ofPart).toFixed(3)}`);
    for (const { consumers, minutes, trips, writes } of simulated) {
      console.log(
        `${consumers} consumers: ${SIMULATED_PAGES} pages in ${minutes.toFixed(1)} min, ${trips.toFixed(0)} transactions and ${writes.toFixed(0)} rows written a second`,
      );
    }
  }
}
