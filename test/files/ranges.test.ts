import { describe, expect, it } from "vitest";
import { documentBytes, fileService, sha256Of } from "./file-service.ts";

const service = await fileService();
const SIZE = 2 * 65_536 + 500;
const bytes = documentBytes(SIZE);
const file = await service.upload(bytes);
const get = (headers: Readonly<Record<string, string>>, method = "GET") =>
  service.send(method, `/files/${file.id}/content`, { headers });
const etag = `"${file.sha256}"`;

describe("Range", () => {
  it.each([
    ["bytes=0-0", 0, 1],
    ["bytes=0-", 0, SIZE],
    ["bytes=65535-65536", 65_535, 65_537],
    ["bytes=65536-131071", 65_536, 131_072],
    ["bytes=100-99999999", 100, SIZE],
    ["bytes=-500", SIZE - 500, SIZE],
    ["bytes=-99999999", 0, SIZE],
    ["BYTES=1-2", 1, 3],
  ])("a request for %s gets exactly that range", async (range, start, end) => {
    const response = await get({ Range: range });
    expect(response.status).toBe(206);
    expect(response.headers.get("Content-Range")).toBe(`bytes ${start}-${end - 1}/${SIZE}`);
    expect(response.headers.get("Content-Length")).toBe(String(end - start));
    expect(response.headers.get("ETag")).toBe(etag);
    expect(await sha256Of(new Uint8Array(await response.arrayBuffer()))).toBe(await sha256Of(bytes.slice(start, end)));
  });

  it.each([`bytes=${SIZE}-`, `bytes=${SIZE}-${SIZE + 5}`, "bytes=-0"])(
    "a range of %s is outside of the file",
    async (range) => {
      const response = await get({ Range: range });
      expect([response.status, response.headers.get("Content-Range")]).toEqual([416, `bytes */${SIZE}`]);
      expect((await response.json<{ error: { code: string } }>()).error.code).toBe("range_not_satisfiable");
    },
  );

  it.each(["bytes=5-4", "bytes=0-1,5-6", "bytes=-", "bytes=a-b", "items=0-1", "0-1"])(
    "a range of %s is ignored",
    async (range) => {
      const response = await get({ Range: range });
      expect([response.status, response.headers.get("Content-Range")]).toEqual([200, null]);
      expect((await response.arrayBuffer()).byteLength).toBe(SIZE);
    },
  );
});

describe("conditional requests", () => {
  it("a client that has the file gets a 304", async () => {
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const response = await get({ "If-None-Match": known });
      expect([response.status, response.headers.get("ETag"), await response.text()]).toEqual([304, etag, ""]);
    }
    const response = await get({ "If-None-Match": '"x"' });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it("a range is sent only if the file is the one that If-Range names, otherwise the file", async () => {
    for (const [condition, status] of [
      [etag, 206],
      [`W/${etag}`, 200],
      ['"x"', 200],
      ["Sun, 22 Nov 2026 00:00:00 GMT", 200],
    ] as const) {
      const response = await get({ Range: "bytes=0-9", "If-Range": condition });
      expect(response.status, condition).toBe(status);
      await response.body?.cancel();
    }
  });

  it("HEAD gets only the headers, whatever the range", async () => {
    const response = await get({ Range: "bytes=0-9" }, "HEAD");
    expect([response.status, response.headers.get("ETag"), response.headers.get("Accept-Ranges")]).toEqual([
      200,
      etag,
      "bytes",
    ]);
    expect(response.headers.get("Content-Length")).toBe(String(SIZE));
    expect(await response.text()).toBe("");
  });
});
