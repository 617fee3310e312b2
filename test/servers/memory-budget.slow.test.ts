/** A server with more memory than Cloudflare gives takes larger files, and stays within its budget. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wasmBytes, workerdOf } from "../../bench/server-process.ts";
import { startServer, type StartedServer } from "../e2e/server.ts";
import { countPages } from "../harness/engines/pdfjs.ts";
import { type ApiResponse, type Part, pdfPart, post } from "../harness/requests/client.ts";
import { scanOf } from "../harness/images/jpeg-document-fixtures.ts";

const MIB = 1024 * 1024;
const BUDGET = 1024;
const scan = scanOf(51 * MIB);
const PAGES = 37;

let server: StartedServer;
beforeAll(async () => {
  const data = await mkdtemp(join(tmpdir(), "pdf-service-budget-"));
  server = await startServer(data, ["--var", `MEMORY_BUDGET_MIB:${BUDGET}`]);
});
afterAll(async () => {
  await server.stop();
  await rm(server.persistTo, { recursive: true, force: true });
});

/** Sends the scan, and looks at the engines' memory meanwhile. */
async function send(operation: string, fields: Readonly<Record<string, Part>>): Promise<ApiResponse> {
  const pid = await workerdOf(server.pid);
  const sending = post({ baseUrl: server.baseUrl, key: server.liveKey }, operation, fields);
  const state = { on: true };
  let peak = 0;
  const looking = (async () => {
    while (state.on) {
      peak = Math.max(peak, await wasmBytes(pid));
      await new Promise((done) => setTimeout(done, 20));
    }
  })();
  const response = await sending.finally(() => (state.on = false));
  await looking;
  expect([operation, response.status, response.message]).toEqual([operation, 200, undefined]);
  // The file itself is in it, so it is the right process.
  expect(peak).toBeGreaterThan(scan.length);
  expect(peak).toBeLessThan(BUDGET * MIB);
  return response;
}

const file = pdfPart(scan);
const pagesOf = async ({ body }: ApiResponse, password?: string) => countPages(body, password);

test("a scan of 51 MiB is merged", async () => {
  expect(await pagesOf(await send("merge", { file0: file, file1: file }))).toBe(2 * PAGES);
});

test("a scan of 51 MiB is compressed", async () => {
  const response = await send("compress", { file });
  expect(response.body.length).toBeLessThan(scan.length / 2);
  expect(await pagesOf(response)).toBe(PAGES);
});

test("a scan of 51 MiB is protected", async () => {
  expect(await pagesOf(await send("protect", { file, userPassword: "user" }), "user")).toBe(PAGES);
});

test("a scan of 51 MiB is redacted", async () => {
  const response = await send("redact", { file, terms: JSON.stringify(["page 7"]) });
  expect(await pagesOf(response)).toBe(PAGES);
  const read = await send("extract-text", { file: pdfPart(response.body) });
  const text = Buffer.from(read.body).toString();
  expect(text).toContain("page 8");
  expect(text).not.toContain("page 7");
});

test("pages of a scan of 51 MiB are drawn", async () => {
  const response = await send("to-images", { file, pages: "1-2", dpi: "150" });
  expect(response.headers.get("Content-Type")).toBe("application/zip");
});

test("a larger request is refused by its length, with the limit of the budget", async () => {
  const { requestBytes } = (await (await fetch(`${server.baseUrl}/api/v1/limits`)).json()) as { requestBytes: number };
  expect(requestBytes).toBe(376 * MIB);
  const { limits } = (await (
    await fetch(`${server.baseUrl}/api/v1/usage`, { headers: { Authorization: `Bearer ${server.liveKey}` } })
  ).json()) as { limits: { requestBytes: number } };
  expect(limits.requestBytes).toBe(requestBytes);
});
