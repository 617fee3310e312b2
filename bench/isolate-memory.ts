/**
 * The memory of the service's isolate: JavaScript objects, buffers, and wasm memories. The process holds much more: D1, R2, and
 * queues run in it, and it has compiled code. Linux only (/proc).
 */
import { setTimeout } from "node:timers/promises";
import { collectGarbage, inspect, usedHeapBytes } from "./inspector.ts";
import { type ServerProcess, wasmBytes } from "./server-process.ts";

/** What Cloudflare gives an isolate. */
export const ISOLATE_BYTES = 128 * 1024 * 1024;

/** ms between two looks at the isolate; each waits until the isolate has its turn. */
const LOOK = 10;

/**
 * Looks at the memory of the isolate until it is stopped, which gives the most bytes that were seen. Garbage counts up to the
 * limit; beyond, it is collected first, as V8 would.
 */
export async function watchIsolate(
  server: ServerProcess,
  limitBytes = ISOLATE_BYTES,
): Promise<{ idle: number; stop(): Promise<number> }> {
  const inspector = await inspect(server.inspectorPort);
  const held = async (): Promise<number> => (await usedHeapBytes(inspector)) + (await wasmBytes(server.pid));
  const look = async (): Promise<number> => {
    const bytes = await held();
    if (bytes < limitBytes) return bytes;
    await collectGarbage(inspector);
    return held();
  };
  // What came before is not counted.
  await collectGarbage(inspector);
  const idle = await look();
  const state = { on: true, peak: idle };
  const watching = (async () => {
    while (state.on) {
      state.peak = Math.max(state.peak, await look());
      await setTimeout(LOOK);
    }
  })();
  return {
    idle,
    async stop() {
      state.on = false;
      await watching;
      inspector.close();
      return state.peak;
    },
  };
}
