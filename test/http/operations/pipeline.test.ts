import { afterEach, describe, expect, it, vi } from "vitest";
import { echoService, errorOf, pdf, SECRET } from "../echo-service.ts";
import { MiB } from "../../../src/limits.ts";

const { key, post, send } = await echoService();

const lines = vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(() => void lines.mockClear());
const logged = (): unknown[] => lines.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown);

describe("responses", () => {
  it("a response is the output with its headers", async () => {
    const response = await post({}, pdf(2 * MiB));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-length": String(2 * MiB + 9),
      "content-disposition": 'attachment; filename="my report-echo.pdf"',
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-page-count": "7",
      "access-control-allow-origin": "*",
    });
    expect(response.headers.get("Access-Control-Expose-Headers")).toContain("X-Page-Count");
    expect((await response.bytes()).byteLength).toBe(2 * MiB + 9);
  });

  it("a response can be JSON or a ZIP", async () => {
    expect(await (await post({ act: "json" })).json()).toEqual({ length: 109 });
    expect((await post({ act: "zip" })).headers.get("Content-Type")).toBe("application/zip");
  });

  it("a response after any failure is the same as without it", async () => {
    for (const act of ["refuse", "throw", "trap", "late"]) {
      await post({ act });
      expect((await post({}, pdf(3 * MiB))).status).toBe(200);
    }
    // More in sum than the memory budget, were any of it not given back.
    for (let round = 0; round < 8; round += 1) expect((await post({}, pdf(20 * MiB))).status).toBe(200);
  });
});

describe("internal errors", () => {
  it.each(["throw", "trap"])("an internal error (%s) is 500, with details only in the log", async (act) => {
    const response = await post({ act });
    expect(await response.clone().text()).not.toContain(SECRET);
    expect(await errorOf(response)).toEqual([500, "internal_error", undefined]);
    const requestId = response.headers.get("X-Request-Id");
    const [line] = logged();
    expect(line).toMatchObject({ level: "error", requestId, status: 500, code: "internal_error", cause: {} });
  });

  it("an internal error after the first byte breaks off the stream", async () => {
    expect((await post({ act: "late" })).type).toBe("error");
    expect(logged()).toMatchObject([{ level: "error", status: 200, outcome: "aborted", code: "internal_error" }]);
  });
});

describe("the log", () => {
  it("the log has one line per request, without the client's data", async () => {
    await post({ pages: "1", act: "zip" }, pdf(5_000));
    await post({ password: "hunter2" }, new Blob(["hello"]));
    await send(`/api/v1/health?key=${key}`);
    await send("/some/secret/path");
    expect(logged()).toMatchObject([
      { route: "/api/v1/echo", method: "POST", status: 200, outcome: "complete", operation: "echo", pageCount: 7 },
      { route: "/api/v1/echo", status: 415, code: "unsupported_format", level: "info" },
      { route: "/api/v1/health", status: 200 },
      { status: 404, code: "not_found" },
    ]);
    const all = lines.mock.calls.join("\n");
    for (const secret of [key, key.slice(-12), "hunter2", "my report", "hello", "secret/path"])
      expect(all).not.toContain(secret);
    const [first] = logged() as { key: string; account: string; bodyBytes: number; responseBytes: number }[];
    expect(first?.key).toMatch(/^key_/);
    expect(first?.account).toMatch(/^acct_/);
    expect(first?.bodyBytes).toBeGreaterThan(5_000);
    expect(first?.responseBytes).toBeGreaterThan(5_000);
  });
});

describe("other endpoints", () => {
  it("the health endpoint needs no key", async () => {
    expect(await (await send("/api/v1/health")).json()).toEqual({ status: "ok", version: "0.1.0" });
    const head = await send("/api/v1/health", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("a browser's preflight request is answered", async () => {
    const headers = { Origin: "https://example.com", "Access-Control-Request-Method": "POST" };
    const response = await send("/api/v1/echo", { method: "OPTIONS", headers });
    expect(response.status).toBe(204);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Access-Control-Allow-Headers")).toBe(
      "Authorization, Content-Type, Content-Digest, Idempotency-Key, If-None-Match, If-Range, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Prefer, Range, traceparent",
    );
    expect(response.headers.get("Access-Control-Allow-Methods")).toContain("POST");
  });
});
