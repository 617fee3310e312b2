/** Operators that show text, without some of their codes. Later text keeps its place (ISO 32000-2, 9.4.3). */
import { latin1 } from "../../../bytes/latin1.ts";
import { ContentLexer } from "../content/lexer.ts";
import { readString, writtenString } from "../syntax/strings.ts";

/** A shown string, or an adjustment in thousandths of the font size. */
export type Shown =
  | { readonly kind: "string"; readonly value: Uint8Array; readonly written: string }
  | { readonly kind: "adjustment"; readonly value: number; readonly written: string };

/** Reads the operand of an operator that shows text: a string, or an array of strings and adjustments. */
export function readShown(operand: Uint8Array): Shown[] {
  const list: Shown[] = [];
  const lexer = new ContentLexer(operand);
  for (let token = lexer.next(); token; token = lexer.next()) {
    const part = operand.subarray(lexer.start, lexer.end);
    if (token === "literal" || token === "hex") {
      const { value } = readString(part, 0);
      list.push({ kind: "string", value, written: latin1(part) });
    } else if (token === "number") {
      const written = latin1(part);
      const value = Number.parseFloat(written);
      if (Number.isFinite(value)) list.push({ kind: "adjustment", value, written });
    }
  }
  return list;
}

/** The array of `TJ` in the making. Adjustments that follow each other become one. */
export class ShownArray {
  #parts = "";
  #adjustment = 0;
  #written = "";

  /** Whether it shows nothing. */
  get isEmpty(): boolean {
    return this.#parts === "";
  }

  /** A string in its written form. */
  string(written: string): void {
    this.#flush();
    this.#parts += written;
  }

  bytes(value: Uint8Array): void {
    if (value.length > 0) this.string(writtenString(value));
  }

  /** `written`: how it is written, if nothing changes. */
  adjust(value: number, as?: string): void {
    this.#written = this.#adjustment === 0 && as !== undefined ? as : "";
    this.#adjustment += value;
  }

  toString(): string {
    this.#flush();
    return `[${this.#parts}]`;
  }

  #flush(): void {
    if (this.#adjustment !== 0) this.#parts += ` ${this.#written === "" ? digits(this.#adjustment) : this.#written} `;
    this.#adjustment = 0;
    this.#written = "";
  }
}

const digits = (value: number): string => String(Number(value.toFixed(3)));
