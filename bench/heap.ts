/** How large V8's heap of the service's isolate is, as wrangler's inspector tells. */
import { once } from "node:events";

/** A connection to the inspector, for as long as it is watched. */
export interface HeapWatch {
  /** Bytes of JavaScript objects, garbage that was not collected yet included; wasm memories are not in it. */
  usedBytes(): Promise<number>;
  close(): void;
}

/** Connects to the inspector of `wrangler dev` on a port. */
export async function watchHeap(port: number): Promise<HeapWatch> {
  // Asked for by wrangler. Node's WebSocket takes headers, which the type that it shares with browsers does not say.
  const options = { headers: { Origin: "http://localhost" } };
  const socket: WebSocket = Reflect.construct(WebSocket, [`ws://localhost:${port}/ws`, options]);
  await once(socket, "open");
  let last = 0;
  return {
    async usedBytes() {
      const id = ++last;
      const answered = new Promise<number>((done) => {
        const listen = ({ data }: MessageEvent): void => {
          const answer = JSON.parse(String(data)) as { id?: number; result?: { usedSize: number } };
          if (answer.id !== id) return;
          socket.removeEventListener("message", listen);
          done(answer.result?.usedSize ?? Number.NaN);
        };
        socket.addEventListener("message", listen);
      });
      socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }));
      return answered;
    },
    close: () => socket.close(),
  };
}
