/** The process that owns the storage, and what Miniflare and workerd must be able to do for it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMiniflare } from "../../src/serve/miniflare.ts";
import { startState } from "../../src/serve/runtime.ts";
import { root } from "../e2e/server.ts";

const app = join(root, process.env["SERVED_APP"] ?? "");
const TOKEN = "the token of this test";

/** Calls the storage of another process, and responds with the results or errors. */
const CALLER = `
export default {
  async fetch(request, env) {
    const { token, calls } = await request.json();
    const results = [];
    for (const [name, ...args] of calls) {
      const body = () => new Blob(["hello"]).stream().pipeThrough(new FixedLengthStream(5));
      try {
        const result = await env.STATE.call(token, name, args.map((arg) => (arg === "a stream" ? body() : arg)));
        results.push(result?.body ? await new Response(result.body).text() : result ?? null);
      } catch (error) {
        results.push(error.message);
      }
    }
    return Response.json(results);
  },
};`;

let data: string;
let state: Awaited<ReturnType<typeof startState>>;
let caller: Awaited<ReturnType<typeof openMiniflare>>;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "pdf-service-storage-"));
  state = await startState({
    app,
    data,
    name: "state",
    token: TOKEN,
    port: 0,
    restarted: async () => {},
    log: () => {},
  });
  caller = await openMiniflare(data, [
    {
      name: "caller",
      modules: true,
      script: CALLER,
      compatibilityDate: "2026-11-01",
      serviceBindings: { STATE: { external: { address: (await state.address()).host, http: {} } } },
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    },
  ]);
});
afterAll(async () => {
  await Promise.all([caller.dispose(), state.stop()]);
  await rm(data, { recursive: true, force: true });
});

async function call(calls: readonly (readonly unknown[])[], token = TOKEN): Promise<unknown> {
  const url = await caller.unsafeGetDirectURL("caller");
  return (await fetch(url, { method: "POST", body: JSON.stringify({ token, calls }) })).json();
}

test("Miniflare connects a worker to an entrypoint of another process, as direct sockets and external services", async () => {
  const sql = "select 1 as a, ? as a";
  expect(await call([["rows", "DB", { sql, params: ["x"] }]])).toEqual([[[1, "x"]]]);
});

test("errors of the database arrive with their message", async () => {
  const wrong = { sql: "select missing", params: [] };
  expect(await call([["batch", "DB", [wrong]]])).toEqual([
    expect.stringContaining("D1_ERROR: no such column: missing"),
  ]);
});

test("objects are stored and read as streams, in ranges and in parts", async () => {
  const results = await call([
    ["put", "FILES", "whole", "a stream"],
    ["get", "FILES", "whole", { range: { offset: 1, length: 3 } }],
    ["head", "FILES", "whole"],
    ["list", "FILES", { prefix: "wh" }],
    ["delete", "FILES", ["whole"]],
    ["head", "FILES", "whole"],
  ]);
  const facts = { key: "whole", size: 5, etag: expect.any(String) };
  expect(results).toEqual([facts, "ell", facts, { objects: [facts], truncated: false }, null, null]);
});

test("rate limits count what all workers ask for", async () => {
  const limit = ["limit", "ADDRESS_SHIELD", { key: "one" }];
  // 300 a minute, and the minute may change once.
  const calls = Array.from({ length: 310 }, () => limit);
  const results = (await Promise.all([call(calls), call(calls)])).flat() as { readonly success: boolean }[];
  expect(results.filter(({ success }) => !success).length).toBeGreaterThanOrEqual(10);
  expect(results[0]).toEqual({ success: true });
});

test("a call without the token is refused, and so is any path but that of its health", async () => {
  const calls = [["rows", "DB", { sql: "select 1", params: [] }]];
  expect(await call(calls, "another")).toEqual(["the token is another"]);
  const response = await fetch(await state.address());
  expect([response.status, await response.text()]).toEqual([204, ""]);
});
