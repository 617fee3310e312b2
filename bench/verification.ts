/** The share of the service's time that verification of the written file takes (src/engines/pdf/write/verify.ts). */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { inspect, profiled } from "./inspector.ts";
import { prepareCall, timedCall } from "./call.ts";
import type { ServerProcess } from "./server-process.ts";
import { type Part, pdfPart } from "../test/harness/requests/client.ts";
import { document } from "../test/harness/fixtures/fixtures.ts";

interface VerificationRow {
  readonly name: string;
  /** CPU time of the isolate in ms per request, and how much of it verifies. */
  readonly request: number;
  readonly verification: number;
}

const WARM_UP_RUNS = 6;
/** Files of the corpus that have many pages, form fields, tags, or images. */
const CORPUS_FILES = [
  "text-truth/GeoTopo-komprimiert.pdf",
  "forms/japanese.pdf",
  "tagged-outlines/pdfua1-embedded.pdf",
  "scans/francais.pdf",
];
const works: readonly (readonly [operation: string, parameters: Readonly<Record<string, string>>])[] = [
  ["rotate", { angle: "90" }],
  ["rotate", { angle: "90", pages: "1" }],
  ["metadata", { action: "set", metadata: '{"title":"New"}' }],
  ["crop", { margins: '{"top":9}' }],
  ["watermark", { kind: "text", text: "DRAFT" }],
  ["extract-pages", { range: "1-end" }],
];
/**
 * Functions that only verification calls. In a bundle, a name that occurs twice gets a number. MuPDF opens the written file on a
 * stack of its own (and an upload with another function).
 */
const VERIFIES = /^((verify|verifyAppended|reopened|expectationOf)\d*|wasm_open_document_with_stream)$/;

export async function benchVerification(
  service: Pick<ServerProcess, "baseUrl" | "key" | "inspectorPort">,
  runs: number,
  corpus: string,
): Promise<VerificationRow[]> {
  const inspector = await inspect(service.inspectorPort);
  const paths = CORPUS_FILES.map((file) => join(corpus, file)).filter((path) => existsSync(path));
  const files: (readonly [string, Part])[] = [
    ["100 pages", pdfPart(document({ name: "pages", pages: 100, features: ["form"] }))],
    ...(await Promise.all(paths.map(async (path) => [basename(path), pdfPart(await readFile(path))] as const))),
  ];
  const rows: VerificationRow[] = [];
  for (const [name, file] of files) {
    for (const [operation, parameters] of works) {
      const call = await prepareCall(operation, { file, ...parameters });
      for (let run = 0; run < WARM_UP_RUNS; run++) await timedCall(service, call);
      const samples = await profiled(inspector, async () => {
        for (let run = 0; run < runs; run++) await timedCall(service, call);
      });
      const sum = (of: typeof samples): number =>
        of.reduce((total, { milliseconds }) => total + milliseconds, 0) / runs;
      const verifying = samples.filter(({ stack }) => stack.some((frame) => VERIFIES.test(frame)));
      const { pages } = parameters;
      const what = `${operation}${pages === undefined ? "" : ` of page ${pages}`}, ${name}`;
      rows.push({ name: what, request: sum(samples), verification: sum(verifying) });
    }
  }
  inspector.close();
  return rows;
}

const MOST_PERCENT = 10;

export function printVerification(rows: readonly VerificationRow[]): void {
  console.log("\nVerification of the written file, ms of CPU time in the isolate");
  for (const { name, request, verification } of rows) {
    const percent = (100 * verification) / request;
    const verdict = percent <= MOST_PERCENT ? "ok" : "TOO SLOW";
    const figures = `${verification.toFixed(2)} of ${request.toFixed(1)} = ${percent.toFixed(1)} %`;
    console.log(`${name}: ${figures}, at most ${MOST_PERCENT} %: ${verdict}`);
  }
}
