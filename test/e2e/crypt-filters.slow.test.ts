import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type ApiResponse, type Service } from "../harness/requests/client.ts";
import { encrypt, withEncryption } from "../harness/fixtures/encrypted-fixtures.ts";
import { documentsOf } from "../harness/requests/parts.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { latin1, pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { check, showEncryption } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const password = "user";

/** One page with text, and no strings outside of its content; the last stream is empty. */
const page: readonly PdfObject[] = [
  "<< /Type /Catalog /Pages 2 0 R >>",
  "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Kept [5 0 R 6 0 R] /Resources \
<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >> >> >>",
  { entries: "", data: latin1("BT /F 12 Tf 20 20 Td (Kept) Tj ET") },
];
const plain = pdf([...page, { entries: "", data: latin1("% kept") }, { entries: "", data: latin1("") }], "/Root 1 0 R");

const keeping: [string, Record<string, string>][] = [
  ["rotate", { angle: "90" }],
  ["metadata", { action: "set", metadata: '{"title":"New"}' }],
  ["watermark", { kind: "text", text: "Draft" }],
  ["compress", { stripMetadata: "true" }],
  ["extract-pages", { range: "1" }],
  ["split", { mode: "pages" }],
  ["ocr", { output: "pdf" }],
];

function send(operation: string, fields: Record<string, string>, bytes: Uint8Array): Promise<ApiResponse> {
  return post(service, operation, { file: pdfPart(bytes), password, ...fields });
}

/** With the crypt filters in objects of their own (8 and 9), where the dictionary refers to them. */
function filtersApart(bytes: Uint8Array): Uint8Array {
  const [, filter = ""] = /\/StdCF (<< .*? >>)/.exec(Buffer.from(bytes).toString("latin1")) ?? [];
  return withEncryption(bytes, (dictionary) => dictionary.replace(`<< /StdCF ${filter} >>`, "8 0 R"), {
    8: "<< /StdCF 9 0 R >>",
    9: filter,
  });
}

describe.each(["aes-128", "aes-256"] as const)("%s with crypt filters in objects of their own", (cipher) => {
  test.each(keeping)("the encryption is kept by %s", async (operation, fields) => {
    const locked = filtersApart(await encrypt(plain, { cipher, userPassword: password, ownerPassword: "owner" }));
    const response = await send(operation, fields, locked);
    expect([response.status, response.code]).toEqual([200, undefined]);
    for (const { bytes } of documentsOf(response)) {
      expect(await check(bytes, password)).toMatchObject({ ok: true });
      expect((await showEncryption(bytes, password)).method).toBe(cipher === "aes-128" ? "AESv2" : "AESv3");
      expect((await openPdf(bytes, { password })).pages[0]?.text).toContain("Kept");
    }
  });
});

const clear = "<< /Filter [/Crypt] /DecodeParms [<< /Name /Identity >>] /Length 6 >>\nstream\n% kept\nendstream";
const refusing = keeping.filter(([operation]) => operation === "extract-pages");
const mixed: [string, (dictionary: string) => string, Record<number, string>][] = [
  ["strings are not encrypted and streams are", (text) => text.replace("/StrF /StdCF", "/StrF /Identity"), {}],
  ["streams are not encrypted and strings are", (text) => text.replace("/StmF /StdCF", "/StmF /Identity"), {}],
  [
    "only attachments are encrypted, by a key that hangs on object numbers",
    (text) => text.replace("/StmF /StdCF /StrF /StdCF", "/StmF /Identity /StrF /Identity /EFF /StdCF"),
    {},
  ],
  ["a stream is not encrypted and says so", (text) => text, { 5: clear }],
];

describe.each(mixed)("partly encrypted: %s", (_, change, objects) => {
  const file = async (): Promise<Uint8Array> => {
    const locked = await encrypt(plain, { cipher: "aes-128", userPassword: password, ownerPassword: "owner" });
    return withEncryption(locked, change, objects);
  };

  test.each(refusing)(
    "a partly encrypted document is refused by %s, which would have to keep its encryption",
    async (operation, fields) => {
      const response = await send(operation, fields, await file());
      expect([response.status, response.code]).toEqual([400, "unsupported_encryption"]);
      expect(JSON.parse(Buffer.from(response.body).toString())).toMatchObject({
        error: { details: { input: "file" } },
      });
    },
  );
});

/** The other two only say that something is not encrypted, which is. */
const sound = mixed.filter(([name]) => /^strings|says so$/.test(name));

describe.each(sound)("partly encrypted and kept: %s", (_, change, objects) => {
  // One appends, the other rewrites the file.
  test.each(keeping.slice(0, 2))(
    "a partly encrypted document keeps its encryption in %s",
    async (operation, fields) => {
      const locked = await encrypt(plain, { cipher: "aes-128", userPassword: password, ownerPassword: "owner" });
      const response = await send(operation, fields, withEncryption(locked, change, objects));
      expect([response.status, response.code]).toEqual([200, undefined]);
      expect(await check(response.body, password)).toMatchObject({ ok: true });
      expect((await showEncryption(response.body, password)).method).toBe("AESv2");
      expect((await openPdf(response.body, { password })).pages[0]?.text).toContain("Kept");
    },
  );
});

describe("empty owner password", () => {
  test.each(keeping)(
    "a document that the empty password opens as its owner needs no password for %s, and keeps its passwords",
    async (operation, fields) => {
      const restrictions = ["--allow-insecure", "--modify=none"];
      const locked = await encrypt(plain, {
        cipher: "aes-256",
        userPassword: password,
        ownerPassword: "",
        restrictions,
      });
      const response = await post(service, operation, { file: pdfPart(locked), ...fields });
      expect([response.status, response.code]).toEqual([200, undefined]);
      for (const { bytes } of documentsOf(response)) {
        expect(await check(bytes, password)).toMatchObject({ ok: true });
        expect((await showEncryption(bytes, password)).text).toContain("Supplied password is user password");
        expect((await showEncryption(bytes, "")).text).toContain("Supplied password is owner password");
      }
    },
  );

  test("protect replaces the restrictions of a document that the empty password opens as its owner", async () => {
    const restrictions = ["--allow-insecure", "--modify=none"];
    const locked = await encrypt(plain, { cipher: "aes-256", userPassword: password, ownerPassword: "", restrictions });
    const response = await post(service, "protect", { file: pdfPart(locked), userPassword: "new" });
    expect([response.status, response.code]).toEqual([200, undefined]);
    expect((await openPdf(response.body, { password: "new" })).pages[0]?.text).toContain("Kept");
  });
});
