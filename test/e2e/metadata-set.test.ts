import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { ciphers, encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { decompressed, MetadataCalls } from "../harness/requests/metadata-calls.ts";
import { smallDocument, withRevision, xmpPacket } from "../harness/fixtures/metadata-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check, runQpdf, showEncryption } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const calls = new MetadataCalls(service);

/** The output of a set, which qpdf has nothing to say against. */
async function changed(...call: Parameters<typeof calls.set>): Promise<Uint8Array> {
  const { body } = await calls.set(...call);
  expect(await check(body, call[2]?.["password"])).toMatchObject({ ok: true, warnings: [], errors: [] });
  return body;
}

/** As qpdf may write a string: its bytes, and its UTF-16, in hexadecimal. */
const hexOf = (text: string): string[] => {
  const bytes = Buffer.from(text, "latin1");
  return [bytes.toString("hex"), [...bytes].map((byte) => `00${byte.toString(16)}`).join("")];
};

describe("metadata set", () => {
  test("every entry is written for pdf.js, pdf-lib, and the XMP", async () => {
    const metadata = {
      title: "Bericht über 変更 😀 <&>",
      author: "Ann",
      subject: "About\nlines",
      keywords: "one, two",
      creator: "Writer",
      producer: "Maker",
      creationDate: "2026-01-02T03:04:05+02:00",
      ModDate: "2026-02-03T04:05:06Z",
      custom: { "Reviewed by": "Bo", Größe: "m²" },
    };
    const bytes = document({ name: "before", pages: 2, features: ["outline", "form"] });
    const output = await changed(bytes, metadata);
    const { info, xmp } = await openPdf(output);
    expect(info).toMatchObject({
      Title: metadata.title,
      Author: "Ann",
      Subject: "About\nlines",
      Keywords: "one, two",
      Creator: "Writer",
      Producer: "Maker",
      CreationDate: "D:20260102030405+02'00",
      ModDate: "D:20260203040506Z",
    });
    const other = await PDFDocument.load(output, { updateMetadata: false });
    expect([other.getTitle(), other.getSubject()]).toEqual([metadata.title, metadata.subject]);
    expect(other.getCreationDate()?.toISOString()).toBe("2026-01-02T01:04:05.000Z");
    expect(other.getModificationDate()?.toISOString()).toBe("2026-02-03T04:05:06.000Z");
    expect(xmp).toContain("Bericht über 変更 😀 &lt;&amp;&gt;");
    expect(xmp).toContain("2026-01-02T03:04:05+02:00");
    const { ModDate, ...same } = metadata;
    expect(await calls.get(output)).toMatchObject({ ...same, modificationDate: ModDate, pageCount: 2 });
  });

  test.each([
    { modDate: "2026-02-03T04:05:06Z", Title: "T", custom: { Version: 3 } },
    { mod_date: "2026-02-03T04:05:06Z", TITLE: "T", custom: { Version: "3" } },
  ])("an entry is known by its other names: %j", async (metadata) => {
    const output = await changed(document({ name: "before", pages: 1 }), metadata);
    const { info } = await openPdf(output);
    expect(info).toMatchObject({ Title: "T", ModDate: "D:20260203040506Z", Custom: { Version: "3" } });
  });

  test("unnamed entries stay, null clears one, and replace clears the rest", async () => {
    const bytes = smallDocument({ info: "/Title (T) /Author (A) /Own (O) /Gr#F6#DFe (L) /Trapped /True /N 7" });
    expect(await calls.get(await changed(bytes, { author: null, custom: { Größe: null } }))).toMatchObject({
      title: "T",
      author: null,
      custom: { Own: "O", Trapped: "True" },
    });
    expect(await calls.get(await changed(bytes, { custom: null }))).toMatchObject({
      title: "T",
      author: "A",
      custom: {},
    });
    const replaced = await changed(bytes, { subject: "S", custom: { Trapped: "False" } }, { replace: "true" });
    expect(await calls.get(replaced)).toMatchObject({
      title: null,
      author: null,
      subject: "S",
      custom: { Trapped: "False" },
    });
    expect(await decompressed(replaced)).toMatch(/\/Trapped \/False/);
    expect(await decompressed(replaced)).not.toMatch(/\/N 7/);
    expect(await calls.get(await changed(bytes, {}))).toEqual({ ...(await calls.get(bytes)), pdfVersion: "1.7" });
  });

  test("no old value is left anywhere in the bytes", async () => {
    const old = "Verschwinde-42";
    const title = (text: string): string =>
      `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li><rdf:li xml:lang="de">${text}</rdf:li></rdf:Alt></dc:title>`;
    const utf16 = `<FEFF${[...old].map((letter) => letter.charCodeAt(0).toString(16).padStart(4, "0")).join("")}>`;
    const first = smallDocument({
      info: `/Title 6 0 R /Author ${utf16} /Keywords (${old}) /Own (${old}) /Subject (kept)`,
      xmp: xmpPacket(`${title(old)}<pdf:Keywords>${old}</pdf:Keywords>`, `pdf:Author="${old}"`),
      objects: [`(${old})`, `<< /Unused (${old}) >>`],
    });
    const revised = withRevision(first, 4, `<< /Title 6 0 R /Author (${old}) /Own (${old}) /Subject (kept) >>`);
    const packed = await runQpdf(["--object-streams=generate", "/in.pdf", "/out.pdf"], { "/in.pdf": first });
    for (const bytes of [first, revised, packed.output ?? first]) {
      for (const [metadata, fields] of [
        [{ title: "New", author: "New", keywords: null, custom: { Own: null } }, {}],
        [{ title: "New", subject: "kept" }, { replace: "true" }],
      ] as const) {
        const all = await decompressed(await changed(bytes, metadata, fields));
        for (const form of [old, ...hexOf(old)]) expect(all.toLowerCase()).not.toContain(form.toLowerCase());
        expect(all).toContain("(kept)");
        expect(all).toContain("New");
      }
    }
  });

  test("PDF/A and PDF/UA identification stays, and the packet can be read without a PDF reader", async () => {
    const xmp = xmpPacket(
      '<pdfuaid:part xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">1</pdfuaid:part><xmp:CreatorTool>W</xmp:CreatorTool>',
      'pdfaid:part="2" pdfaid:conformance="A"',
    );
    const output = await changed(smallDocument({ info: "/Title (T)", xmp }), { title: "New", custom: { Own: "x" } });
    const text = Buffer.from(output).toString("utf8");
    for (const part of [
      'pdfaid:part="2" pdfaid:conformance="A"',
      "1</pdfuaid:part>",
      ">W</xmp:CreatorTool>",
      ">New<",
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain("pdfx:");
  });

  test("unreadable XMP is dropped, and none is added", async () => {
    const output = await changed(smallDocument({ info: "/Title (Old)", xmp: Buffer.from("<rdf:RDF>Old") }), {
      title: "New",
    });
    expect(await decompressed(output)).not.toMatch(/Old|\/Metadata/);
    expect(await decompressed(await changed(smallDocument({}), { title: "New" }))).not.toContain("/Metadata");
  });

  test.each(ciphers)("encryption with %s is kept", async (cipher) => {
    // qpdf can leave the XMP readable from revision 4 on.
    const restrictions = cipher.startsWith("aes") ? ["--cleartext-metadata"] : [];
    const bytes = await encrypt(document({ name: "locked", pages: 1 }), {
      cipher,
      userPassword: "user",
      ownerPassword: "owner",
      restrictions,
    });
    const before = await showEncryption(bytes, "user");
    const output = await changed(bytes, { title: "Neuer Titel" }, { password: "user" });
    const { method, permissions, text } = await showEncryption(output, "owner");
    expect([method, permissions]).toEqual([before.method, before.permissions]);
    expect(text).not.toMatch(/WARNING/);
    const { info, xmp } = await openPdf(output, { password: "user" });
    expect(info["Title"]).toBe("Neuer Titel");
    expect(xmp).toContain("Neuer Titel");
    expect(Buffer.from(output).includes("Neuer Titel")).toBe(restrictions.length > 0);
  });
});

test("merge keeps the first document's XMP in step with the given title and author", async () => {
  const file = document({ name: "first", pages: 1 });
  const response = await post(service, "merge", {
    file0: pdfPart(file),
    file1: pdfPart(document({ name: "second", pages: 1 })),
    title: "Beide",
    author: "Ann",
  });
  const { info, xmp } = await openPdf(response.body);
  expect(info).toMatchObject({ Title: "Beide", Author: "Ann" });
  expect(xmp).toMatch(/>Beide<[^]*>Ann</);
  expect(xmp).not.toContain("Title of first");
});
