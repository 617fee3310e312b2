/** Text recognition models: Tesseract's files, put in place by wasm/prepare.ts and scripts/add-model.ts. */
import { MiB } from "../../limits.ts";
import { ofIsolate } from "../../isolate.ts";
import type { Accuracy } from "./languages.ts";

/** Reads the gzipped file of a model: `eng`, or `fast/eng`. */
export type LoadModel = (name: string) => Promise<ArrayBuffer>;

/** Maximum bytes of gzipped models kept in the isolate. */
const MOST_KEPT = 6 * MiB;

/** Bytes of a file that are unpacked at once, which takes 1 ms: all of it takes 40. */
const PIECE = 64 * 1024;

/** The models of the latest requests, newest last: they contain no client data. */
const kept = ofIsolate(() => new Map<string, ArrayBuffer>());

/** Bytes of models kept between requests. */
export function keptModelBytes(): number {
  return [...kept.value.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Drops the kept models. */
export function dropModels(): void {
  kept.value.clear();
}

/** The uncompressed bytes of a model, for one use. `rest`: yields to other requests. */
export async function readModel(
  code: string,
  accuracy: Accuracy,
  load: LoadModel,
  rest: () => Promise<void>,
): Promise<Uint8Array> {
  const name = accuracy === "fast" ? `fast/${code}` : code;
  const file = kept.value.get(name) ?? (await load(name));
  kept.value.delete(name);
  kept.value.set(name, file);
  for (const [oldest] of kept.value) {
    if (keptModelBytes() <= MOST_KEPT) break;
    kept.value.delete(oldest);
  }
  return unpacked(file, rest);
}

/** Unpacks into one buffer: gzip stores the size in its last four bytes (RFC 1952, 2.3.1). */
async function unpacked(file: ArrayBuffer, rest: () => Promise<void>): Promise<Uint8Array> {
  const model = new Uint8Array(new DataView(file).getUint32(file.byteLength - 4, true));
  let read = 0;
  const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await rest();
      controller.enqueue(new Uint8Array(file.slice(read, read + PIECE)));
      read += PIECE;
      if (read >= file.byteLength) controller.close();
    },
  });
  let at = 0;
  for await (const chunk of pieces.pipeThrough(new DecompressionStream("gzip"))) {
    model.set(chunk, at);
    at += chunk.length;
  }
  return model;
}
