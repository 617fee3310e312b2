import { inject } from "vitest";
import type { StartedServer } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The servers that stand while the end-to-end tests run. */
    servers: readonly RunningServer[];
  }
}

/** One that its users neither stop nor kill. */
export type RunningServer = Omit<StartedServer, "stop" | "kill" | "printed" | "sweep">;

/** The server that no other file uses while this one runs: its memory is that of one isolate. */
export function ownServer(): RunningServer {
  const id = Number(process.env["VITEST_POOL_ID"]);
  const server = inject("servers")[id - 1];
  if (server === undefined) throw new Error(`there is no server for worker ${id}`);
  return server;
}
