/**
 * The fuel of the parsers that read a client's bytes outside MuPDF, whose own fuel is counted in its binary. Each of them charges by byte and by
 * element through one meter, so that its cost is known, bounded, and listed: docs/architecture.md has the table, which `npm run generate -- docs`
 * writes from `PARSERS`.
 */
import { limits } from "../limits.ts";
import { tooManyElements } from "./limit-errors.ts";
import type { Work } from "./work.ts";

export interface Parser {
  /** The format, and what comes in it. */
  readonly reads: string;
  /** What counts as an element. */
  readonly elements: string;
  /** Fuel for each byte or character. */
  readonly byte: number;
  /** Fuel for each element. */
  readonly element: number;
  /** The most elements of one input; Infinity where only fuel bounds them. */
  readonly most: number;
  /** What else bounds it: a clause for the table in docs/architecture.md. */
  readonly bounds?: string;
}

/** `npm run measure -- turns --only growth` measures the time for a unit of this fuel again. */
export const PARSERS = {
  asn1: {
    reads: "ASN.1 (certificates, CMS, PKCS#12, OCSP)",
    elements: "values, of a request; an object identifier counts once more for each two bytes",
    byte: 2,
    element: 3_000,
    most: limits.parsers.asn1,
    bounds:
      "scanned before a library reads it: 5,000 values at once, 2,000 in a certificate, 50 levels; identifiers of 64 bytes, times of 32, numbers of 4,096, strings of 65,536",
  },
  crl: { reads: "A revocation list", elements: "entries", byte: 1, element: 100, most: limits.parsers.crl },
  derivation: {
    reads: "A key derived from a password",
    elements: "hashes",
    byte: 2,
    element: 1_000,
    most: limits.parsers.derivation,
    bounds: "100,000 iterations of a key, salts of 1,024 bytes, one private key",
  },
  references: { reads: "Cross-references", elements: "rows", byte: 2, element: 500, most: limits.objects },
  syntax: {
    reads: "The objects of a PDF, outside MuPDF",
    elements: "tokens",
    byte: 2,
    element: 60,
    most: limits.parsers.syntax,
  },
  font: {
    reads: "A font program",
    elements: "glyphs, entries, codes, and steps of outlines",
    byte: 0.5,
    element: 25,
    most: limits.parsers.font,
    bounds:
      "24 MiB, 1 MiB in Type 1; names of 127 bytes, 300,000 mapped codes, 500,000 steps: a font with more stays as it is",
  },
  cmap: {
    reads: "A CMap",
    elements: "strings, numbers, and codes",
    byte: 3,
    element: 50,
    most: limits.parsers.cmap,
    bounds: "4 bytes of a code, 512 of its text, 1,000 ranges of lengths, 200,000 values of a section",
  },
  zip: {
    reads: "A ZIP archive",
    elements: "entries",
    byte: 2,
    element: 1_000,
    most: limits.conversion.entries,
    bounds: "each entry as often as it is read; names of 1,024 bytes",
  },
  xml: {
    reads: "XML",
    elements: "tags and attributes, each with a byte more for each element around it",
    byte: 16,
    element: 400,
    most: limits.parsers.xml,
    bounds:
      "200 levels; 100,000 tags and attributes of XMP (5,000 of a tag), 200,000 elements of an invoice, or of a part of an office document",
  },
  html: { reads: "HTML", elements: "tags and attributes", byte: 8, element: 400, most: limits.parsers.html },
  css: { reads: "CSS", elements: "selectors and declarations", byte: 8, element: 400, most: limits.parsers.css },
  markdown: {
    reads: "Markdown",
    elements:
      "lines, and in a run of text its comparisons: of marks of emphasis with each other, of others with the rest",
    byte: 40,
    element: 12,
    most: Infinity,
    bounds:
      "a run of 10,000 characters with 600 marks of emphasis and 4,000 characters before an `@`; 20,000 lines, 2,000 definitions",
  },
  rtf: {
    reads: "Rich Text",
    elements: "words, groups, and pieces of text",
    byte: 8,
    element: 400,
    most: Infinity,
    bounds: "8 MiB; 500 levels of groups, 200 columns of a table",
  },
  image: {
    reads: "A TIFF, GIF, or BMP image",
    elements: "entries, strips, tiles, blocks, and runs",
    byte: 2,
    element: 100,
    most: limits.parsers.image,
    bounds: "stored bytes and decoded ones; strips together no longer than the file",
  },
  csv: { reads: "CSV", elements: "cells", byte: 8, element: 400, most: limits.parsers.csv },
  compound: {
    reads: "The directory of a compound file (Office 97 to 2003)",
    elements: "entries and sectors",
    byte: 2,
    element: 400,
    most: limits.parsers.compound,
  },
} as const satisfies Readonly<Record<string, Parser>>;

export type ParserName = keyof typeof PARSERS;

/** The meters of requests, by their work. */
const ofRequests = new WeakMap<Work, Map<ParserName, ParseMeter>>();

export class ParseMeter {
  readonly #work: Work;
  readonly #parser: Parser;
  #elements = 0;

  /** For one input, such as a file or an entry of an archive. */
  constructor(work: Work, name: ParserName) {
    this.#work = work;
    this.#parser = PARSERS[name];
  }

  /** The meter for all inputs of a request together. */
  static ofRequest(work: Work, name: ParserName): ParseMeter {
    const meters = ofRequests.get(work) ?? new Map<ParserName, ParseMeter>();
    const meter = meters.get(name) ?? new ParseMeter(work, name);
    ofRequests.set(work, meters.set(name, meter));
    return meter;
  }

  /**
   * Charges for bytes or characters, before they are read.
   * @throws Refusal `limit_exceeded` (`limit: "work"`)
   */
  bytes(count: number): void {
    this.#work.spend(Math.ceil(count * this.#parser.byte));
  }

  /**
   * Charges for elements, before they are kept.
   * @throws Refusal `limit_exceeded` (`limit: "work"`, or the most elements)
   */
  element(count = 1): void {
    this.expect(count);
    this.#elements += count;
    this.#work.spend(count * this.#parser.element);
  }

  /**
   * Checks a count of elements that the input claims, before any of them is read. Each is charged when it is read, so that the caller can yield in between.
   * @throws Refusal `limit_exceeded` (the most elements)
   */
  expect(count: number): void {
    const { elements, most, reads } = this.#parser;
    const actual = this.#elements + count;
    if (actual <= most) return;
    throw tooManyElements(reads, elements, most, actual);
  }

  /** Yields to other requests if a slice of fuel was spent since the last time. */
  pause(): Promise<void> {
    return this.#work.pause();
  }
}
