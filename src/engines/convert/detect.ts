/** Which format a document has: by its bytes, never by its name. */
import type { InputBytes } from "../memory/heap.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { imageKindOf } from "../image/kind.ts";
import { beginsAsPdf, PDF_HEAD_BYTES } from "../../bytes/pdf-signature.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { Archive } from "./source/archive.ts";
import { mainPartOf } from "./source/relationships.ts";
import { encodingOf, type SaidEncoding } from "./source/decode-text.ts";
import type { BytesFormat, DrawingFormat, PackageFormat, TextFormat } from "./formats/format.ts";
import { formats } from "./formats/index.ts";
import {
  COMPOUND_FORMATS,
  OFFICE_FORMATS,
  OPEN_DOCUMENT_FORMATS,
  type OfficeFormat,
  PACKAGE_FORMATS,
} from "./office-formats.ts";
import { COMPOUND_SIGNATURE, rootNames } from "./compound-file.ts";
import { limits } from "../../limits.ts";

export type Detected =
  | { readonly format: PackageFormat; readonly archive: Archive }
  /** `encoding`: a label of the WHATWG Encoding Standard. */
  | { readonly format: TextFormat | DrawingFormat; readonly encoding: string }
  | { readonly format: BytesFormat }
  | UnsupportedFile;

/** A format that the service does not read itself. */
export interface UnsupportedFile {
  /** The name of the file's kind, for an error. */
  readonly unsupported: string;
  /** Its format, if an office converter reads it: `encrypted` may be any of Office. */
  readonly office?: OfficeFormat | "encrypted";
}

const officeDocument = (office: OfficeFormat): UnsupportedFile => ({ unsupported: OFFICE_FORMATS[office], office });

const packages = formats.filter((format) => format.kind === "package");
const binaries = formats.filter((format) => format.kind === "bytes");
const texts = formats.filter((format) => format.kind === "text" || format.kind === "drawing");

const HEAD_BYTES = 64 * 1024;

const ZIP_SIGNATURE = "PK\x03\x04";

/** Whether a file may be a document that is converted, by its first bytes, a character for each. Texts are not. */
export const beginsAsDocument = (head: string): boolean =>
  head.startsWith(ZIP_SIGNATURE) ||
  head.startsWith(COMPOUND_SIGNATURE) ||
  binaries.some((format) => format.detect(head) === "certain");

/** Packages of other formats, by an entry that only they have. */
const OTHER_PACKAGES: readonly (readonly [RegExp, string])[] = [
  [/^Contents\/section0\.xml$/, "a Hancom document (HWPX), which is not supported"],
  [/^(FixedDocSeq|FixedDocumentSequence)\.fdseq$/i, "an XPS document, which is not supported"],
  [/^Index\/Document\.iwa$/, "an iWork document, which is not supported"],
];

/** @throws Refusal `invalid_parameters` (a text of which the encoding is not known) */
export async function detectFormat(engine: PdfEngine, bytes: InputBytes, said: SaidEncoding): Promise<Detected> {
  const head = bytes.view(0, Math.min(bytes.length, HEAD_BYTES)).slice();
  const ascii = (start: number, end: number): string => String.fromCharCode(...head.subarray(start, end));
  if (ascii(0, 4) === ZIP_SIGNATURE) return packageOf(engine, bytes);
  const image = imageKindOf(head);
  if (image !== undefined) return { unsupported: `an image (${image.toUpperCase()}). Use \`from-images\`` };
  if (ascii(60, 68) === "BOOKMOBI" || ascii(60, 68) === "TEXtREAd")
    return { unsupported: "an e-book (MOBI), which is not supported" };
  if (ascii(0, 8) === COMPOUND_SIGNATURE) return compoundOf(await rootNames(engine.work, bytes));
  if (ascii(0, 4) === "\xffWPC") return officeDocument("wpd");
  const binary = binaries.find((format) => format.detect(ascii(0, 64)) === "certain");
  if (binary) return { format: binary };
  if (beginsAsPdf(head.subarray(0, PDF_HEAD_BYTES))) return { unsupported: "a PDF already" };
  if (ascii(0, 4) === "Rar!" || ascii(0, 6) === "7z\xbc\xaf\x27\x1c" || ascii(0, 2) === "\x1f\x8b")
    return { unsupported: "a compressed archive other than a ZIP" };
  return textFormatOf(head, bytes, said);
}

function compoundOf(names: ReadonlySet<string>): Detected {
  if (names.has("EncryptedPackage")) return { unsupported: "an encrypted Office document", office: "encrypted" };
  const known = Object.entries(COMPOUND_FORMATS).find(([name]) => names.has(name));
  return known ? officeDocument(known[1]) : { unsupported: "a document of Office 97 to 2003, or of another program" };
}

async function packageOf(engine: PdfEngine, bytes: InputBytes): Promise<Detected> {
  const archive = Archive.open(engine, bytes);
  if (archive === undefined) return { unsupported: "a damaged ZIP archive" };
  const { names } = archive;
  // Before EPUB, which shares its container with HWPX.
  for (const [entry, unsupported] of OTHER_PACKAGES) if (names.some((name) => entry.test(name))) return { unsupported };
  const mediaType = await archive.readText("mimetype");
  const known = packages.find((format) => format.detect({ names, mediaType }) === "certain");
  if (known) return { format: known, archive };
  for (const [entry, office] of PACKAGE_FORMATS)
    if (names.some((name) => entry.test(name))) return officeDocument(office);
  const kind = Object.entries(OPEN_DOCUMENT_FORMATS).find(([name]) => mediaType?.includes(`opendocument.${name}`));
  if (kind?.[1].package !== undefined) return officeDocument(kind[1].package);
  const contentTypes = (await archive.readText("[Content_Types].xml")) ?? "";
  const main = await mainPartOf(engine.work, archive);
  const likely = packages.find((format) => format.detect({ names, contentTypes, main }) === "likely");
  if (likely) return { format: likely, archive };
  const relations = await archive.readText("_rels/.rels");
  if (relations?.includes("fixedrepresentation")) return { unsupported: "an XPS document, which is not supported" };
  const files = names.filter((name) => !name.endsWith("/"));
  if (files.some((name) => /\.(jpe?g|png|gif|webp|bmp|tiff?)$/i.test(name)))
    return { unsupported: "an archive of images. Use `from-images`" };
  return { unsupported: "a ZIP archive without a document in it" };
}

/** No text has them, in any encoding but UTF-16 and ISO-2022-JP. */
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\u0080-\u009f]/u;

function textFormatOf(head: Uint8Array, bytes: InputBytes, said: SaidEncoding): Detected {
  const cut = bytes.length > head.length;
  const unsupported = { unsupported: "of a format that is not supported" };
  const isMarked = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (!isMarked && Object.values(said).every((label) => label === undefined) && CONTROLS.test(latin1(head)))
    return unsupported;
  const whole = bytes.length <= limits.conversion.textBytes ? bytes.view(0, bytes.length).slice() : head;
  const encoding = encodingOf(whole, said);
  const text = new TextDecoder(encoding).decode(head, { stream: cut });
  if (CONTROLS.test(text)) return unsupported;
  const format = formatOfText(text, cut);
  return "unsupported" in format ? format : { format, encoding };
}

const FLAT_OPEN_DOCUMENT =
  /^<office:document\s[^>]*\boffice:mimetype="application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation|graphics)[-"]/;

function formatOfText(text: string, isCut: boolean): TextFormat | DrawingFormat | UnsupportedFile {
  const start = text.slice(0, 4096).replace(/^\s*(<\?xml[\s\S]*?\?>|<!--[\s\S]*?-->|\s)*/, "");
  const sample = { text, isCut, start };
  const certain = texts.find((format) => format.detect(sample) === "certain");
  if (certain) return certain;
  // The type may come behind many namespaces.
  const flat =
    start.startsWith("<office:document") && FLAT_OPEN_DOCUMENT.exec(text.slice(text.indexOf("<office:document")));
  if (flat) return officeDocument(OPEN_DOCUMENT_FORMATS[flat[1] ?? ""]?.flat ?? "fodt");
  if (/^(<\?xml|<!DOCTYPE)/i.test(text.trimStart())) return { unsupported: "an XML document of another kind" };
  const likely = texts.find((format) => format.detect(sample) === "likely");
  return likely ?? { unsupported: "of a format that is not supported" };
}
