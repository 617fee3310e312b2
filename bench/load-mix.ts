/** What the clients of `npm run load` send: for each operation of the registry what its callers usually send. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fieldsOf, valuesOf } from "./forms.ts";
import { root } from "../scripts/root.ts";
import { pdfPart, type Part } from "../test/harness/client.ts";
import { drawing, textPage } from "../test/harness/drawing-fixtures.ts";
import { encrypt } from "../test/harness/encrypted-fixtures.ts";
import { document, largeDocument } from "../test/harness/fixtures.ts";
import { makeJpeg } from "../test/harness/jpeg-fixtures.ts";

type Parts = Readonly<Record<string, Part>>;

/** A pixel's sample: photographs have no two equal ones beside each other. */
const slope = (x: number, y: number, channel: number): number => (x * 5 + y * 3 + channel * 60) % 256;

/** By the operation's name; more often the first of a list than the others. */
export async function loadMix(): Promise<Readonly<Record<string, readonly Parts[]>>> {
  const receipt = {
    bytes: new Uint8Array(await readFile(join(root, "examples/receipt.png"))),
    fileName: "receipt.png",
  };
  const report = {
    bytes: new Uint8Array(await readFile(join(root, "examples/report.md"))),
    fileName: "report.md",
  };
  const signed = pdfPart(new Uint8Array(await readFile(join(root, "examples/signed.pdf"))), "signed.pdf");
  const signer = {
    bytes: new Uint8Array(await readFile(join(root, "examples/signer.p12"))),
    fileName: "signer.p12",
  };
  const form = pdfPart(fieldsOf(40));
  const small = pdfPart(document({ name: "small", pages: 5, features: ["outline", "links", "form"] }));
  const hundred = pdfPart(document({ name: "hundred", pages: 100, features: ["outline", "tagged"] }));
  const megabytes = pdfPart(largeDocument(5));
  const locked = await encrypt(largeDocument(5), {
    cipher: "aes-256",
    userPassword: "user",
    ownerPassword: "owner",
  });
  const letter = pdfPart(drawing(textPage({ width: 612, height: 792, color: true })));
  const photograph = { bytes: makeJpeg({ width: 1_600, height: 1_200, components: 3 }, slope), fileName: "photo.jpg" };
  return {
    merge: [
      { file0: small, file1: small },
      { file0: hundred, file1: megabytes },
    ],
    split: [
      { file: small, mode: "pages" },
      { file: hundred, mode: "chunks", chunkSize: "10" },
    ],
    "extract-text": [{ file: small }, { file: hundred, words: "true" }],
    "extract-pages": [
      { file: small, range: "1-3" },
      { file: hundred, range: "odd" },
    ],
    "delete-pages": [
      { file: small, pages: "1" },
      { file: hundred, pages: "2-50" },
    ],
    "to-images": [{ file: letter }, { file: letter, format: "jpeg" }, { file: letter, dpi: "100", format: "webp" }],
    "from-images": [{ image0: photograph, image1: photograph }],
    "to-pdf": [{ file: report }, { file: report, pageSize: "letter", fontSize: "9" }],
    watermark: [
      { file: small, kind: "text", text: "DRAFT" },
      { file: hundred, kind: "text", text: "Entwurf", tile: "true" },
    ],
    protect: [
      { file: small, userPassword: "user" },
      { file: megabytes, userPassword: "user" },
    ],
    unlock: [{ file: pdfPart(locked), password: "user" }],
    sign: [
      {
        file: small,
        mode: "type",
        typedName: "Zoë Example",
        field: JSON.stringify({ page: 1, x: 50, y: 50, width: 150, height: 50 }),
      },
    ],
    seal: [{ file: small, certificate: signer, certificatePassword: "example" }],
    "verify-signatures": [{ file: signed }],
    "fill-form": [{ file: form, values: valuesOf(40, "Ada") }],
    flatten: [{ file: form }, { file: small }],
    repair: [{ file: small }],
    ocr: [{ file: receipt }],
    compress: [{ file: small }, { file: megabytes }],
    rotate: [
      { file: small, angle: "90" },
      { file: megabytes, angle: "180" },
    ],
    crop: [
      { file: small, margins: "20" },
      { file: letter, auto: "true" },
    ],
    "n-up": [
      { file: small, pagesPerSheet: "4" },
      { file: letter, layout: "booklet" },
    ],
    "add-page-numbers": [{ file: small }, { file: hundred, template: "{n} / {total}" }],
    attachments: [
      { file: small, action: "list" },
      { file: hundred, action: "add", attachment: photograph },
    ],
    outline: [
      { file: hundred, action: "get" },
      { file: small, action: "set", outline: '[{"title":"Load","page":1}]' },
    ],
    metadata: [
      { file: small, action: "get" },
      { file: hundred, action: "set", metadata: '{"title":"Load"}' },
    ],
  };
}
