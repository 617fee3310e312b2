/** Every operation over HTTP on a warm server, beside the program that a user would take instead. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareCall, timedCall } from "./call.ts";
import { peakDuring, residentBytes } from "./server-process.ts";
import { median } from "./text.ts";
import { works, worksOn, type Work } from "./works.ts";
import type { Service } from "../test/harness/requests/client.ts";

export interface OperationRow {
  /** What runs the server: `start` is `npm start`, `serve` is `npm run serve`. */
  readonly server: string;
  readonly operation: string;
  readonly name: string;
  readonly inputBytes: number;
  /** Medians, ms, of a request and of a whole process; undefined if there is no such program, or it is not installed. */
  readonly service: number;
  readonly program: string | undefined;
  readonly other: number | undefined;
  readonly ratio: number | undefined;
  readonly atMost: Work["atMost"] | undefined;
  /** Bytes that the server's process held at most during a request, more than before it; undefined if the server is not ours. */
  readonly growth: number | undefined;
}

/** A server that is measured, by name. */
export type MeasuredService = Service & { readonly name: string; readonly pid?: number };

const WARM_UP_RUNS = 3;
const MIB = 1024 * 1024;

/** `work`: a part of the names that are measured. */
export async function benchOperations(
  services: readonly MeasuredService[],
  runs: number,
  { work: wanted }: { readonly work: string },
): Promise<OperationRow[]> {
  const rows: OperationRow[] = [];
  for (const work of await works()) if (work.name.includes(wanted)) rows.push(...(await measure(services, work, runs)));
  return rows;
}

/** The same for documents that somebody has. `leftOut`: those that the service or the other program refuses, with the reason. */
export async function benchDocuments(
  services: readonly MeasuredService[],
  runs: number,
  { input, work: wanted }: { readonly input: readonly string[]; readonly work: string },
): Promise<{ documents: number; rows: OperationRow[]; leftOut: string[] }> {
  const rows: OperationRow[] = [];
  const leftOut: string[] = [];
  const paths = await documentsIn(input);
  for (const path of paths) {
    for (const work of await worksOn(path)) {
      if (!work.name.includes(wanted)) continue;
      try {
        rows.push(...(await measure(services, work, runs)));
      } catch (error) {
        leftOut.push(`${work.name}: ${(error instanceof Error ? error.message : String(error)).slice(0, 160)}`);
      }
    }
  }
  return { documents: paths.length, rows, leftOut };
}

async function measure(services: readonly MeasuredService[], work: Work, runs: number): Promise<OperationRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-bench-"));
  try {
    const sent = Object.values(work.parts).filter((part) => typeof part !== "string");
    const inputs = sent.map((_, index) => join(folder, `in-${index}`));
    await Promise.all(sent.map(({ bytes }, index) => writeFile(inputs[index] ?? "", bytes)));
    const command = work.other?.(inputs, join(folder, "out"));
    const other = command && isInstalled(command[0]) ? command : undefined;
    const call = await prepareCall(work.operation, work.parts);
    for (const service of services) for (let run = 0; run < WARM_UP_RUNS; run++) await timedCall(service, call);
    const times = services.map((): number[] => []);
    const others: number[] = [];
    // In turn, so that what else the machine does hits all.
    for (let run = 0; run < runs; run++) {
      for (const [index, service] of services.entries()) times[index]?.push((await timedCall(service, call)).time);
      if (other) others.push(timeOf(other));
    }
    const rows: OperationRow[] = [];
    for (const [index, service] of services.entries()) {
      const before = service.pid === undefined ? undefined : await residentBytes(service.pid);
      const peak = service.pid && (await peakDuring(service.pid, () => timedCall(service, call))).peak;
      const [taken, takenByOther] = [median(times[index] ?? []), other && median(others)];
      rows.push({
        server: service.name,
        operation: work.operation,
        name: work.name,
        inputBytes: sent.reduce((sum, { bytes }) => sum + bytes.length, 0),
        program: other?.[0],
        service: taken,
        other: takenByOther,
        ratio: takenByOther && taken / takenByOther,
        atMost: work.atMost,
        growth: peak === undefined || before === undefined ? undefined : Math.max(0, peak - before),
      });
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** PDFs, and those in folders. */
async function documentsIn(inputs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const input of inputs) {
    if (!(await stat(input)).isDirectory()) found.push(input);
    else
      for (const name of (await readdir(input, { recursive: true })).toSorted())
        if (name.toLowerCase().endsWith(".pdf")) found.push(join(input, name));
  }
  return found;
}

const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

/** Milliseconds of a whole process. */
function timeOf([program, ...args]: readonly [string, ...string[]]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 30 });
  const time = performance.now() - start;
  // 3: qpdf did it, with warnings about the input.
  if (status !== 0 && status !== 3) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return time;
}

/** The tables of docs/benchmarks.md, one for each server. */
export function printOperations(rows: readonly OperationRow[]): void {
  for (const [server, own] of Map.groupBy(rows, ({ server }) => server)) {
    console.log(`\n### ${titleOf(server)}\n`);
    console.log("| Operation | Work | Input | Service | Other program | | Ratio | At most | Memory |");
    console.log("|---|---|--:|--:|---|--:|--:|--:|--:|");
    for (const { operation, name, inputBytes, service, program = "-", other, ratio, atMost, growth } of own) {
      const limit = atMost === undefined ? "" : "ms" in atMost ? `${atMost.ms} ms` : atMost.ratio.toFixed(2);
      const cells = [
        operation,
        name,
        `${(inputBytes / 1e6).toFixed(1)} MB`,
        milliseconds(service),
        program,
        milliseconds(other),
        ratio?.toFixed(2) ?? "-",
        limit,
        growth === undefined ? "-" : `${(growth / MIB).toFixed(0)} MiB`,
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
}

/** For each server and operation: the times of all documents together, and the ratios of the single ones. */
export function printDocuments({ documents, rows, leftOut }: Awaited<ReturnType<typeof benchDocuments>>): void {
  for (const [server, own] of Map.groupBy(rows, ({ server }) => server)) {
    console.log(`\n### ${documents} documents, ${titleOf(server)}\n`);
    console.log("| Operation | Documents | Input | Service | Other program | | Ratio | Median | Highest |");
    console.log("|---|--:|--:|--:|---|--:|--:|--:|--:|");
    for (const [operation, of] of Map.groupBy(own, (row) => row.operation)) {
      const sum = (value: (row: OperationRow) => number): number => of.reduce((total, row) => total + value(row), 0);
      const ratios = of.flatMap(({ ratio }) => ratio ?? []);
      const [service, other] = [
        sum((row) => row.service),
        ratios.length > 0 ? sum((row) => row.other ?? 0) : undefined,
      ];
      const cells = [
        operation,
        of.length,
        `${(sum((row) => row.inputBytes) / 1e6).toFixed(1)} MB`,
        milliseconds(service),
        of[0]?.program ?? "-",
        milliseconds(other),
        other === undefined ? "-" : (service / other).toFixed(2),
        ratios.length === 0 ? "-" : median(ratios).toFixed(2),
        ratios.length === 0 ? "-" : Math.max(...ratios).toFixed(2),
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
  if (leftOut.length > 0) console.log(`\nLeft out:\n\n${leftOut.map((line) => `- ${line}`).join("\n")}`);
}

const TITLES: Readonly<Record<string, string>> = { start: "`npm start`", serve: "`npm run serve`" };
const titleOf = (server: string): string => TITLES[server] ?? server;
const milliseconds = (value: number | undefined): string => (value === undefined ? "-" : `${value.toFixed(0)} ms`);
