import { createDecipheriv, createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { concat } from "../../../src/bytes/concat.ts";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { unhex } from "../../../src/bytes/hex.ts";
import { Refusal } from "../../../src/engines/errors.ts";
import { FileParts, ownBytes } from "../../../src/engines/memory/joined-bytes.ts";
import { Cipher } from "../../../src/engines/pdf/encryption/object-cipher.ts";
import { rc4 } from "../../../src/engines/pdf/encryption/rc4.ts";
import { type FileTarget, PdfWriter } from "../../../src/engines/pdf/write/pdf-writer.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";
import { limits } from "../../../src/limits.ts";

const NEW = { begins: { version: 17 }, size: 1 } as const;
const HEADER = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n";
const key = unhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");

function writerOf(target: FileTarget): {
  writer: PdfWriter;
  claimed: () => number;
  end: (trailer: string) => Promise<string>;
} {
  let claimed = 0;
  const writer = new PdfWriter({ work: unlimitedWork(), claim: (bytes) => (claimed += bytes) }, target);
  const end = async (trailer: string): Promise<string> => {
    const file = await writer.end(trailer);
    return latin1(file.view(0, file.length));
  };
  return { writer, claimed: () => claimed, end };
}

const data = (text: string) => ownBytes(bytesOf(text));
const cipher = (): Cipher => new Cipher(crypto, { key, strings: "aes-256", streams: "aes-256" });

/** The plain bytes of what is encrypted, with its vector in front. */
function decrypted(bytes: Uint8Array): string {
  const reader = createDecipheriv("aes-256-cbc", key, bytes.subarray(0, 16));
  return latin1(Buffer.concat([reader.update(bytes.subarray(16)), reader.final()]));
}

/** The data of the stream of an object. */
function streamIn(file: string, number: number): Uint8Array {
  const start = file.indexOf("stream\n", file.indexOf(`\n${number} 0 obj\n`)) + "stream\n".length;
  return bytesOf(file.slice(start, file.indexOf("\nendstream", start)));
}

test("a new file with a table has its objects, their places, and its end", async () => {
  const { writer, end } = writerOf({ ...NEW, references: "table" });
  const root = writer.reserve();
  expect(await writer.addStream("/Type/XObject", data("abc"))).toBe(2);
  await writer.add("<</Type/Catalog>>", root);
  expect(await end("/Root 1 0 R")).toBe(
    `${HEADER}2 0 obj\n<</Type/XObject/Length 3>>stream\nabc\nendstream\nendobj\n1 0 obj\n<</Type/Catalog>>\nendobj\n` +
      "xref\n0 3\n0000000000 65535 f \n0000000077 00000 n \n0000000015 00000 n \n" +
      "trailer\n<</Size 3/Root 1 0 R>>\nstartxref\n110\n%%EOF\n",
  );
});

test("an update begins on a new line, and counts from the header of the file that it continues", async () => {
  const { writer, end } = writerOf({ begins: { at: 1000, previous: 900 }, size: 9, references: "table" });
  await writer.put({ number: 4, generation: 2, syntax: () => ["[1]"] });
  writer.free({ number: 6, generation: 1 });
  expect(await end("/Root 1 0 R")).toBe(
    "\n4 2 obj\n[1]\nendobj\nxref\n0 1\n0000000000 65535 f \n4 1\n0000001001 00002 n \n6 1\n0000000000 00001 f \n" +
      "trailer\n<</Size 9/Prev 900/Root 1 0 R>>\nstartxref\n1020\n%%EOF\n",
  );
});

test("objects are packed, except streams, later generations, and what is needed to decrypt", async () => {
  const { writer, end } = writerOf({ ...NEW, size: 7, references: "stream", packing: { objects: 2, bytes: 1000 } });
  await writer.put({ number: 1, generation: 0, syntax: () => ["<</A 1>>"] });
  await writer.put({ number: 2, generation: 0, syntax: () => ["<<>>"], stream: { data: data("x") } });
  await writer.put({ number: 3, generation: 1, syntax: () => ["3"] });
  await writer.put({ number: 4, generation: 0, syntax: () => ["(open)"], isOpen: true });
  await writer.put({ number: 5, generation: 0, syntax: () => ["true"] });
  await writer.put({ number: 6, generation: 0, syntax: () => ["[6]"] });
  const file = await end("/Root 1 0 R");
  expect(file).toContain(
    "\n2 0 obj\n<</Length 1>>stream\nx\nendstream\nendobj\n3 1 obj\n3\nendobj\n4 0 obj\n(open)\nendobj\n7 0 obj\n",
  );
  expect(latin1(inflateSync(streamIn(file, 7)))).toBe("1 0 5 9\n<</A 1>>\ntrue");
  expect(latin1(inflateSync(streamIn(file, 8)))).toBe("6 0\n[6]");
  expect(file).toMatch(/7 0 obj\n<<\/Type\/ObjStm\/N 2\/First 8\/Filter\/FlateDecode\/Length \d+>>/);
});

test("an object stream ends with the object that makes it too long", async () => {
  const { writer, end } = writerOf({ ...NEW, size: 4, references: "stream", packing: { objects: 100, bytes: 5 } });
  for (const number of [1, 2, 3]) await writer.put({ number, generation: 0, syntax: () => ["[10]"] });
  const file = await end("");
  expect([4, 5].map((number) => latin1(inflateSync(streamIn(file, number))))).toEqual([
    "1 0 2 5\n[10]\n[10]",
    "3 0\n[10]",
  ]);
});

test("strings and streams are encrypted as they are written, each with its own vector, and the length counts what is written", async () => {
  const { writer, claimed, end } = writerOf({ ...NEW, references: "table", cipher: cipher() });
  await writer.put({
    number: 1,
    generation: 0,
    syntax: (isSecret) => (isSecret ? ["<</A", bytesOf("secret"), "/B", bytesOf("secret"), ">>"] : ["plain"]),
    stream: { data: data("0123456789abcdef") },
  });
  const file = await end("");
  const strings = Array.from(file.matchAll(/<([0-9a-f]{64})>/g), ([, digits = ""]) => unhex(digits));
  expect(strings.map((bytes) => decrypted(bytes))).toEqual(["secret", "secret"]);
  expect(latin1(strings[0] ?? bytesOf(""))).not.toBe(latin1(strings[1] ?? bytesOf("")));
  expect(file).toContain("/Length 48>>");
  expect(decrypted(streamIn(file, 1))).toBe("0123456789abcdef");
  expect(claimed()).toBe(48);
});

test("a stream longer than a chunk is encrypted as one", async () => {
  const text = Array.from({ length: 300_000 }, (_, index) => String.fromCharCode(index % 251)).join("");
  const object = { number: 1, generation: 0 };
  const encrypted = concat((await cipher().encrypt([{ object, use: "streams", data: data(text) }]))[0] ?? []);
  expect(encrypted.length).toBe(16 + 300_000 + (16 - (300_000 % 16)));
  expect(decrypted(encrypted)).toBe(text);
});

const CHUNK = 256 * 1024;

test("items that are encrypted together have their own vectors and padding, at every place in a chunk", async () => {
  const lengths = [0, 15, 16, CHUNK - 144, 0, 5, 2 * CHUNK, 300_000, 1];
  const texts = lengths.map((length, index) => String.fromCharCode(65 + index).repeat(length));
  const plaintexts = texts.map((text, number) => ({
    object: { number, generation: 0 },
    use: "streams" as const,
    data: data(text),
  }));
  const own = cipher();
  const encrypted = (await own.encrypt(plaintexts)).map((pieces) => concat(pieces));
  expect(encrypted.map((bytes) => decrypted(bytes))).toEqual(texts);
  expect(encrypted.map(({ length }) => length)).toEqual(lengths.map((length) => own.lengthOf("streams", length)));
  expect(new Set(encrypted.map((bytes) => latin1(bytes.subarray(0, 16)))).size).toBe(lengths.length);
});

test("each object has the key of its number and generation with AES-128 and RC4", async () => {
  const md5 = (bytes: Uint8Array): Buffer => createHash("md5").update(bytes).digest();
  // Node.js has no MD5 in its WebCrypto.
  const subtle = {
    importKey: crypto.subtle.importKey.bind(crypto.subtle),
    encrypt: crypto.subtle.encrypt.bind(crypto.subtle),
    digest: async (_: string, bytes: Uint8Array) => Uint8Array.from(md5(bytes)).buffer,
  } as unknown as SubtleCrypto;
  const short = key.slice(0, 16);
  const mixed = new Cipher(
    { subtle, getRandomValues: (bytes) => crypto.getRandomValues(bytes) },
    { key: short, strings: "rc4", streams: "aes-128" },
  );
  const one = { number: 1, generation: 0 };
  const other = { number: 0x020304, generation: 5 };
  const encrypted = await mixed.encrypt([
    { object: one, use: "strings", data: data("one") },
    { object: one, use: "streams", data: data("first") },
    { object: other, use: "streams", data: data("second") },
    { object: other, use: "strings", data: data("two") },
  ]);
  const [string, first, second, last] = encrypted.map((pieces) => concat(pieces));
  const keyOf = (name: string, salt: string): Buffer => md5(concat([short, unhex(name), bytesOf(salt)]));
  const plain = (bytes: Uint8Array | undefined, own: Buffer): string => {
    const reader = createDecipheriv("aes-128-cbc", own, (bytes ?? own).subarray(0, 16));
    return latin1(Buffer.concat([reader.update((bytes ?? own).subarray(16)), reader.final()]));
  };
  expect(plain(first, keyOf("0100000000", "sAlT"))).toBe("first");
  expect(plain(second, keyOf("0403020500", "sAlT"))).toBe("second");
  const clear = (bytes: Uint8Array | undefined, own: Buffer): string => latin1(rc4(own, bytes ?? own));
  expect(clear(string, keyOf("0100000000", ""))).toBe("one");
  expect(clear(last, keyOf("0403020500", ""))).toBe("two");
});

test("room that is left in a file is filled later, whether it is short or long", () => {
  const parts = new FileParts();
  parts.text("a");
  const short = parts.later(3);
  parts.text("b");
  const long = parts.later(2000);
  parts.text("c");
  expect(parts.length).toBe(2006);
  long([bytesOf("x".repeat(1500)), bytesOf("y".repeat(500))]);
  short([bytesOf("12"), bytesOf("3")]);
  const file = parts.joined();
  expect(latin1(file.view(0, file.length))).toBe(`a123b${"x".repeat(1500)}${"y".repeat(500)}c`);
});

test("bytes that are final, and what is needed to decrypt, are not encrypted; strings in an object stream are encrypted with it", async () => {
  const { writer, end } = writerOf({
    ...NEW,
    size: 4,
    references: "stream",
    cipher: cipher(),
    packing: { objects: 9, bytes: 999 },
  });
  await writer.put({
    number: 1,
    generation: 0,
    syntax: () => ["<<>>"],
    stream: { data: data("as it is"), isFinal: true },
  });
  await writer.put({ number: 2, generation: 0, syntax: (isSecret) => [isSecret ? "secret" : "(open)"], isOpen: true });
  await writer.put({ number: 3, generation: 0, syntax: (isSecret) => [isSecret ? "secret" : "(packed)"] });
  const file = await end("");
  expect(file).toContain("1 0 obj\n<</Length 8>>stream\nas it is\nendstream");
  expect(file).toContain("2 0 obj\n(open)\nendobj");
  expect(latin1(inflateSync(bytesOf(decrypted(streamIn(file, 4)))))).toBe("3 0\n(packed)");
});

test("more strings than the limit are refused before any of them is encrypted", async () => {
  let calls = 0;
  const subtle = { importKey: () => calls++, encrypt: () => calls++ } as unknown as SubtleCrypto;
  const counted = new Cipher(
    { subtle, getRandomValues: (bytes) => bytes },
    { key, strings: "aes-256", streams: "aes-256" },
  );
  const { writer } = writerOf({ ...NEW, references: "table", cipher: counted });
  const strings = Array.from({ length: limits.encryptedStrings + 1 }, () => bytesOf("a"));
  const refusal = await writer
    .put({ number: 1, generation: 0, syntax: () => strings })
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({
    code: "limit_exceeded",
    details: { limit: limits.encryptedStrings, actual: limits.encryptedStrings + 1 },
  });
  expect(calls).toBe(0);
});

test("a cipher that fails is told apart from a document that cannot be read", async () => {
  const subtle = { importKey: () => Promise.reject(new Error("no key")) } as unknown as SubtleCrypto;
  const broken = new Cipher(
    { subtle, getRandomValues: (bytes) => bytes },
    { key, strings: "none", streams: "aes-256" },
  );
  const { writer, end } = writerOf({ ...NEW, references: "table", cipher: broken });
  await writer.addStream("", data("x"));
  await expect(end("")).rejects.toThrow("the cipher failed");
});
