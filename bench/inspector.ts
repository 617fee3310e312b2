/** V8's inspector of the service's isolate, through wrangler. */
import { once } from "node:events";

export interface Inspector {
  /** Sends a command of the DevTools protocol and returns its result. */
  send<Result>(method: string, parameters?: object): Promise<Result>;
  close(): void;
}

/** Connects to the inspector of `wrangler dev` on a port. */
export async function inspect(port: number): Promise<Inspector> {
  // Asked for by wrangler. Node's WebSocket takes headers, which are missing from the type that it shares with browsers.
  const options = { headers: { Origin: "http://localhost" } };
  const socket: WebSocket = Reflect.construct(WebSocket, [`ws://localhost:${port}/ws`, options]);
  await once(socket, "open");
  let last = 0;
  return {
    async send<Result>(method: string, parameters?: object): Promise<Result> {
      const id = ++last;
      const result = new Promise<Result>((done, failed) => {
        const listen = ({ data }: MessageEvent): void => {
          const response = JSON.parse(String(data)) as { id?: number; result: Result; error?: { message: string } };
          if (response.id !== id) return;
          socket.removeEventListener("message", listen);
          if (response.error) failed(new Error(response.error.message));
          else done(response.result);
        };
        socket.addEventListener("message", listen);
      });
      socket.send(JSON.stringify({ id, method, params: parameters }));
      return result;
    },
    close: () => socket.close(),
  };
}

/** Bytes of JavaScript objects and array buffers, garbage that was not collected yet included; wasm memories are not in it. */
export async function usedHeapBytes(inspector: Inspector): Promise<number> {
  const usage = await inspector.send<{ usedSize: number; backingStorageSize: number }>("Runtime.getHeapUsage");
  return usage.usedSize + usage.backingStorageSize;
}

/** Frees all garbage. */
export async function collectGarbage(inspector: Inspector): Promise<void> {
  await inspector.send("HeapProfiler.enable");
  await inspector.send("HeapProfiler.collectGarbage");
}

/** A profile, as `Profiler.stop` returns it. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds from the sample before. */
  readonly timeDeltas: readonly number[];
}

const SAMPLE_MICROSECONDS = 200;

/** What the isolate did during `work`: names of functions from the innermost to the outermost, and its milliseconds. */
export async function profiled(
  inspector: Inspector,
  work: () => Promise<void>,
): Promise<{ stack: readonly string[]; milliseconds: number }[]> {
  await inspector.send("Profiler.enable");
  await inspector.send("Profiler.setSamplingInterval", { interval: SAMPLE_MICROSECONDS });
  await inspector.send("Profiler.start");
  await work();
  const { profile } = await inspector.send<{ profile: Profile }>("Profiler.stop");
  const { nodes, samples, timeDeltas } = profile;
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const stackOf = (id: number): string[] => {
    const stack: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) stack.push(names.get(at) ?? "");
    return stack;
  };
  return samples
    .map((id, index) => ({ stack: stackOf(id), milliseconds: (timeDeltas[index] ?? 0) / 1_000 }))
    .filter(({ stack: [innermost] }) => innermost !== "(idle)");
}
