/** What `npm run measure -- memory` lets the service do, on documents of 25 MiB and of many pages, fields, pixels or letters. */
import { fieldsOf, valuesOf } from "./forms.ts";
import { jpegParts } from "./from-images.ts";
import { pdfPart, type Part } from "../test/harness/requests/client.ts";
import { drawing, type DrawnPage, textPage } from "../test/harness/fixtures/drawing-fixtures.ts";
import { encrypt } from "../test/harness/fixtures/encrypted-fixtures.ts";
import { document, largeDocument } from "../test/harness/fixtures/fixtures.ts";
import { brochure, scanOf, scans } from "../test/harness/images/jpeg-document-fixtures.ts";
import { flate } from "../test/harness/fixtures/pdf-writer.ts";
import { show, showCodes, textDocument, type TextPage } from "../test/harness/fixtures/text-fixtures.ts";

export interface Call {
  readonly operation: string;
  readonly parts: Readonly<Record<string, Part>>;
  /** Sent as a job, whose parts the same isolate works on. */
  readonly isJob?: true;
  /** A client that sends or reads at so many bytes a second for a while, and then leaves. */
  readonly slow?: { readonly client: "reader" | "sender"; readonly bytesPerSecond: number };
}

const merge = (files: readonly Uint8Array[]): Call => ({
  operation: "merge",
  parts: Object.fromEntries(files.map((bytes, index) => [`file${index}`, pdfPart(bytes)])),
});
const split = (bytes: Uint8Array): Call => ({ operation: "split", parts: { file: pdfPart(bytes), mode: "pages" } });
const rotate = (bytes: Uint8Array): Call => ({ operation: "rotate", parts: { file: pdfPart(bytes), angle: "90" } });
const protect = (bytes: Uint8Array): Call => ({
  operation: "protect",
  parts: { file: pdfPart(bytes), userPassword: "user" },
});

const fromImages = (count: number, bytes: number): Call => ({
  operation: "from-images",
  parts: jpegParts(count, bytes),
});

const extract = (bytes: Uint8Array, fields: Record<string, string> = {}): Call => ({
  operation: "extract-text",
  parts: { file: pdfPart(bytes), ...fields },
});

/** Pages of so many characters each, in lines of 100. Letters below a space are codes of the font `F2`. */
function pagesOf(pages: number, characters: number, text: string): TextPage[] {
  const line = text.repeat(Math.ceil(100 / text.length)).slice(0, 100);
  const codes = Array.from(line, (letter) => letter.charCodeAt(0));
  const lines = Array.from({ length: Math.ceil(characters / 100) }, (_, index) => {
    const y = 790 - index * 7;
    return text.charCodeAt(0) < 32 ? showCodes(codes, 10, y, 4) : show(line, 10, y, 4);
  });
  return Array.from({ length: pages }, () => ({ content: lines.join("\n") }));
}

const images = (bytes: Uint8Array, fields: Readonly<Record<string, string>>): Call => ({
  operation: "to-images",
  parts: { file: pdfPart(bytes), ...fields },
});
const ocr = (bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}): Call => ({
  operation: "ocr",
  parts: { file: pdfPart(bytes), mode: "force", ...fields },
});
const jobOf = (call: Call): Call => ({ ...call, isJob: true });
const archive = (bytes: Uint8Array): Call => ({ operation: "archive", parts: { file: pdfPart(bytes) } });
const compress = (bytes: Uint8Array): Call => ({ operation: "compress", parts: { file: pdfPart(bytes) } });

const stamp = (operation: string, bytes: Uint8Array, fields: Readonly<Record<string, string>>): Call => ({
  operation,
  parts: { file: pdfPart(bytes), ...fields },
});

const pipeline = (parts: Call["parts"], ...steps: readonly object[]): Call => ({
  operation: "pipeline",
  parts: { ...parts, steps: JSON.stringify(steps) },
});

/** A call of each kind, on a megabyte at most; the last takes longest. */
export function smallCalls(): readonly Call[] {
  const small = document({ name: "small", pages: 5, features: ["outline", "links", "form"] });
  const megabyte = largeDocument(1);
  const oneLine = drawing({
    width: 300,
    height: 60,
    content: "BT /F1 12 Tf 20 30 Td (Letters to be recognized) Tj ET",
  });
  const plain = [merge([small, megabyte]), split(megabyte), rotate(megabyte), protect(small), extract(small)];
  return [...plain, compress(small), fromImages(2, 500_000), ocr(oneLine)];
}

const page = textPage({ width: 612, height: 792, color: true });
const letter = drawing(page);
/** Letter, scanned in gray at 300 dpi, uncompressed, with grain. */
const scan = drawing({
  width: 612,
  height: 792,
  content: "q 612 0 0 792 0 0 cm /I Do Q",
  resources: "/XObject << /I $0 >>",
  objects: [
    {
      entries: "/Type /XObject /Subtype /Image /Width 2550 /Height 3300 /ColorSpace /DeviceGray /BitsPerComponent 8",
      data: Uint8Array.from({ length: 2550 * 3300 }, (_, index) => 200 + (Math.imul(index, 2_654_435_761) >>> 27)),
    },
  ],
});
/** Pages of 2000 x 2600 pixels in color, such as from-images makes of PNGs: light grain, and dark blocks where letters would be. */
const colorScan = ((): DrawnPage => {
  const [width, height] = [2000, 2600];
  const samples = new Uint8Array(width * height * 3);
  for (let at = 0, random = 1; at < samples.length; at++) {
    if (at % 48 === 0) random = (Math.imul(random, 1_664_525) + 1_013_904_223) | 0;
    const [x, y] = [Math.trunc(at / 3) % width, Math.trunc(at / 3 / width)];
    const isInk = y % 40 < 24 && x % 20 < 12 && Math.trunc(x / 100) % 5 > 0 && y % 400 > 300;
    samples[at] = (isInk ? 20 : 255) - (at % 48 === 0 && !isInk ? random >>> 29 : 0);
  }
  const size = `/Width ${width} /Height ${height} /BitsPerComponent 8`;
  return {
    width,
    height,
    content: `q ${width} 0 0 ${height} 0 0 cm /I Do Q`,
    resources: "/XObject << /I $0 >>",
    objects: [flate(samples, `/Type /XObject /Subtype /Image ${size} /ColorSpace /DeviceRGB`)],
  };
})();
const colorScans = drawing(...Array.from({ length: 50 }, () => colorScan));
const twenty = drawing(...Array.from({ length: 20 }, () => page));
const twoHundred = drawing(...Array.from({ length: 200 }, () => page));
const large = largeDocument(25);
const lockedLarge = await encrypt(large, { cipher: "aes-256", userPassword: "user", ownerPassword: "owner" });
const largeForm = document({
  name: "large",
  pages: 100,
  features: ["image-per-page", "form"],
  imageBytes: 256 * 1024,
});
const SIGNATURE = JSON.stringify({ page: 1, x: 72, y: 650, width: 200, height: 60 });
const FILLED = JSON.stringify({ "person.name": "\u041f\u0440\u0438\u0432\u0456\u0442", agree: false });
// The form around the file takes a little of the 32 MiB that a body may have.
const largest = largeDocument(31.9);
/** About as much text as one response may hold: Latin, of one byte a character, and other, of two. */
const longText = textDocument(pagesOf(400, 9_600, "Lorem ipsum "));
const cyrillic = textDocument(pagesOf(400, 9_600, "\u0001\u0002\u0003\u0002"), ["\u043f", "\u0440", "\u0443"]);
const largeText = textDocument(pagesOf(2_400, 9_600, "Lorem ipsum "));
/** Color scans of A4 at 300 dpi. */
const archivedScans = scanOf(30 * 1024 ** 2);
const manyWords = textDocument(pagesOf(100, 2_980, "w "));
const manyFields = fieldsOf(19_000, (index) => `/V (value ${index})`, "/NeedAppearances true");
const arabicLabel = { template: "\u0635\u0641\u062d\u0629 {n}" };
const halves = [largeDocument(12.5), largeDocument(12.5)];
const megabyte = [largeDocument(0.5), largeDocument(0.5)];
const photographs = brochure(12);
/** Fifty pages in A4, scanned at 300 dpi. */
const fifty = scans(50, 2480, 3508);
/** A part of the picture of each of the first 20 pages. */
const REGIONS = JSON.stringify(
  Array.from({ length: 20 }, (_, index) => ({ page: index + 1, x: 100, y: 100, width: 100, height: 100 })),
);
const OUTLINE = JSON.stringify(
  Array.from({ length: 100 }, (_, index) => ({ title: `Page ${index}`, page: index + 1 })),
);
const steps = {
  rotate: { operation: "rotate", angle: 90 },
  watermark: { operation: "watermark", kind: "text", text: "Draft" },
  numbers: { operation: "add-page-numbers" },
  pages: { operation: "extract-pages", range: "all" },
  compress: { operation: "compress" },
  merge: { operation: "merge", file1: "part:end" },
  protect: { operation: "protect", userPassword: "user" },
};
const { rotate: turn, watermark, numbers, pages, compress: smaller, merge: append, protect: lock } = steps;
const tenSteps = [turn, watermark, numbers, pages, smaller, turn, append, watermark, pages, lock];
const [firstHalf = large, secondHalf = large] = halves;
/** At a fifth of the speed that admission calls fair, and at twice that speed. */
const slowReader: Call = {
  ...images(twoHundred, { dpi: "150" }),
  slow: { client: "reader", bytesPerSecond: 50 * 1024 },
};
const slowSender: Call = { ...rotate(largeDocument(12.5)), slow: { client: "sender", bytesPerSecond: 512 * 1024 } };
const each = [[merge(halves)], [split(large)], [rotate(large)], [protect(large)]];
/** For a server with more memory: operations on a scan of 51 MiB. */
export function largeWorks(): [string, Call[][]][] {
  const file = scanOf(51 * 1024 ** 2);
  const name = (operation: string): string => `${operation} of a scan of ${(file.length / 1024 ** 2).toFixed(1)} MiB`;
  return [
    [name("merge"), [[merge([file, megabyte[0] ?? file])]]],
    [name("compress"), [[compress(file)]]],
    [name("protect"), [[protect(file)]]],
    [name("redact"), [[stamp("redact", file, { terms: JSON.stringify(["page 7"]) })]]],
    [name("extract-text"), [[extract(file)]]],
    [name("to-images"), [[images(file, { pages: "1-5", dpi: "300" })]]],
    ["two merges of it at once", [[merge([file, file]), merge([file, file])]]],
  ];
}

/** By name: rounds one after the other, the calls of each at once. */
export const works: [string, Call[][]][] = [
  ["merge of 25 MiB in two files", [[merge(halves)]]],
  ["split of 25 MiB", [[split(large)]]],
  ["rotate of 25 MiB", [[rotate(large)]]],
  ["protect of 25 MiB", [[protect(large)]]],
  ["from-images of 20 JPEGs of 1.5 MB", [[fromImages(20, 1_500_000)]]],
  ["from-images of 10 JPEGs of 3 MB", [[fromImages(10, 3_000_000)]]],
  ["protect of 32 MiB", [[protect(largest)]]],
  ["crop of 25 MiB, removing", [[stamp("crop", large, { margins: "100", remove: "true" })]]],
  ["n-up of 25 MiB", [[stamp("n-up", large, { pagesPerSheet: "4" })]]],
  [
    "attachments: 12.5 MiB added to as many",
    [
      [
        {
          operation: "attachments",
          parts: { file: pdfPart(firstHalf), attachment: pdfPart(secondHalf), action: "add" },
        },
      ],
    ],
  ],
  ["redact of 25 MiB", [[stamp("redact", large, { terms: JSON.stringify(["page"]) })]]],
  ["redact of 25 MiB, with images", [[stamp("redact", large, { regions: REGIONS })]]],
  ["outline of 25 MiB, replaced", [[stamp("outline", large, { action: "set", outline: OUTLINE })]]],
  ["flatten of 25 MiB", [[stamp("flatten", largeForm, {})]]],
  ["repair of 25 MiB", [[stamp("repair", large, {})]]],
  ["unlock of 25 MiB", [[stamp("unlock", lockedLarge, { password: "user" })]]],
  [`archive of scans, ${(archivedScans.length / 1024 ** 2).toFixed(1)} MiB`, [[archive(archivedScans)]]],
  [`archive of text, ${(largeText.length / 1024 ** 2).toFixed(1)} MiB`, [[archive(largeText)]]],
  ["archive of 25 MiB", [[archive(large)]]],
  ["extract-text of 25 MiB", [[extract(large)]]],
  ["extract-text of 32 MiB", [[extract(largest)]]],
  ["extract-text of 3,840,000 characters", [[extract(longText)]]],
  ["extract-text of 3,840,000 in Cyrillic", [[extract(cyrillic)]]],
  ["extract-text of 149,000 words, placed", [[extract(manyWords, { words: "true" })]]],
  ["two extract-texts of as many at once", [[extract(longText), extract(longText)]]],
  ["two merges of 25 MiB at once", [[merge(halves), merge(halves)]]],
  ["two rotates of 25 MiB at once", [[rotate(large), rotate(large)]]],
  ["each of 25 MiB, three times in a row", [...each, ...each, ...each]],
  ["compress of 25 MiB that do not compress", [[compress(large)]]],
  [`compress of fifty scans, ${(fifty.length / 1e6).toFixed(1)} MB`, [[compress(fifty)]]],
  [`compress of photographs, ${(photographs.length / 1e6).toFixed(1)} MB`, [[compress(photographs)]]],
  ["Letter at 600 dpi as png", [[images(letter, { dpi: "600" })]]],
  ["Letter at 600 dpi as jpeg", [[images(letter, { dpi: "600", format: "jpeg" })]]],
  ["a gray scan at 600 dpi as png", [[images(scan, { dpi: "600" })]]],
  ["a gray scan at 600 dpi as jpeg", [[images(scan, { dpi: "600", format: "jpeg" })]]],
  ["Letter at 600 dpi as webp", [[images(letter, { dpi: "600", format: "webp" })]]],
  ["Letter at 270 dpi as webp", [[images(letter, { dpi: "270", format: "webp" })]]],
  ["200 pages at 150 dpi as png", [[images(twoHundred, { dpi: "150" })]]],
  ["200 pages at 150 dpi as jpeg", [[images(twoHundred, { dpi: "150", format: "jpeg" })]]],
  ["two of 20 pages as webp at once", [[images(twenty, { format: "webp" }), images(twenty, { format: "webp" })]]],
  ["watermark of 25 MiB, tiled", [[stamp("watermark", large, { kind: "text", text: "Draft", tile: "true" })]]],
  ["add-page-numbers of 25 MiB in Arabic", [[stamp("add-page-numbers", large, arabicLabel)]]],
  ["sign of 25 MiB", [[stamp("sign", large, { mode: "type", typedName: "Ada", field: SIGNATURE })]]],
  ["fill-form of 25 MiB, flattened", [[stamp("fill-form", largeForm, { values: FILLED, flatten: "true" })]]],
  [
    "fill-form of 2,000 fields in Cyrillic",
    [
      [
        stamp("fill-form", fieldsOf(2000), {
          values: valuesOf(2000, "\u041f\u0440\u0438\u0432\u0456\u0442 \u0441\u0432\u0456\u0442\u0435"),
        }),
      ],
    ],
  ],
  [
    "pipeline: ten steps on 25 MiB",
    [[pipeline({ file: pdfPart(large), end: pdfPart(document({ name: "end", pages: 1 })) }, ...tenSteps)]],
  ],
  [
    "pipeline: merge of 25 MiB after a step",
    [[pipeline({ file: pdfPart(firstHalf), end: pdfPart(secondHalf) }, pages, append, lock)]],
  ],
  ["fill-form that draws 19,000 fields", [[stamp("fill-form", manyFields, { values: "{}", flatten: "true" })]]],
  ["ocr of three pages", [[ocr(drawing(page, page, page))]]],
  ["ocr of 50 scans in color, 5.2 megapixels each", [[ocr(colorScans)]]],
  ["ocr in three languages", [[ocr(letter, { languages: "nld+eng+jpn" })]]],
  ["ocr of a page of 25 MiB, searchable", [[ocr(large, { output: "pdf", pages: "1" })]]],
  ["ocr and merge of 25 MiB in turn", [[ocr(letter)], [merge(halves)], [ocr(letter)], [merge(halves)]]],
  ["two ocr at once", [[ocr(letter), ocr(letter)]]],
  ["a job of ocr beside an ocr", [[jobOf(ocr(drawing(page, page, page, page))), ocr(letter)]]],
  [
    "jobs of ocr and to-images beside an ocr",
    [[jobOf(ocr(letter)), jobOf(images(twenty, { dpi: "300" })), ocr(letter)]],
  ],
  ["two slow readers of 200 pages as png", [[slowReader, slowReader]]],
  ["two slow senders of 12.5 MiB", [[slowSender, slowSender]]],
  ["50 merges of 1 MiB at once", [Array.from({ length: 50 }, () => merge(megabyte))]],
];
