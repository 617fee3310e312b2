/**
 * The dearest constructs of the parsers that read a client's bytes outside MuPDF, so many of them in a request. A row here is tested by its fuel
 * (test/operations/parser-constructs.slow.test.ts) and measured by `npm run measure -- turns --only growth`.
 */
import { zipSync } from "fflate";
import type { ParserName } from "../../../src/engines/parse-meter.ts";
import { type Part, pdfPart } from "../requests/client.ts";
import { document } from "../fixtures/fixtures.ts";
import { meaningOf, namesakeGlyphs, namesOfGlyphs, tablesOfCodes } from "./font-bombs.ts";
import { smallDocument, xmpPacket } from "../fixtures/metadata-fixtures.ts";
import { compoundFile } from "../office/compound-file.ts";
import { imageConstructs } from "./image-constructs.ts";
import { longMac, manyKeys } from "./pkcs12-bombs.ts";
import { countedRows, signedWith } from "./signature-bombs.ts";
import {
  csvConstructs,
  firstCounts,
  htmlConstructs,
  markdownConstructs,
  officeConstructs,
  refusedConstructs,
} from "./text-constructs.ts";

export interface ParserConstruct {
  readonly parser: ParserName;
  /** What there are so many of. */
  readonly name: string;
  readonly operation: string;
  /** The counts that the test compares, each twice the one before: 1,000, 2,000, and 4,000 by default. */
  readonly first?: number;
  /** The code of the error for all of these counts, where the construct is refused whatever its number. */
  readonly refused?: string;
  /** The form of a request; undefined where there cannot be so many. */
  parts(count: number): Parts | undefined | Promise<Parts | undefined>;
}

export type Parts = Readonly<Record<string, Part>>;

const letter = pdfPart(document({ name: "letter", pages: 1 }));

const sealedWith = (certificate: Uint8Array): Parts => ({
  file: letter,
  certificate: { bytes: certificate, fileName: "signer.p12" },
  certificatePassword: "secret",
});

/** The request that reads the meaning of codes: it finds no term. */
const redacted = (cmap: string): Parts => ({ file: pdfPart(meaningOf(cmap)), terms: '["Z"]' });

/** Empty entries of an archive. */
const entriesNamed = (count: number, name: string): Record<string, Uint8Array> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}${name}`, new Uint8Array()]));

const verified = (file: Uint8Array): Parts => ({ file: pdfPart(file), fetch: "false" });

/** So many times a value in ASN.1, as the value of a signature. */
function repeated(value: readonly number[], count: number): Parts | undefined {
  const length = value.length * count;
  // The file has it in hexadecimal.
  if (length > 5_000_000) return undefined;
  const bytes = new Uint8Array(6 + length);
  bytes.set([0x30, 0x84, length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255]);
  for (let at = 6; at < bytes.length; at += value.length) bytes.set(value, at);
  return verified(signedWith(bytes));
}

/** One value of so many bytes, with a tag. */
function long(tag: number, byte: number, count: number): Parts | undefined {
  const length = [tag, 0x84, count >>> 24, (count >>> 16) & 255, (count >>> 8) & 255, count & 255];
  return count > 5_000_000
    ? undefined
    : verified(signedWith(Uint8Array.from([...length, ...Array<number>(count).fill(byte)])));
}

/** Values in each other, each the only one. */
function nested(tag: number, count: number): Parts {
  const bytes = new Uint8Array(count * 6);
  for (let at = 0; at < bytes.length; at += 6) {
    const length = bytes.length - at - 6;
    bytes.set([tag, 0x84, length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255], at);
  }
  return verified(signedWith(bytes));
}

const UTC_TIME = [0x17, 13, ...Array.from("250101000000Z", (character) => character.charCodeAt(0))];
/** Values that asn1js takes long for. */
const VALUES: Readonly<Record<string, readonly number[]>> = {
  "empty values": [5, 0],
  "object identifiers": [6, 3, 0x55, 4, 3],
  "empty sets": [0x31, 0],
  times: UTC_TIME,
  "strings with a value": [4, 2, 5, 0],
  "parts of a name": [0x31, 12, 0x30, 10, 6, 3, 0x55, 4, 3, 0x0c, 3, 65, 66, 67],
};
const LONG: Readonly<Record<string, readonly [tag: number, byte: number]>> = {
  "arcs of an object identifier": [6, 1],
  "arcs of a relative object identifier": [13, 1],
  "bytes of a number": [2, 1],
  "bytes of a UniversalString": [0x1c, 0],
  "bytes of a time": [0x17, 48],
};

/** `format`: that of text. */
const converted = (
  format: string | undefined,
  file: (count: number) => Uint8Array,
): Pick<ParserConstruct, "operation" | "parts"> => ({
  operation: "to-pdf",
  parts: (count) => ({ file: { bytes: file(count), fileName: "file.bin" }, ...(format !== undefined && { format }) }),
});

/** Formats of bytes: signatures, cross-references, fonts, archives. */
const binary: readonly ParserConstruct[] = [
  {
    parser: "references",
    name: "rows of one byte",
    operation: "verify-signatures",
    parts: (count) => verified(countedRows([0, 1, 0], count)),
  },
  {
    parser: "references",
    name: "rows of no bytes",
    operation: "verify-signatures",
    parts: (count) => verified(countedRows([0, 0, 0], count)),
  },
  ...Object.entries(VALUES).map(([name, value]): ParserConstruct => {
    return {
      parser: "asn1",
      name,
      operation: "verify-signatures",
      first: 400,
      parts: (count) => repeated(value, count),
    };
  }),
  ...Object.entries(LONG).map(([name, [tag, byte]]): ParserConstruct => {
    return { parser: "asn1", name, operation: "verify-signatures", parts: (count) => long(tag, byte, count) };
  }),
  ...[0x30, 4].map((tag): ParserConstruct => {
    const name = tag === 4 ? "strings in strings" : "sequences in sequences";
    return { parser: "asn1", name, operation: "verify-signatures", parts: (count) => nested(tag, count) };
  }),
  {
    parser: "derivation",
    name: "iterations of a MAC",
    operation: "seal",
    refused: "invalid_certificate",
    parts: (count) => sealedWith(longMac({ iterations: count })),
  },
  {
    parser: "derivation",
    name: "bytes of a MAC",
    operation: "seal",
    refused: "invalid_certificate",
    parts: (count) => sealedWith(longMac({ value: count, iterations: 100_000 })),
  },
  {
    parser: "derivation",
    name: "private keys",
    operation: "seal",
    refused: "invalid_certificate",
    parts: async (count) => sealedWith(await manyKeys(count, 100_000)),
  },
  ...(["short", "long", "beyond"] as const).map((name): ParserConstruct => {
    return {
      parser: "font",
      name: `glyphs with one name, ${name}`,
      operation: "compress",
      parts: (count) => (count < 65_535 ? { file: pdfPart(namesOfGlyphs(count, name)) } : undefined),
    };
  }),
  {
    parser: "font",
    name: "glyphs with one name in TrueType",
    operation: "compress",
    parts: (count) => (count < 65_535 ? { file: pdfPart(namesakeGlyphs(count)) } : undefined),
  },
  {
    parser: "font",
    name: "tables of 65,536 codes",
    operation: "compress",
    parts: (count) => (count < 65_535 ? { file: pdfPart(tablesOfCodes(count)) } : undefined),
  },
  {
    parser: "cmap",
    name: "meanings of codes",
    operation: "redact",
    parts: (count) => redacted(`beginbfchar\n${"<41> <0041>\n".repeat(count)}endbfchar`),
  },
  {
    parser: "cmap",
    name: "meanings of 256 codes",
    operation: "redact",
    first: 100,
    parts: (count) => redacted("1 beginbfrange <00> <FF> <0041> endbfrange\n".repeat(count)),
  },
  {
    parser: "cmap",
    name: "bytes of a meaning",
    operation: "redact",
    parts: (count) => redacted(`1 beginbfrange <0000> <FFFF> <${"0041".repeat(count)}> endbfrange`),
  },
  {
    parser: "zip",
    name: "entries",
    operation: "to-pdf",
    refused: "unsupported_format",
    parts: (count) => ({ file: { bytes: zipSync(entriesNamed(count, "")), fileName: "letter.docx" } }),
  },
  {
    parser: "zip",
    name: "entries with long names",
    operation: "to-pdf",
    refused: "unsupported_format",
    first: 20,
    parts: (count) =>
      count > 100
        ? undefined
        : { file: { bytes: zipSync(entriesNamed(count, "n".repeat(60_000))), fileName: "letter.docx" } },
  },
  {
    parser: "compound",
    name: "entries",
    operation: "to-pdf",
    refused: "unsupported_format",
    first: 5_000,
    parts: (count) => ({
      file: { bytes: compoundFile(Array.from({ length: count }, () => "stream")), fileName: "letter.doc" },
    }),
  },
];

const first = (name: string): { readonly first?: number } => {
  const count = firstCounts[name];
  return count === undefined ? {} : { first: count };
};

/** Formats of text: XML, HTML, CSS, CSV, Markdown, and what is made of them. */
const text: readonly ParserConstruct[] = [
  ...Object.entries(htmlConstructs).map(([name, file]): ParserConstruct => {
    const parser = /rule|declarations|list style|selector/.test(name) ? "css" : "html";
    return { parser, name, ...first(name), ...converted("html", file) };
  }),
  ...Object.entries(csvConstructs).map(([name, file]): ParserConstruct => {
    return { parser: "csv", name, ...first(name), ...converted("csv", file) };
  }),
  ...Object.entries(markdownConstructs).map(([name, file]): ParserConstruct => {
    return { parser: "markdown", name, ...first(name), ...converted("markdown", file) };
  }),
  ...Object.entries(officeConstructs).map(([name, file]): ParserConstruct => {
    return { parser: "xml", name, ...first(name), ...converted(undefined, file) };
  }),
  ...Object.entries(refusedConstructs).map(([name, { code, file }]): ParserConstruct => {
    return { parser: "xml", name, refused: code, ...converted(undefined, file) };
  }),
];

/** XMP that is edited. */
const titled = (properties: string, attributes = ""): Parts => ({
  file: pdfPart(smallDocument({ xmp: xmpPacket(properties, attributes) })),
  action: "set",
  metadata: '{"title":"New"}',
});
const metadata: readonly ParserConstruct[] = [
  {
    parser: "xml",
    name: "titles",
    operation: "metadata",
    parts: (count) => titled("<dc:title>x</dc:title>".repeat(count)),
  },
  {
    parser: "xml",
    name: "namespaces",
    operation: "metadata",
    first: 100,
    parts: (count) =>
      titled("<dc:a/>".repeat(count), Array.from({ length: count }, (_, index) => `xmlns:n${index}="u"`).join(" ")),
  },
];

export const parserConstructs: readonly ParserConstruct[] = [...binary, ...text, ...metadata, ...imageConstructs];
