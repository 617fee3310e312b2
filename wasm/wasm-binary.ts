/** Reading and writing the binary format of WebAssembly modules (WebAssembly Core Specification 2.0, chapter 5). */

export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  code: 10,
  data: 11,
} as const;

export interface FunctionType {
  /** How many. */
  readonly params: number;
  /** Value types, as their bytes. */
  readonly results: readonly number[];
}

export class BinaryReader {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error("the binary ends too early");
    return byte;
  }

  /** LEB128, up to 32 bits. */
  u32(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
      if (shift > 28) throw new Error("an integer is too long");
    }
  }

  /** A signed LEB128, up to 32 bits. */
  signed(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return shift < 25 && byte & 0x40 ? value | (-1 << (shift + 7)) : value;
      if (shift > 28) throw new Error("an integer is too long");
    }
  }

  /** A name: its length and UTF-8. */
  text(): string {
    const length = this.u32();
    this.skip(length);
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }

  /** Passes over a LEB128 of any length, signed or not. */
  skipLeb(): void {
    for (let count = 0; this.byte() >= 0x80; count++) if (count > 9) throw new Error("an integer is too long");
  }

  skip(bytes: number): void {
    this.at += bytes;
    if (this.at > this.bytes.length) throw new Error("the binary ends too early");
  }

  header(): void {
    const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
    if (header.some((byte) => byte !== this.byte())) throw new Error("this is no WebAssembly module of version 1");
  }

  section(): { id: number; start: number; content: Uint8Array } {
    const id = this.byte();
    const size = this.u32();
    const start = this.at;
    this.skip(size);
    return { id, start, content: this.bytes.subarray(start, this.at) };
  }

  /** The type section. */
  functionTypes(): FunctionType[] {
    return this.vector(() => {
      if (this.byte() !== 0x60) throw new Error("a type is not that of a function");
      return { params: this.vector(() => this.byte()).length, results: this.vector(() => this.byte()) };
    });
  }

  /** How many functions, globals, and tables the import section brings. */
  imports(): { functions: number; globals: number; tables: number } {
    const count = { functions: 0, globals: 0, tables: 0 };
    this.vector(() => {
      this.skip(this.u32());
      this.skip(this.u32());
      const kind = this.byte();
      if (kind === 0x00) {
        count.functions += 1;
        this.u32();
      } else if (kind === 0x01) {
        count.tables += 1;
        this.byte();
        this.#limits();
      } else if (kind === 0x02) this.#limits();
      else if (kind === 0x03) {
        count.globals += 1;
        this.skip(2);
      } else if (kind === 0x04) {
        this.byte();
        this.u32();
      } else throw new Error(`an import is of the unknown kind ${kind}`);
    });
    return count;
  }

  indices(): number[] {
    return this.vector(() => this.u32());
  }

  /** The number of a type in the type section. */
  typeNumber(type: readonly number[]): number {
    const starts = this.vector(() => {
      const start = this.at;
      this.skip(1);
      for (let part = 0; part < 2; part++) this.vector(() => this.byte());
      return this.bytes.subarray(start, this.at);
    });
    const number = starts.findIndex(
      (bytes) => bytes.length === type.length && type.every((byte, at) => bytes[at] === byte),
    );
    if (number < 0) throw new Error("the binary does not have the type");
    return number;
  }

  /** A vector of a section with entries more, and how many there are. */
  appended(...entries: number[][]): { content: Uint8Array; count: number } {
    const count = this.u32() + entries.length;
    const parts = [Uint8Array.from(leb(count)), this.bytes.subarray(this.at), Uint8Array.from(entries.flat())];
    return { content: concatenated(parts), count };
  }

  /** The table section with one entry more in its only table, and the number of that entry. */
  largerTable(): { content: Uint8Array; last: number } {
    if (this.u32() !== 1) throw new Error("the binary does not have one table");
    const type = this.byte();
    const [least, most] = this.#limits();
    const limits = most === undefined ? [0x00, ...leb(least + 1)] : [0x01, ...leb(least + 1), ...leb(most + 1)];
    return { content: Uint8Array.from([0x01, type, ...limits]), last: least };
  }

  /** The memory section: the pages of each memory, at first and at most. */
  memories(): [number, number?][] {
    return this.vector(() => this.#limits());
  }

  vector<T>(entry: () => T): T[] {
    return Array.from({ length: this.u32() }, entry);
  }

  #limits(): [number, number?] {
    const flags = this.byte();
    const least = this.u32();
    return flags & 1 ? [least, this.u32()] : [least];
  }
}

/** An unsigned LEB128. */
export function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ;) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    if (rest === 0) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

/** A signed LEB128 of a value that is not negative. */
export function signedLeb(value: number): number[] {
  const bytes = leb(value);
  const last = bytes.at(-1) ?? 0;
  // Bit 6 of the last byte is the sign.
  return last & 0x40 ? [...bytes.slice(0, -1), last | 0x80, 0x00] : bytes;
}

export function name(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  return [...leb(bytes.length), ...bytes];
}

export function section(id: number, content: Uint8Array): Uint8Array {
  const head = [id, ...leb(content.length)];
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}

export function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
