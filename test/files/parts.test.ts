import { describe, expect, it } from "vitest";
import { rawObject } from "./bucket.ts";
import { documentBytes, type ErrorBody, fileService, sha256Of } from "./file-service.ts";
import { base64 } from "../../src/bytes/base64.ts";

const PART = 16 * 1024 * 1024;
const service = await fileService();
const bytes = documentBytes(PART + 70_000);
const parts = [bytes.subarray(0, PART), bytes.subarray(PART)] as const;

const begin = async (size: number) => (await service.json("POST", "/files", { name: "large.pdf", size })).body;
const put = (id: string, part: number | string, body: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  service.send("PUT", `/files/${id}/parts/${part}`, {
    body,
    headers: { "Content-Length": String(body.length), ...headers },
  });
const digestOf = async (body: Uint8Array<ArrayBuffer>) =>
  `sha-256=:${base64(new Uint8Array(await crypto.subtle.digest("SHA-256", body)))}:`;
const complete = (id: string, body: object = {}) => service.json("POST", `/files/${id}/complete`, body);
const errorOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  (await response.json<ErrorBody>()).error.code,
];

describe("uploads in parts", () => {
  it("an upload accepts its parts in any order and again, and is ready once it is completed", async () => {
    const file = await begin(bytes.length);
    expect(file).toMatchObject({ status: "pending", sha256: null, contentType: null });
    expect(file.parts).toEqual({ size: PART, count: 2, received: [] });
    expect((await service.json("GET", `/files/${file.id}/content`)).body.error.code).toBe("not_ready");
    expect((await put(file.id, 2, parts[1])).status).toBe(200);
    const early = await complete(file.id);
    expect([early.status, early.body.error.code, early.body.error.details]).toEqual([
      409,
      "not_ready",
      { missingParts: [1] },
    ]);
    // Other bytes at first: the last ones count, under nonces of their own.
    await put(file.id, 1, documentBytes(PART, 7));
    const again = await put(file.id, 1, parts[0], { "Content-Digest": await digestOf(parts[0].slice()) });
    expect(await again.json()).toMatchObject({ parts: { received: [1, 2] } });

    const sha256 = await sha256Of(bytes);
    const wrong = await complete(file.id, { sha256: "0".repeat(64) });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, "invalid_parameters"]);
    const done = await complete(file.id, { sha256 });
    expect([done.status, done.body]).toMatchObject([
      200,
      { status: "ready", sha256, contentType: "application/pdf", size: bytes.length },
    ]);
    expect((await complete(file.id)).body).toEqual(done.body);
    expect((await complete(file.id, { sha256: "0".repeat(64) })).status).toBe(400);
    expect(await errorOf(await put(file.id, 2, parts[1]))).toEqual([409, "upload_finished"]);
    const response = await service.send("GET", `/files/${file.id}/content`, {
      headers: { Range: `bytes=${PART - 9}-${PART + 8}` },
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes.slice(PART - 9, PART + 9));
    expect((await rawObject(file.id))?.length).toBe(bytes.length + 258 * 16);
  });

  it("an upload refuses a part of another size, number, or content, and keeps the one that it has", async () => {
    const small = documentBytes(1_000);
    const file = await begin(1_000);
    await put(file.id, 1, small);
    expect(await errorOf(await put(file.id, 1, small.subarray(1)))).toEqual([400, "invalid_parameters"]);
    for (const number of [0, 2, "01", "x", "-1"])
      expect(await errorOf(await put(file.id, number, small))).toEqual([404, "not_found"]);
    const other = documentBytes(1_000, 9);
    const refused = await put(file.id, 1, other, { "Content-Digest": await digestOf(small) });
    expect(await errorOf(refused)).toEqual([400, "invalid_parameters"]);
    const malformed = await put(file.id, 1, other, { "Content-Digest": "sha-256=:AAAA:" });
    expect(await errorOf(malformed)).toEqual([400, "invalid_parameters"]);
    expect((await complete(file.id, { sha256: await sha256Of(small) })).status).toBe(200);
  });

  it("an abandoned upload cannot be read", async () => {
    const file = await begin(1_000);
    await put(file.id, 1, documentBytes(1_000));
    expect((await service.json("DELETE", `/files/${file.id}`)).body).toMatchObject({ status: "pending" });
    expect(await errorOf(await put(file.id, 1, documentBytes(1_000)))).toEqual([404, "not_found"]);
    expect((await complete(file.id)).status).toBe(404);
  });

  it.each([
    [{ name: "a.pdf" }, ["size"]],
    [{ name: "", size: 0, expiresIn: 10 }, ["name", "size", "expiresIn"]],
    [{ name: "a", size: 1.5, parts: 3 }, ["size", "parts"]],
  ])("an upload does not begin with %j", async (body, names) => {
    const { status, body: response } = await service.json("POST", "/files", body);
    expect(status).toBe(400);
    const fields = response.error.details?.["fields"] as readonly { name: string }[];
    expect(fields.map(({ name }) => name)).toEqual(names);
  });
});
