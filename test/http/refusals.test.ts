import { describe, expect, it } from "vitest";
import { echoService, errorOf, newKey, pdf } from "./echo-service.ts";
import { MiB } from "../../src/limits.ts";

const { key, post, postRaw, send } = await echoService();

describe("POST /echo", () => {
  it("a request without a valid key is rejected with 401", async () => {
    const body = new FormData();
    const none = await send("/api/v1/echo", { method: "POST", body });
    expect(none.headers.get("WWW-Authenticate")).toBe("Bearer");
    expect(await errorOf(none)).toEqual([401, "unauthenticated", undefined]);
    expect(await errorOf(await post({}, pdf(), "sk_live_madeup"))).toEqual([401, "unauthenticated", undefined]);
    const basic = await send("/api/v1/echo", { method: "POST", body, headers: { Authorization: `Basic ${key}` } });
    expect(basic.status).toBe(401);
  });

  it("a key without the scope is rejected with 403", async () => {
    const reader = await newKey("business", ["pdf:read"]);
    expect(await errorOf(await post({}, pdf(), reader))).toEqual([403, "forbidden", { requiredScope: "pdf:write" }]);
  });

  it("an unknown path is rejected with 404, and another method with 405", async () => {
    expect(await errorOf(await send("/api/v1/nothing"))).toEqual([404, "not_found", undefined]);
    expect(await errorOf(await send("/api/v1/echo/x", { method: "POST" }))).toEqual([404, "not_found", undefined]);
    const wrong = await send("/api/v1/echo");
    expect(wrong.headers.get("Allow")).toBe("POST, OPTIONS");
    expect(await errorOf(wrong)).toEqual([405, "method_not_allowed", undefined]);
    expect((await send("/api/v1/health", { method: "DELETE" })).headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
  });

  it.each([
    ["application/json", "{}", 415, "unsupported_format"],
    ["application/x-www-form-urlencoded", "a=1", 415, "unsupported_format"],
    ["multipart/form-data", "--X--", 400, "invalid_parameters"],
    ["multipart/form-data; boundary=X", null, 400, "invalid_parameters"],
    ["multipart/form-data; boundary=X", "", 400, "invalid_parameters"],
    ["multipart/form-data; boundary=X", "--Y--", 400, "invalid_parameters"],
    ["multipart/form-data; boundary=X", "--X", 400, "invalid_parameters"],
    ["multipart/form-data; boundary=X", "--X--", 400, "invalid_parameters"],
  ])("a body of %s is rejected: %j", async (contentType, body, status, code) => {
    expect((await errorOf(await postRaw(contentType, body))).slice(0, 2)).toEqual([status, code]);
  });

  it("a body with an unknown Content-Encoding is rejected", async () => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "multipart/form-data; boundary=X" };
    const body = '--X\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n%PDF-\r\n--X--';
    const sent = (encoding: string) =>
      send("/api/v1/echo", { method: "POST", headers: { ...headers, "Content-Encoding": encoding }, body });
    for (const encoding of ["gzip", "BR", "identity, deflate"]) {
      expect(await errorOf(await sent(encoding))).toEqual([415, "unsupported_encoding", undefined]);
    }
    expect((await sent("Identity")).status).toBe(200);
  });

  it("a body of 200,000 fields is rejected with 413", async () => {
    const part = '--X\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n';
    const response = await postRaw("multipart/form-data; boundary=X", `${part.repeat(200_000)}--X--`);
    expect(await errorOf(response)).toEqual([413, "limit_exceeded", { limit: 1_000, actual: 1_001 }]);
  });

  it("a body over the plan's size is rejected to the byte, with or without a Content-Length", async () => {
    const free = await newKey("free");
    const head = '--X\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n%PDF-';
    const tail = "\r\n--X--";
    const sized = (bytes: number): string => head + "x".repeat(bytes - head.length - tail.length) + tail;
    const headers = { Authorization: `Bearer ${free}`, "Content-Type": "multipart/form-data; boundary=X" };
    const limit = 10 * MiB;
    const fits = await send("/api/v1/echo", { method: "POST", headers, body: sized(limit) });
    expect(fits.status).toBe(200);
    const over = await send("/api/v1/echo", { method: "POST", headers, body: sized(limit + 1) });
    expect(await errorOf(over)).toEqual([413, "file_too_large", { limit, actual: limit + 1 }]);
    const chunked = new Response(sized(limit + 1)).body?.pipeThrough(new IdentityTransformStream());
    const streamed = await send("/api/v1/echo", { method: "POST", headers, body: chunked ?? null });
    expect((await errorOf(streamed)).slice(0, 2)).toEqual([413, "file_too_large"]);
  });

  it("invalid parameters are rejected with 400, all at once", async () => {
    const [status, code, details] = await errorOf(await post({ act: "fly", pages: "5-", typo: "1" }, null));
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect((details as { fields: { name: string }[] }).fields.map(({ name }) => name).toSorted()).toEqual([
      "act",
      "file",
      "pages",
      "typo",
    ]);
  });

  it("a text that is too long is rejected with 413", async () => {
    const response = await post({ ranges: ",".repeat(10 * MiB) });
    expect((await errorOf(response)).slice(0, 2)).toEqual([413, "limit_exceeded"]);
  });

  it("a file of another format is rejected with 415", async () => {
    expect(await errorOf(await post({}, new Blob(["hello"])))).toEqual([415, "unsupported_format", { input: "file" }]);
    expect(await errorOf(await post({}, new Blob([])))).toEqual([400, "invalid_file", { input: "file" }]);
  });

  it("a refusal by the operation gets its own code", async () => {
    expect(await errorOf(await post({ act: "refuse" }))).toEqual([400, "incorrect_password", { input: "file" }]);
  });
});
