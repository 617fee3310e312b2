import { zlibSync } from "fflate";

/** A stream object: the entries of its dictionary without `<<`, `>>` and `/Length`, and its bytes as they stand in the file. */
export interface PdfStream {
  readonly entries: string;
  readonly data: Uint8Array;
}

/** One indirect object: PDF syntax as text (bytes 0 to 255), or a stream. */
export type PdfObject = string | PdfStream;

export interface WriteOptions {
  readonly version?: string;
  /** Leaves out the cross-reference table, the trailer stays: what a reader has to repair. */
  readonly withoutXref?: boolean;
}

const header = (version: string): Uint8Array => latin1(`%PDF-${version}\n%\u00e2\u00e3\u00cf\u00d3\n`);

/** Characters 0 to 255 as bytes. */
export function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** A Flate stream. */
export function flate(data: string | Uint8Array, entries = ""): PdfStream {
  const bytes = typeof data === "string" ? latin1(data) : data;
  return { entries: `${entries} /Filter /FlateDecode`, data: zlibSync(bytes) };
}

/** A text string: PDFDocEncoding's ASCII part as a literal, anything else as UTF-16BE. */
export function pdfString(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `(${text.replaceAll(/[\\()]/g, (character) => `\\${character}`)})`;
  let hex = "FEFF";
  for (let index = 0; index < text.length; index++) hex += text.charCodeAt(index).toString(16).padStart(4, "0");
  return `<${hex}>`;
}

export function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Writes a PDF: object `n` is `objects[n - 1]`, each with its right place in a classic cross-reference table.
 * `trailer` holds the entries beside `/Size`, such as `/Root 1 0 R`.
 */
export function pdf(objects: readonly PdfObject[], trailer: string, options: WriteOptions = {}): Uint8Array {
  const parts = [header(options.version ?? "1.7")];
  let size = parts[0]?.length ?? 0;
  const write = (part: Uint8Array): void => {
    parts.push(part);
    size += part.length;
  };
  const offsets = objects.map((object, index) => {
    const offset = size;
    if (typeof object === "string") {
      write(latin1(`${index + 1} 0 obj\n${object}\nendobj\n`));
    } else {
      write(latin1(`${index + 1} 0 obj\n<< ${object.entries} /Length ${object.data.length} >>\nstream\n`));
      write(object.data);
      write(latin1("\nendstream\nendobj\n"));
    }
    return offset;
  });
  const xrefAt = size;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join("")}`;
  write(latin1(`${options.withoutXref ? "" : table}trailer\n<< /Size ${objects.length + 1} ${trailer} >>\n`));
  write(latin1(`startxref\n${options.withoutXref ? 0 : xrefAt}\n%%EOF\n`));
  return concatenate(parts);
}

/** Pseudo-random bytes (xorshift32): the same for the same seed, and nothing compresses them. */
export function noise(length: number, seed: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  for (let index = 0; index < words.length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state >>> 0;
  }
  return new Uint8Array(words.buffer, 0, length);
}
