/** What `npm run measure -- bench` lets every operation do, and the program that a user would take instead, with its arguments. */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fieldsOf, valuesOf } from "./forms.ts";
import { root } from "../scripts/root.ts";
import { pdfPart, type Part } from "../test/harness/requests/client.ts";
import { drawing, textPage } from "../test/harness/fixtures/drawing-fixtures.ts";
import { encrypt } from "../test/harness/fixtures/encrypted-fixtures.ts";
import { document } from "../test/harness/fixtures/fixtures.ts";
import { largeJpeg } from "../test/harness/images/jpeg-fixtures.ts";
import { brochure } from "../test/harness/images/jpeg-document-fixtures.ts";

export interface Work {
  readonly name: string;
  readonly operation: string;
  readonly parts: Readonly<Record<string, Part>>;
  /** How many times the other program's time the service may take, or how many ms, where that is laid down. */
  readonly atMost?: { readonly ratio: number } | { readonly ms: number };
  /** The same work by another program, where there is one; `inputs` are paths of the files, `output` one in an empty folder. */
  readonly other?: (inputs: readonly string[], output: string) => readonly [program: string, ...args: string[]];
}

const files = (...all: readonly Uint8Array[]): Record<string, Part> =>
  Object.fromEntries(all.map((bytes, index) => [`file${index}`, pdfPart(bytes)]));
const file = (bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}): Record<string, Part> => ({
  file: pdfPart(bytes),
  ...fields,
});

const merge = (name: string, ...all: readonly Uint8Array[]): Work => ({
  name,
  operation: "merge",
  parts: files(...all),
  atMost: { ratio: 0.9 },
  other: (inputs, output) => ["qpdf", "--empty", "--pages", ...inputs, "--", output],
});
const split = (name: string, bytes: Uint8Array): Work => ({
  name,
  operation: "split",
  parts: file(bytes, { mode: "pages" }),
  atMost: { ratio: 1.2 },
  other: (inputs, output) => ["qpdf", "--split-pages", ...inputs, output],
});
const extract = (name: string, bytes: Uint8Array, page: string): Work => ({
  name,
  operation: "extract-pages",
  parts: file(bytes, { range: page }),
  other: ([input = ""], output) => ["qpdf", "--empty", "--pages", input, page, "--", output],
});
const rotate = (name: string, bytes: Uint8Array): Work => ({
  name,
  operation: "rotate",
  parts: file(bytes, { angle: "90" }),
  other: (inputs, output) => ["qpdf", ...inputs, "--rotate=+90", output],
});
const protect = (name: string, bytes: Uint8Array): Work => ({
  name,
  operation: "protect",
  parts: file(bytes, { userPassword: "user", ownerPassword: "owner" }),
  atMost: { ratio: 1.6 },
  other: (inputs, output) => ["qpdf", "--encrypt", "user", "owner", "256", "--", ...inputs, output],
});
const compress = (name: string, bytes: Uint8Array): Work => ({
  name,
  operation: "compress",
  parts: file(bytes),
  other: ([input = ""], output) => [
    ...(["gs", "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pdfwrite", "-dPDFSETTINGS=/ebook"] as const),
    `-sOutputFile=${output}`,
    input,
  ],
});
const toImages = (name: string, bytes: Uint8Array, format: "png" | "jpeg"): Work => ({
  name,
  operation: "to-images",
  parts: file(bytes, { dpi: "150", format }),
  ...(format === "jpeg" && { atMost: { ratio: 1.3 } }),
  other: ([input = ""], output) => ["pdftoppm", `-${format}`, "-r", "150", input, output],
});
const fill = (name: string, value: string): Work => ({
  name,
  operation: "fill-form",
  parts: file(fieldsOf(200), { values: valuesOf(200, value) }),
});

const readAll = (name: string, bytes: Uint8Array): Work => ({
  name,
  operation: "extract-text",
  parts: file(bytes),
  atMost: { ratio: 1.4 },
  other: ([input = ""], output) => ["mutool", "draw", "-q", "-F", "txt", "-o", output, input],
});

/** A phrase that no document contains: `redact` reads everything and changes nothing. */
const ABSENT = "sesquipedalian zymurgy";

/** Everything that a whole program can do as well, for a document that somebody has. */
export async function worksOn(path: string): Promise<Work[]> {
  const bytes = new Uint8Array(await readFile(path));
  const name = basename(path);
  return [
    merge(`merge ten of ${name}`, ...Array.from({ length: 10 }, () => bytes)),
    split(`split ${name}`, bytes),
    extract(`extract 1 of ${name}`, bytes, "1"),
    rotate(`rotate ${name}`, bytes),
    readAll(`read ${name}`, bytes),
    toImages(`draw ${name}`, bytes, "jpeg"),
    protect(`protect ${name}`, bytes),
    { name: `redact ${name}`, operation: "redact", parts: file(bytes, { terms: JSON.stringify([ABSENT]) }) },
  ];
}

/** The works on documents that the project makes itself. */
export async function works(): Promise<readonly Work[]> {
  const chapters = Array.from({ length: 10 }, (_, index) =>
    document({
      name: `file ${index}`,
      pages: 14,
      features: ["outline", "links", "image-per-page"],
      imageBytes: 20_000,
      seed: index + 1,
    }),
  );
  const hundred = document({
    name: "hundred",
    pages: 100,
    features: ["outline", "links", "destinations", "labels", "shared-image", "image-per-page"],
    imageBytes: 10_000,
  });
  const megabyte = document({
    name: "megabyte",
    pages: 20,
    features: ["outline", "image-per-page"],
    imageBytes: 50_000,
  });
  const small = document({ name: "small", pages: 1, features: ["image-per-page"], imageBytes: 48_000 });
  const page = textPage({ width: 612, height: 792, color: true });
  const fourteen = drawing(...Array.from({ length: 14 }, () => page));
  const photographs = Array.from({ length: 10 }, (_, index) => [
    `image${index}`,
    { bytes: largeJpeg(3_000_000, index + 1), fileName: `photo ${index}.jpg` },
  ]);
  const receipt = new Uint8Array(await readFile(join(root, "examples/receipt.png")));
  const field = JSON.stringify({ page: 1, x: 72, y: 600, width: 200, height: 60 });
  const stamped = { kind: "text", text: "Confidential", position: "diagonal" };
  return [
    merge("merge ten files of 14 pages", ...chapters),
    split("split 100 pages", hundred),
    split("split 174 pages", document({ name: "book", pages: 174, features: ["outline", "links", "shared-image"] })),
    extract("extract page 50 of 100", hundred, "50"),
    rotate("rotate 100 pages", hundred),
    rotate("rotate a file of 1 MB", megabyte),
    { ...rotate("rotate a page of 50 KB", small), atMost: { ms: 8 } },
    { name: "read 14 pages of text", operation: "extract-text", parts: file(fourteen), other: readText },
    readAll("read 150 pages of text", drawing(...Array.from({ length: 150 }, () => page))),
    toImages("14 pages as PNG at 150 dpi", fourteen, "png"),
    toImages("14 pages as JPEG at 150 dpi", fourteen, "jpeg"),
    {
      name: "ten JPEGs of 3 MB",
      operation: "from-images",
      parts: Object.fromEntries(photographs),
      atMost: { ms: 500 },
    },
    {
      name: "recognize a receipt",
      operation: "ocr",
      parts: { file: { bytes: receipt, fileName: "r.png" } },
      other: ocr,
    },
    { name: "watermark 100 pages", operation: "watermark", parts: file(hundred, stamped), atMost: { ms: 150 } },
    { name: "number 100 pages", operation: "add-page-numbers", parts: file(hundred), atMost: { ms: 150 } },
    {
      name: "sign one of 100 pages",
      operation: "sign",
      parts: file(hundred, { mode: "type", typedName: "Ada", field }),
    },
    fill("fill 200 fields", "Ada Lovelace"),
    fill("fill 200 fields in Arabic", "\u0645\u0631\u062d\u0628\u0627"),
    {
      name: "read metadata of 100 pages",
      operation: "metadata",
      parts: file(hundred, { action: "get" }),
      other: facts,
    },
    { name: "crop 100 pages", operation: "crop", parts: file(hundred, { margins: "20" }) },
    { name: "crop 14 pages to their ink", operation: "crop", parts: file(fourteen, { auto: "true" }) },
    { name: "crop 100 pages, removing", operation: "crop", parts: file(hundred, { margins: "20", remove: "true" }) },
    {
      name: "put 100 pages on 25 sheets",
      operation: "n-up",
      parts: file(hundred, { pagesPerSheet: "4" }),
    },
    {
      name: "attach a file of 1 MB",
      operation: "attachments",
      parts: { ...file(hundred, { action: "add" }), attachment: pdfPart(megabyte) },
      other: ([input = "", added = ""], output) => ["qpdf", input, "--add-attachment", added, "--", output],
    },
    { name: "read the outline of 100 pages", operation: "outline", parts: file(hundred, { action: "get" }) },
    {
      name: "redact a word on 14 pages of text",
      operation: "redact",
      parts: file(fourteen, { terms: JSON.stringify(["fox"]) }),
    },
    {
      name: "redact e-mail addresses in 100 pages",
      operation: "redact",
      parts: file(hundred, { patterns: JSON.stringify(["email"]) }),
    },
    { name: "repair 100 pages", operation: "repair", parts: file(hundred) },
    { name: "flatten 200 fields", operation: "flatten", parts: file(fieldsOf(200)) },
    protect("protect 100 pages", hundred),
    protect("protect a file of 1 MB", megabyte),
    {
      name: "unlock a file of 1 MB",
      operation: "unlock",
      parts: file(await encrypt(megabyte, { cipher: "aes-256", userPassword: "user", ownerPassword: "owner" }), {
        password: "user",
      }),
      other: ([input = ""], output) => ["qpdf", "--password=user", "--decrypt", input, output],
    },
    compress("compress twelve photographs", brochure(12)),
  ];
}

const readText: NonNullable<Work["other"]> = ([input = ""], output) => ["pdftotext", input, output];
const facts: NonNullable<Work["other"]> = ([input = ""]) => ["pdfinfo", input];
const ocr: NonNullable<Work["other"]> = ([input = ""]) => ["tesseract", input, "-"];
