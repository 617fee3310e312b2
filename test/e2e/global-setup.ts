import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { RunningServer } from "./own-server.ts";
import { startServer } from "./server.ts";

/** A server for each worker of the end-to-end tests, on a free port, with data of its own that is deleted afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = await Promise.all(Array.from({ length: project.config.maxWorkers }, start));
  project.provide(
    "servers",
    started.map(({ server }) => server),
  );
  return async () => void (await Promise.all(started.map(({ stop }) => stop())));
}

async function start(): Promise<{ server: RunningServer; stop: () => Promise<void> }> {
  const persistTo = await mkdtemp(join(tmpdir(), "pdf-service-e2e-"));
  const {
    stop,
    kill: _kill,
    printed: _printed,
    sweep: _sweep,
    ...server
  } = await startServer(persistTo, ["--var", "WEBHOOK_ALLOW_LOCAL:true"]);
  return {
    server,
    async stop() {
      await stop();
      await rm(persistTo, { recursive: true, force: true });
    },
  };
}
