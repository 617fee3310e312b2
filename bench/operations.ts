/** Every operation over HTTP on a warm server, beside the program that a user would take instead. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareCall, timedCall } from "./call.ts";
import { peakDuring, residentBytes } from "./server-process.ts";
import { median } from "./text.ts";
import { works, type Work } from "./works.ts";
import type { Service } from "../test/harness/client.ts";

export interface OperationRow {
  readonly operation: string;
  readonly name: string;
  readonly inputBytes: number;
  /** Medians, ms, of a call and of a whole process; undefined where there is no such program, or it is not installed. */
  readonly service: number;
  readonly program: string | undefined;
  readonly other: number | undefined;
  readonly ratio: number | undefined;
  readonly atMost: Work["atMost"] | undefined;
  /** Bytes that the server's process held at most during a call, more than before it; undefined where it is not ours. */
  readonly growth: number | undefined;
}

const WARM_UP_RUNS = 3;
const MIB = 1024 * 1024;

/** `pid`: the process of the server, where its memory can be seen. `work`: a part of the names that are measured. */
export async function benchOperations(
  service: Service & { readonly pid?: number },
  runs: number,
  { input, work: wanted }: { readonly input: readonly string[]; readonly work: string },
): Promise<OperationRow[]> {
  const rows: OperationRow[] = [];
  for (const work of await works(input)) if (work.name.includes(wanted)) rows.push(await measure(service, work, runs));
  return rows;
}

async function measure(service: Service & { readonly pid?: number }, work: Work, runs: number): Promise<OperationRow> {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-bench-"));
  try {
    const sent = Object.values(work.parts).filter((part) => typeof part !== "string");
    const inputs = sent.map((_, index) => join(folder, `in-${index}`));
    await Promise.all(sent.map(({ bytes }, index) => writeFile(inputs[index] ?? "", bytes)));
    const command = work.other?.(inputs, join(folder, "out"));
    const other = command && isInstalled(command[0]) ? command : undefined;
    const call = await prepareCall(work.operation, work.parts);
    for (let run = 0; run < WARM_UP_RUNS; run++) await timedCall(service, call);
    const times: { service: number[]; other: number[] } = { service: [], other: [] };
    // In turn, so that what else the machine does hits both.
    for (let run = 0; run < runs; run++) {
      times.service.push((await timedCall(service, call)).time);
      if (other) times.other.push(timeOf(other));
    }
    const medians = { service: median(times.service), other: other && median(times.other) };
    const before = service.pid === undefined ? undefined : await residentBytes(service.pid);
    const peak = service.pid && (await peakDuring(service.pid, () => timedCall(service, call))).peak;
    return {
      operation: work.operation,
      name: work.name,
      inputBytes: sent.reduce((sum, { bytes }) => sum + bytes.length, 0),
      program: other?.[0],
      ...medians,
      ratio: medians.other && medians.service / medians.other,
      atMost: work.atMost,
      growth: peak === undefined || before === undefined ? undefined : Math.max(0, peak - before),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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

/** As Markdown, for docs/benchmarks.md. */
export function printOperations(rows: readonly OperationRow[]): void {
  const ms = (value: number | undefined): string => (value === undefined ? "-" : `${value.toFixed(0)} ms`);
  console.log("| Operation | Work | Input | Service | Other program | | Ratio | At most | Memory |");
  console.log("|---|---|--:|--:|---|--:|--:|--:|--:|");
  for (const { operation, name, inputBytes, service, program = "-", other, ratio, atMost, growth } of rows) {
    const limit = atMost === undefined ? "" : "ms" in atMost ? `${atMost.ms} ms` : atMost.ratio.toFixed(2);
    const cells = [
      operation,
      name,
      `${(inputBytes / 1e6).toFixed(1)} MB`,
      ms(service),
      program,
      ms(other),
      ratio?.toFixed(2) ?? "-",
      limit,
      growth === undefined ? "-" : `${(growth / MIB).toFixed(0)} MiB`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
