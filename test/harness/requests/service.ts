import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { residentBytes, workerdOf } from "../../../bench/server-process.ts";
import { startServer } from "../../e2e/server.ts";
import type { Service } from "./client.ts";

/**
 * Runs `work` against the service that `$BASE_URL` and `$API_KEY` name, or one that is started for it on a free port, with
 * data of its own, and ended afterwards.
 */
export async function withService<T>(work: (service: Service) => Promise<T>): Promise<T> {
  const { BASE_URL: baseUrl, API_KEY: key } = process.env;
  if (baseUrl !== undefined && key !== undefined) return work({ baseUrl: baseUrl.replace(/\/$/, ""), key });
  const persistTo = await mkdtemp(join(tmpdir(), "pdf-service-"));
  try {
    const server = await startServer(persistTo);
    try {
      const pid = await workerdOf(server.pid);
      return await work({
        baseUrl: server.baseUrl,
        key: server.liveKey,
        work: server.work,
        residentBytes: () => residentBytes(pid),
      });
    } finally {
      await server.stop();
    }
  } finally {
    await rm(persistTo, { recursive: true, force: true });
  }
}
