/** Where the isolate spends its time in one operation, by function. */
import { inspect, profiled } from "./inspector.ts";
import { prepareCall, timedCall } from "./call.ts";
import type { ServerProcess } from "./server-process.ts";
import { works, worksOn } from "./works.ts";

interface FunctionTime {
  readonly name: string;
  /** ms of CPU time per request: in the function itself, and including its callees. */
  readonly self: number;
  readonly total: number;
}

interface ProfileRow {
  readonly name: string;
  readonly request: number;
  readonly functions: readonly FunctionTime[];
}

const WARM_UP_RUNS = 6;
/** Functions below this share of a request are not printed. */
const LEAST_SHARE = 0.02;

/** `work`: a part of the names that are measured. */
export async function benchProfile(
  service: Pick<ServerProcess, "baseUrl" | "key" | "inspectorPort">,
  runs: number,
  { input, work: wanted }: { readonly input: readonly string[]; readonly work: string },
): Promise<ProfileRow[]> {
  const inspector = await inspect(service.inspectorPort);
  const rows: ProfileRow[] = [];
  for (const work of [...(await works()), ...(await Promise.all(input.map(worksOn))).flat()]) {
    if (!work.name.includes(wanted)) continue;
    const call = await prepareCall(work.operation, work.parts);
    for (let run = 0; run < WARM_UP_RUNS; run++) await timedCall(service, call);
    const samples = await profiled(inspector, async () => {
      for (let run = 0; run < runs; run++) await timedCall(service, call);
    });
    rows.push(rowOf(work.name, samples, runs));
  }
  inspector.close();
  return rows;
}

function rowOf(name: string, samples: Awaited<ReturnType<typeof profiled>>, runs: number): ProfileRow {
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  const add = (sums: Map<string, number>, frame: string, ms: number): void =>
    void sums.set(frame, (sums.get(frame) ?? 0) + ms / runs);
  for (const { stack, milliseconds } of samples) {
    add(self, stack[0] ?? "", milliseconds);
    // A function that calls itself counts once.
    for (const frame of new Set(stack)) add(total, frame, milliseconds);
  }
  const functions = [...total].map(([frame, ms]) => ({ name: frame, self: self.get(frame) ?? 0, total: ms }));
  return {
    name,
    request: total.get("(root)") ?? 0,
    functions: functions.toSorted((a, b) => b.total - a.total),
  };
}

export function printProfile(rows: readonly ProfileRow[]): void {
  for (const { name, request, functions } of rows) {
    console.log(`\n${name}: ${request.toFixed(1)} ms of CPU time in the isolate\n  total    self`);
    for (const { name: frame, self, total } of functions) {
      if (total < request * LEAST_SHARE) break;
      console.log(`${total.toFixed(1).padStart(7)} ${self.toFixed(1).padStart(7)}  ${frame}`);
    }
  }
}
