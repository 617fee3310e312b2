/**
 * Writes a PDF directly from bytes in the engine's heap, for documents of few objects and large streams that MuPDF would
 * copy twice.
 */
import type { EngineBytes } from "../../memory/heap.ts";
import { FileParts } from "../../memory/joined-bytes.ts";
import { hex } from "../../../bytes/hex.ts";

/** The comment after the header tells file transfer programs that the file is binary (ISO 32000-2, 7.5.2). */
const HEADER = "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n";
const OFFSET_DIGITS = 10;
const ID_BYTES = 16;

/** A PDF number: no exponent, and no more digits than matter. */
export function pdfNumber(value: number): string {
  const text = value.toFixed(5).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}

/** Objects in sequence, by number. */
export class PdfFile {
  readonly #parts = new FileParts();
  readonly #offsets: number[] = [];

  constructor() {
    this.#parts.text(HEADER);
  }

  /** Reserves a number for an object that is written later. */
  reserve(): number {
    return this.#offsets.push(0);
  }

  /** Writes an object and returns its number. */
  add(body: string, number = this.reserve()): number {
    this.#begin(number);
    this.#parts.text(`${body}\nendobj\n`);
    return number;
  }

  /** Writes a stream: `entries` of its dictionary, without `Length`, and its bytes unchanged. */
  addStream(entries: string, data: EngineBytes): number {
    const number = this.reserve();
    this.#begin(number);
    this.#parts.text(`<< ${entries} /Length ${data.length} >>\nstream\n`);
    this.#parts.bytes(data);
    this.#parts.text("\nendstream\nendobj\n");
    return number;
  }

  /** The complete file with cross-reference table and trailer. `catalog`: the object number of the document's root. */
  end(catalog: number): EngineBytes {
    const start = this.#parts.length;
    const size = this.#offsets.length + 1;
    const rows = this.#offsets.map((offset) => `${String(offset).padStart(OFFSET_DIGITS, "0")} 00000 n \n`);
    const id = hex(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
    this.#parts.text(`xref\n0 ${size}\n0000000000 65535 f \n${rows.join("")}`);
    this.#parts.text(
      `trailer\n<< /Size ${size} /Root ${catalog} 0 R /ID [<${id}> <${id}>] >>\nstartxref\n${start}\n%%EOF\n`,
    );
    return this.#parts.joined();
  }

  #begin(number: number): void {
    this.#offsets[number - 1] = this.#parts.length;
    this.#parts.text(`${number} 0 obj\n`);
  }
}
