import { describe, expect, test } from "vitest";
import { type Cipher, ciphers, encrypt, withEncryption } from "../harness/fixtures/encrypted-fixtures.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { withPrefix } from "../harness/fixtures/fixtures.ts";
import { signedDocument } from "../harness/fixtures/metadata-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { check } from "../harness/engines/qpdf.ts";
import {
  hybridDocument,
  withGenerations,
  withObjectStreams,
  withRevisions,
  withTail,
} from "../harness/fixtures/revision-fixtures.ts";
import { type ApiResponse, type Part, post, pdfPart } from "../harness/requests/client.ts";
import { stamp } from "../harness/requests/stamp-calls.ts";
import { withSignature } from "../harness/signatures/updates.ts";
import { ownServer } from "./own-server.ts";

const service = ownServer();
const password = "user";
const mark = { kind: "text", text: "Marked", fontSize: "20" } as const;

const send = (operation: string, bytes: Uint8Array, fields: Readonly<Record<string, Part>>): Promise<ApiResponse> =>
  post({ ...service, key: service.liveKey }, operation, { file: pdfPart(bytes), ...fields });

/** What follows the document in the response, as text. Fails unless the response begins with the document. */
function updateIn(body: Uint8Array, bytes: Uint8Array): string {
  expect(Buffer.compare(body.subarray(0, bytes.length), bytes)).toBe(0);
  return Buffer.from(body.subarray(bytes.length)).toString("latin1");
}

const pdfiumText = async (body: Uint8Array, secret?: string): Promise<string> =>
  (await readPdfiumPage(body, 0, { width: 200, height: 100, password: secret })).text;

describe("signed documents", () => {
  test.each<[string, () => Uint8Array | Promise<Uint8Array>, "table" | "stream"]>([
    ["with a cross-reference table", () => signedDocument(), "table"],
    ["with object streams", () => withObjectStreams(signedDocument()), "stream"],
    ["for old and new readers", hybridDocument, "table"],
    ["with bytes before its header", () => withPrefix(signedDocument()), "table"],
    ["with bytes behind its end", () => withTail(signedDocument()), "table"],
    ["with objects of other generations", () => withGenerations(signedDocument()), "table"],
    ["after 100 updates", () => withRevisions(signedDocument(), 100), "table"],
  ])("a signed document is appended to %s", async (_name, make, kind) => {
    const bytes = await make();
    expect((await check(bytes)).ok).toBe(true);
    const { body } = await stamp("watermark", bytes, mark);
    expect((await check(body)).ok).toBe(true);
    const update = updateIn(body, bytes);
    expect(update.includes("\ntrailer\n")).toBe(kind === "table");
    expect(update.includes("/Type/XRef")).toBe(kind === "stream");
    const previous = /startxref\s+(\d+)\s+%%EOF[^%]*$/.exec(Buffer.from(bytes).toString("latin1"))?.[1];
    expect(update).toContain(`/Prev ${previous}`);
    for (const text of [(await openPdf(body)).pages[0]?.text, await pdfiumText(body)]) {
      expect(text).toContain("Marked");
      expect(text?.includes("Kept")).toBe(make === hybridDocument);
    }
  });

  test.each(["rotate", "ocr"])(
    "a signed document is appended to by %s, with a header that reports a broken signature",
    async (operation) => {
      const fields = operation === "rotate" ? { angle: "90" } : { output: "pdf" };
      const bytes = await withSignature(signedDocument());
      const { body, headers } = await send(operation, bytes, fields);
      // There is no text to recognize.
      expect(headers.get("X-Signature-Invalidated")).toBe(operation === "rotate" ? "true" : null);
      updateIn(body, bytes);
      expect((await check(body)).ok).toBe(true);
    },
  );
});

describe("encrypted signed documents", () => {
  const title = "Titled (\\ 1)";
  const locked = (cipher: Cipher): Promise<Uint8Array> =>
    encrypt(signedDocument(), { cipher, userPassword: password, ownerPassword: "owner" });

  /** Stamps a document, then sets its title. Returns the stamped file, and the update with the title. */
  async function change(bytes: Uint8Array): Promise<readonly [Uint8Array, string]> {
    const marked = await stamp("watermark", bytes, { ...mark, password });
    expect((await openPdf(marked.body, { password })).pages[0]?.text).toContain("Marked");
    expect(updateIn(marked.body, bytes)).not.toContain("Marked");
    const metadata = JSON.stringify({ title });
    const { body } = await stamp("metadata", marked.body, { action: "set", metadata, password });
    expect((await openPdf(body, { password })).info["Title"]).toBe(title);
    expect((await check(body, password)).ok).toBe(true);
    return [marked.body, updateIn(body, marked.body)];
  }

  test.each(ciphers)("an encrypted signed document is appended to with its encryption %s", async (cipher) => {
    const [marked, update] = await change(await locked(cipher));
    expect(await pdfiumText(marked, password)).toContain("Marked");
    expect(update).not.toContain("Titled");
  });

  // PDFium opens no such file.
  test("an encrypted signed document is appended to with aes-128 for streams only", async () => {
    const identity = (dictionary: string): string => dictionary.replace("/StrF /StdCF", "/StrF /Identity");
    const [, update] = await change(withEncryption(await locked("aes-128"), identity));
    expect(update).toContain("Titled");
  });
});

describe("unsigned documents", () => {
  const outline = JSON.stringify([{ title: "Start", page: 1 }]);
  const signature = JSON.stringify({ page: 1, x: 20, y: 20, width: 100, height: 40 });
  const added = { action: "add", attachment: { bytes: new Uint8Array(10), fileName: "data.bin" } };
  /** One page, and objects that no operation here changes, with what a rewrite would change: digits, names, and hexadecimal strings. */
  const document = (): Uint8Array =>
    drawing({
      width: 300,
      height: 200,
      content: "0.123456789 0 0 rg 10.123456789 10 20 20 re f",
      resources: "/ExtGState << /G#31 $0 >>",
      objects: [{ entries: "/LW 768.932039 /Text <41 42>", data: Uint8Array.of(65) }],
    });

  test.each<[string, Readonly<Record<string, Part>>]>([
    ["rotate", { angle: "90" }],
    ["crop", { margins: "5" }],
    ["watermark", { kind: "text", text: "Marked" }],
    ["add-page-numbers", {}],
    ["sign", { mode: "type", typedName: "Ada", field: signature }],
    ["outline", { action: "set", outline }],
    ["attachments", added],
    ["ocr", { output: "pdf" }],
  ])("an unsigned document is appended to by %s: unchanged objects keep their bytes", async (operation, fields) => {
    const bytes = document();
    const { status, body } = await send(operation, bytes, fields);
    expect(status).toBe(200);
    expect(updateIn(body, bytes)).toContain("/Prev ");
    expect((await check(body)).ok).toBe(true);
  });

  test.each<[string, Readonly<Record<string, Part>>]>([
    ["metadata", { action: "set", metadata: JSON.stringify({ title: "New" }) }],
    ["flatten", {}],
    ["crop", { margins: "5", remove: "true" }],
  ])("an unsigned document is rewritten by %s, which removes the old objects", async (operation, fields) => {
    const bytes = document();
    const { status, body } = await send(operation, bytes, fields);
    expect(status).toBe(200);
    expect(
      Buffer.from(body)
        .toString("latin1")
        .match(/startxref/g),
    ).toHaveLength(1);
    expect((await check(body)).ok).toBe(true);
  });

  test("an unsigned document is rewritten if it is damaged", async () => {
    const bytes = document();
    const start = Buffer.from(bytes).lastIndexOf("startxref");
    const { status, headers, body } = await send("rotate", bytes.subarray(0, start), { angle: "90" });
    expect(status).toBe(200);
    expect(headers.get("X-Input-Repaired")).toBe("true");
    expect((await check(body)).ok).toBe(true);
  });

  test("an unsigned document is appended to by each step of a pipeline", async () => {
    const bytes = document();
    const steps = JSON.stringify([
      { operation: "rotate", angle: 90 },
      { operation: "watermark", ...mark },
    ]);
    const { status, body } = await send("pipeline", bytes, { steps });
    expect(status).toBe(200);
    expect(updateIn(body, bytes).match(/startxref/g)).toHaveLength(2);
    expect((await check(body)).ok).toBe(true);
    expect((await openPdf(body)).pages[0]?.text).toContain("Marked");
  });
});
