import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { putRaw, rawObject } from "./bucket.ts";
import { db, documentBytes, fileService, sha256Of } from "./file-service.ts";
import { seal, unseal } from "../../src/accounts/sealed-secret.ts";
import { find } from "../../src/bytes/find.ts";
import { fromBase64 } from "../../src/bytes/base64.ts";

/** A chunk of the file and its tag. */
const CHUNK = 65_536;
const SEALED = CHUNK + 16;
const service = await fileService();
const bytes = documentBytes(3 * CHUNK + 100);
for (let at = 0; at < bytes.length; at += 4_096) bytes.set(new TextEncoder().encode("Confidential"), at);
const file = await service.upload(bytes);
const raw = (await rawObject(file.id)) ?? new Uint8Array();

/** Reads the bytes [start, end); undefined if the response is an error or breaks off. */
async function read(start: number, end: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const headers = { Range: `bytes=${start}-${end - 1}` };
  const response = await service.send("GET", `/files/${file.id}/content`, { headers });
  if (response.status === 500) return undefined;
  return response.arrayBuffer().then(
    (body) => new Uint8Array(body),
    () => undefined,
  );
}

describe("stored objects", () => {
  it("a stored object contains nothing of the document or its name", () => {
    expect(raw.length).toBe(bytes.length + 4 * 16);
    for (const word of ["%PDF", "Confidential", "document", file.id]) expect(find(raw, word, 0), word).toBe(-1);
    for (let at = 0; at < bytes.length; at += CHUNK) {
      const piece = String.fromCharCode(...bytes.subarray(at + 20, at + 36));
      expect(find(raw, piece, 0)).toBe(-1);
    }
  });

  it("equal files are encrypted differently in the bucket", async () => {
    const same = await service.upload(bytes);
    const other = (await rawObject(same.id)) ?? new Uint8Array();
    expect(other.length).toBe(raw.length);
    let equal = 0;
    other.forEach((byte, at) => (equal += byte === raw[at] ? 1 : 0));
    // One of 256 by chance.
    expect(equal / raw.length).toBeLessThan(0.01);
  });

  it("a stored object opens only with the key of its row, by AES-GCM as documented", async () => {
    const row = await env.DB.prepare("SELECT key, nonces FROM files WHERE id = ?")
      .bind(file.id)
      .first<{ key: string; nonces: string }>();
    const key = await unseal([env.SERVER_SECRET], "file keys", file.id, row?.key ?? "");
    const imported = await crypto.subtle.importKey("raw", key ?? new Uint8Array(), "AES-GCM", false, ["decrypt"]);
    const open = (chunk: number, id: string) => {
      const iv = new Uint8Array([...fromBase64(row?.nonces ?? ""), 0, 0, 0, chunk]);
      const additionalData = new TextEncoder().encode(`${id}/${chunk}`);
      return crypto.subtle.decrypt(
        { name: "AES-GCM", iv, additionalData },
        imported,
        raw.slice(chunk * SEALED, (chunk + 1) * SEALED),
      );
    };
    expect(new Uint8Array(await open(2, file.id))).toEqual(bytes.slice(2 * CHUNK, 3 * CHUNK));
    await expect(open(2, `${file.id}x`)).rejects.toThrow("Decryption failed");
  });
});

describe("tampered objects", () => {
  const changed = (change: (copy: Uint8Array) => Uint8Array | void): Uint8Array => {
    const copy = raw.slice();
    return change(copy) ?? copy;
  };
  const swap = (copy: Uint8Array, one: number, other: number): void => {
    copy.set(raw.subarray(one * SEALED, (one + 1) * SEALED), other * SEALED);
    copy.set(raw.subarray(other * SEALED, (other + 1) * SEALED), one * SEALED);
  };

  it.each([
    ["a byte of the third chunk flipped", changed((copy) => void (copy[2 * SEALED + 7]! ^= 1)), [2]],
    ["a byte of a tag flipped", changed((copy) => void (copy[SEALED - 1]! ^= 0x80)), [0]],
    ["two chunks exchanged", changed((copy) => swap(copy, 0, 2)), [0, 2]],
    ["a chunk repeated", changed((copy) => copy.copyWithin(SEALED, 0, SEALED)), [1]],
    ["the last chunk cut", changed((copy) => copy.slice(0, 3 * SEALED)), [0, 1, 2, 3]],
    ["a byte cut", changed((copy) => copy.slice(0, -1)), [0, 1, 2, 3]],
    ["a byte added", changed((copy) => new Uint8Array([...copy, 0])), [0, 1, 2, 3]],
    ["nothing left", new Uint8Array(), [0, 1, 2, 3]],
  ] as const)("bytes that were changed in the bucket are never sent: %s", async (_, stored, wrong) => {
    await putRaw(file.id, stored);
    for (const chunk of [0, 1, 2, 3]) {
      const [start, end] = [chunk * CHUNK, Math.min((chunk + 1) * CHUNK, bytes.length)];
      const sent = await read(start, end);
      const isWrong = (wrong as readonly number[]).includes(chunk);
      expect(sent && (await sha256Of(sent))).toBe(isWrong ? undefined : await sha256Of(bytes.slice(start, end)));
    }
    // A whole response begins before the damage is met, and then breaks off.
    expect(await read(0, bytes.length)).toBeUndefined();
    await putRaw(file.id, raw);
  });

  it("bytes of another file under the name of this one are never sent", async () => {
    const other = await service.upload(bytes);
    await putRaw(file.id, (await rawObject(other.id)) ?? new Uint8Array());
    expect(await read(0, 10)).toBeUndefined();
    await putRaw(file.id, raw);
    expect(await read(0, 10)).toEqual(bytes.slice(0, 10));
  });
});

it("the bucket is useless without the database and the server's secret", async () => {
  const row = await env.DB.prepare("SELECT key FROM files WHERE id = ?").bind(file.id).first<{ key: string }>();
  expect(await unseal(["another server's secret, 32 letters"], "file keys", file.id, row?.key ?? "")).toBeUndefined();
  // A key of another server: the file cannot be read any more.
  const foreign = await seal(["another server's secret, 32 letters"], "file keys", file.id, new Uint8Array(32));
  await env.DB.prepare("UPDATE files SET key = ? WHERE id = ?").bind(foreign, file.id).run();
  expect(await read(0, 10)).toBeUndefined();
  await db.$client
    .prepare("UPDATE files SET key = ? WHERE id = ?")
    .bind(row?.key ?? "", file.id)
    .run();
});
