import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";

/** A way to the service on which connections can be lost. */
export interface CuttingProxy {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** From now on so many responses are lost: the connection ends when the service's response begins to come, or before its end. */
  cut(responses: number, where?: "before" | "within"): void;
  /** Responses that were lost so far. */
  lost(): number;
  close(): Promise<void>;
}

/** Passes bytes to and fro between its own port and the service's. */
export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  let left = 0;
  let lost = 0;
  let within = false;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    for (const socket of [client, service]) {
      open.add(socket);
      socket
        .on("error", () => {})
        .on("close", () => {
          open.delete(socket);
          client.destroy();
          service.destroy();
        });
    }
    client.pipe(service);
    service.on("data", (chunk: Buffer) => {
      if (left > 0) {
        left -= 1;
        lost += 1;
        if (within) client.end(chunk.subarray(0, -5));
        else client.resetAndDestroy();
      } else client.write(chunk);
    });
  }).listen(0);
  await once(server, "listening");
  return {
    baseUrl: `http://localhost:${(server.address() as AddressInfo).port}`,
    cut(responses, where = "before") {
      left = responses;
      within = where === "within";
    },
    lost: () => lost,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
