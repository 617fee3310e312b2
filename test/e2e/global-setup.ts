import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startServer, type StartedServer } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server that stands while the end-to-end tests run. */
    server: Omit<StartedServer, "stop" | "kill">;
  }
}

/** One server for all end-to-end tests, on a free port, with data of its own that is deleted afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const persistTo = await mkdtemp(join(tmpdir(), "pdf-service-e2e-"));
  const { stop, kill: _, ...server } = await startServer(persistTo);
  project.provide("server", server);
  return async () => {
    await stop();
    await rm(persistTo, { recursive: true, force: true });
  };
}
