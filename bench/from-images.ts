import { post, type Part, type Service } from "../test/harness/requests/client.ts";
import { largeJpeg } from "../test/harness/images/jpeg-fixtures.ts";
import { median } from "./text.ts";

const MB = 1_000_000;
/** What making a PDF of these may take, ms. */
const MOST = 500;
const WARM_UP_RUNS = 3;

export interface ImagesRow {
  readonly name: string;
  readonly inputBytes: number;
  /** Median, ms. */
  readonly service: number;
}

/** JPEGs as the parts of a request. Twenty of 3 MB would be 60 MB, and a body may have 32 MiB: these are what fits. */
export function jpegParts(count: number, bytes: number): Record<string, Part> {
  const images = Array.from({ length: count }, (_, index) => largeJpeg(bytes, index + 1));
  return Object.fromEntries(
    images.map((image, index) => [`image${index}`, { bytes: image, fileName: `photo ${index}.jpg` }]),
  );
}

/** Wall time of from-images over HTTP, from the first byte sent to the last byte read. */
export async function benchFromImages(service: Service, runs: number): Promise<ImagesRow[]> {
  // All of them first: making them takes seconds in which no connection is looked after.
  const jobs = (
    [
      [20, 1.5],
      [10, 3],
    ] as const
  ).map(([count, megabytes]) => ({ count, megabytes, parts: jpegParts(count, megabytes * MB) }));
  const rows: ImagesRow[] = [];
  for (const { count, megabytes, parts } of jobs) {
    const times: number[] = [];
    let inputBytes = 0;
    for (const part of Object.values(parts)) inputBytes += typeof part === "string" ? 0 : part.bytes.length;
    for (let run = -WARM_UP_RUNS; run < runs; run++) {
      const start = performance.now();
      const { status, code } = await post(service, "from-images", parts);
      if (status !== 200) throw new Error(`from-images: ${status} ${code ?? ""}`);
      if (run >= 0) times.push(performance.now() - start);
    }
    rows.push({ name: `from-images of ${count} JPEGs of ${megabytes} MB`, inputBytes, service: median(times) });
  }
  return rows;
}

export function printFromImages(rows: readonly ImagesRow[]): void {
  for (const { name, inputBytes, service } of rows) {
    const size = `${(inputBytes / MB).toFixed(1)} MB`;
    const verdict = service <= MOST ? "ok" : "TOO SLOW";
    console.log(
      `${name.padEnd(44)}${size.padStart(12)}${`${service.toFixed(1)} ms`.padStart(12)}   at most ${MOST} ms: ${verdict}`,
    );
  }
}
