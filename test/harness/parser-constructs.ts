/**
 * The dearest constructs of the parsers that read a client's bytes outside MuPDF, so many of them in a request. A row here is tested by its fuel
 * (test/operations/parser-constructs.test.ts) and measured by `npm run turns -- --only growth`.
 */
import type { ParserName } from "../../src/engines/parse-meter.ts";
import { type Part, pdfPart } from "./client.ts";
import { document } from "./fixtures.ts";
import { namesakeGlyphs, namesOfGlyphs, tablesOfCodes } from "./font-bombs.ts";
import { longMac, manyKeys } from "./pkcs12-bombs.ts";
import { countedRows } from "./signature-bombs.ts";

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

const verified = (file: Uint8Array): Parts => ({ file: pdfPart(file), fetch: "false" });

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
];

/** Formats of text: XML, HTML, CSS, CSV, and what is made of them. */
const text: readonly ParserConstruct[] = [];

export const parserConstructs: readonly ParserConstruct[] = [...binary, ...text];
