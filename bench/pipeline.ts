/** Pipelines beside the same steps as requests one by one, each of which gets the result of the one before. */
import { prepareCall, timedCall } from "./call.ts";
import { median } from "./text.ts";
import { type Part, pdfPart, post, type Service } from "../test/harness/requests/client.ts";
import { drawing, textPage } from "../test/harness/fixtures/drawing-fixtures.ts";

interface PipelineRow {
  readonly steps: string;
  readonly inputBytes: number;
  /** Medians in ms: of the pipeline, and of the sum of the requests. */
  readonly pipeline: number;
  readonly requests: number;
  readonly ratio: number;
  readonly atMost: number;
}

const WARM_UP_RUNS = 3;
const PAGES = 14;

type Step = readonly [operation: string, parameters: Readonly<Record<string, string>>];
const steps: readonly Step[] = [
  ["rotate", { angle: "90", pages: "odd" }],
  ["watermark", { kind: "text", text: "DRAFT" }],
  ["add-page-numbers", {}],
];

export async function benchPipeline(service: Service, runs: number): Promise<PipelineRow[]> {
  const page = textPage({ width: 612, height: 792, color: true });
  const input = drawing(...Array.from({ length: PAGES }, () => page));
  const list = JSON.stringify(steps.map(([operation, parameters]) => ({ operation, ...parameters })));
  const call = await prepareCall("pipeline", { file: pdfPart(input), steps: list });
  const single: Awaited<ReturnType<typeof prepareCall>>[] = [];
  let file: Part = pdfPart(input);
  for (const [operation, parameters] of steps) {
    single.push(await prepareCall(operation, { file, ...parameters }));
    file = pdfPart((await post(service, operation, { file, ...parameters })).body);
  }
  const times: { pipeline: number[]; requests: number[] } = { pipeline: [], requests: [] };
  // In turn, so that what else the machine does hits both.
  for (let run = -WARM_UP_RUNS; run < runs; run++) {
    const { time } = await timedCall(service, call);
    let sum = 0;
    for (const one of single) sum += (await timedCall(service, one)).time;
    if (run < 0) continue;
    times.pipeline.push(time);
    times.requests.push(sum);
  }
  const [pipeline, requests] = [median(times.pipeline), median(times.requests)];
  const names = steps.map(([operation]) => operation).join(", ");
  const ratio = pipeline / requests;
  return [{ steps: `${names}, ${PAGES} pages`, inputBytes: input.length, pipeline, requests, ratio, atMost: 0.6 }];
}

export function printPipeline(rows: readonly PipelineRow[]): void {
  console.log("\nPipelines, ms, beside their steps as requests one by one");
  for (const { steps: name, inputBytes, pipeline, requests, ratio, atMost } of rows) {
    const verdict = ratio <= atMost ? "ok" : "TOO SLOW";
    const size = `${(inputBytes / 1e6).toFixed(2)} MB`;
    const figures = `${pipeline.toFixed(1)} / ${requests.toFixed(1)} = ${ratio.toFixed(2)}, at most ${atMost}`;
    console.log(`${name} (${size}): ${figures}: ${verdict}`);
  }
}
