import { inject } from "vitest";
import type { StartedServer } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The servers that stand while the end-to-end tests run. */
    servers: readonly RunningServer[];
    /** Of slow tests, each worker has a server to itself, whose memory and time are those of one isolate. */
    serverFor: "all workers" | "each worker";
  }
}

/** One that its users neither stop nor kill. */
export type RunningServer = Omit<StartedServer, "stop" | "kill" | "printed">;

/** The server of this worker's tests. For a file of slow tests, it is one that no other file uses meanwhile. */
export function ownServer(): RunningServer {
  const id = Number(process.env["VITEST_POOL_ID"]);
  const servers = inject("servers");
  const server = servers[inject("serverFor") === "all workers" ? 0 : id - 1];
  if (server === undefined) throw new Error(`there is no server for worker ${id}`);
  return server;
}
