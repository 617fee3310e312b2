import { concat } from "../../bytes/concat.ts";
import { latin1 } from "../../bytes/latin1.ts";
import type { FileSink, InputBytes } from "../../engines/memory/heap.ts";
import { type FormLimit, formTooLarge } from "../errors/limit-errors.ts";
import { multipartMalformed } from "../errors/request-errors.ts";

/**
 * One part of a body, by its form field. `filename`: empty if it has none. `bytes`: the file as its sink represents it; absent if the file was not
 * wanted. `charset`: of a file, as its Content-Type has it, or of the file that a text refers to. `issue`: why a text cannot be read, as the end of a
 * sentence that begins with the field's name.
 */
export type FormPart<Bytes = InputBytes> =
  | { readonly kind: "text"; readonly field: string; readonly value: string; readonly charset?: string }
  | { readonly kind: "unreadable"; readonly field: string; readonly issue: string }
  | {
      readonly kind: "file";
      readonly field: string;
      readonly filename: string;
      readonly charset?: string;
      readonly bytes?: Bytes;
    };

/** The values that a field takes: a text, a file, or a file or its reference, such as `https://...`. */
export type FieldKind = "text" | "file" | "file or reference";

export interface MultipartOptions<Bytes = InputBytes> {
  /** As `boundaryOf` reads it. */
  readonly boundary: string;
  /** Receives the bytes of files. */
  readonly arena: FileSink<Bytes>;
  /**
   * Many clients name no file, or name a text as if it were one: the field decides, and the file name only where the field is unknown
   * (undefined).
   */
  kindOf(field: string): FieldKind | undefined;
  /** Called at the start of each file; the bytes of unwanted files are skipped. */
  wantsFile(field: string): boolean;
  readonly fields: number;
  readonly textBytes: number;
  readonly allTextBytes: number;
  readonly partHeaderBytes: number;
}

const [TAB, LF, CR, SPACE, DASH] = [9, 10, 13, 32, 45];
/** White space that may follow a boundary on its line (RFC 2046, transport-padding). */
const MAX_PADDING = 256;

function checkLimit(what: FormLimit, limit: number, actual: number): void {
  if (actual > limit) throw formTooLarge(what, limit, actual);
}

/** How the text that refers to a file begins, and how many bytes tell. */
const REFERENCE = /^(?:file_|https?:)/i;
const REFERENCE_BYTES = "https:".length;

type State = "preamble" | "boundary" | "headers" | "content" | "end";

/**
 * Parses multipart/form-data (RFC 7578, RFC 2046) from consecutive windows of bytes. It buffers nothing of a file: the bytes go
 * straight from the window to the arena.
 */
export class MultipartParser<Bytes = InputBytes> {
  readonly parts: FormPart<Bytes>[] = [];

  readonly #options: MultipartOptions<Bytes>;
  #state: State = "preamble";
  #atStart = true;
  #delimiter: BoundarySearch;
  /**
   * Length of the line break after the first boundary. CRLF is the standard; a body that begins with LF is parsed with LF
   * throughout.
   */
  #newline = 2;
  #head: PartHeaders | undefined;
  /** What the part is; undefined until its first bytes have been read, if they are to tell. */
  #kind: "text" | "file" | undefined;
  #undecided = new Uint8Array(0);
  #wanted = false;
  /** Bytes of the blank line before a part's content, kept in the window because an empty part may end right there. */
  #blank = 0;
  #text: Uint8Array[] = [];
  #textBytes = 0;
  #allTextBytes = 0;

  constructor(options: MultipartOptions<Bytes>) {
    this.#options = options;
    this.#delimiter = new BoundarySearch(`\n--${options.boundary}`);
  }

  /**
   * Parses as much of a window as possible and returns how many bytes it consumed; the rest must be at the start of the next
   * window. The rest is always less than 32 KiB.
   */
  read(window: Uint8Array): number {
    let at = 0;
    for (;;) {
      const next = this.#step(window, at);
      if (next === undefined) return at;
      at = next;
      if (this.#state === "end") return window.length;
    }
  }

  /** Call at the end of the body: throws if the final boundary is missing. */
  finish(): readonly FormPart<Bytes>[] {
    if (this.#state === "end") return this.parts;
    throw multipartMalformed(
      this.#state === "preamble"
        ? "the boundary that Content-Type names does not occur in it"
        : "it ends before its final boundary",
    );
  }

  /** One step from `at`: returns where the next begins, or undefined if this window has too few bytes for it. */
  #step(window: Uint8Array, at: number): number | undefined {
    if (this.#state === "preamble") return this.#preamble(window, at);
    if (this.#state === "boundary") return this.#boundary(window, at);
    if (this.#state === "headers") return this.#headers(window, at);
    if (this.#state === "content") return this.#content(window, at);
    return undefined;
  }

  #preamble(window: Uint8Array, at: number): number | undefined {
    const { bytes } = this.#delimiter;
    if (this.#atStart) {
      if (window.length < bytes.length - 1) return undefined;
      this.#atStart = false;
      if (bytes.subarray(1).every((byte, index) => window[index] === byte)) {
        this.#state = "boundary";
        return bytes.length - 1;
      }
    }
    const found = this.#delimiter.find(window, at, window.length);
    if (found >= 0) {
      this.#state = "boundary";
      return found + bytes.length;
    }
    const keepFrom = Math.max(at, window.length - bytes.length + 1);
    return keepFrom > at ? keepFrom : undefined;
  }

  /** After `--boundary`: `--` ends the body, a line break begins a part, anything else was not a boundary. */
  #boundary(window: Uint8Array, at: number): number | undefined {
    if (window[at] === DASH && window[at + 1] === DASH) {
      this.#endPart();
      this.#state = "end";
      return at + 2;
    }
    let end = at;
    while (window[end] === SPACE || window[end] === TAB) end += 1;
    const newline = window[end] === LF ? 1 : window[end] === CR && window[end + 1] === LF ? 2 : 0;
    if (newline === 0) {
      if (end + 2 > window.length && end - at <= MAX_PADDING) return undefined;
      return this.#notABoundary(at);
    }
    if (end - at > MAX_PADDING) return this.#notABoundary(at);
    if (this.parts.length === 0 && this.#head === undefined) {
      this.#newline = newline;
      this.#delimiter = new BoundarySearch(`${newline === 1 ? "\n" : "\r\n"}--${this.#options.boundary}`);
    }
    this.#endPart();
    this.#state = "headers";
    return end + newline;
  }

  /** The bytes that looked like a boundary belong to the part (or to the preamble). */
  #notABoundary(at: number): number {
    this.#state = this.#head === undefined ? "preamble" : "content";
    if (this.#head !== undefined) this.#emit(this.#delimiter.bytes);
    return at;
  }

  #headers(window: Uint8Array, at: number): number | undefined {
    const { partHeaderBytes, fields } = this.#options;
    const lines: string[] = [];
    const decoder = new TextDecoder();
    for (let from = at; ;) {
      const end = window.indexOf(LF, from);
      checkLimit("partHeaderBytes", partHeaderBytes, (end < 0 ? window.length : end) - at);
      if (end < 0) return undefined;
      const line = window.subarray(from, window[end - 1] === CR && end > from ? end - 1 : end);
      if (line.length > 0) {
        lines.push(decoder.decode(line));
        from = end + 1;
        continue;
      }
      checkLimit("fields", fields, this.parts.length + 1);
      const head = readPartHeaders(lines);
      if (head === undefined) throw multipartMalformed("a part has no `Content-Disposition: form-data` with a name");
      this.#head = head;
      this.#kind = this.#kindOf(head);
      if (this.#kind === "file") this.#wanted = this.#options.wantsFile(head.field);
      this.#blank = Math.min(this.#newline, end + 1 - from);
      this.#state = "content";
      return end + 1 - this.#blank;
    }
  }

  #content(window: Uint8Array, at: number): number | undefined {
    const found = this.#delimiter.find(window, at, window.length);
    const upTo = found >= 0 ? found : window.length - this.#delimiter.bytes.length + 1;
    const from = at + this.#blank;
    if (upTo > from) this.#emit(window.subarray(from, upTo));
    if (found >= 0) {
      this.#state = "boundary";
      this.#blank = 0;
      return found + this.#delimiter.bytes.length;
    }
    if (upTo <= from) return undefined;
    this.#blank = 0;
    return upTo;
  }

  #kindOf({ field, filename }: PartHeaders): "text" | "file" | undefined {
    const kind = this.#options.kindOf(field) ?? (filename === undefined ? "text" : "file");
    if (kind === "file or reference") return filename === undefined ? undefined : "file";
    return kind;
  }

  #emit(bytes: Uint8Array): void {
    if (this.#kind === "file") {
      if (this.#wanted) this.#options.arena.write(bytes);
      return;
    }
    if (this.#kind === undefined) {
      this.#undecided = concat([this.#undecided, bytes]);
      if (this.#undecided.length >= REFERENCE_BYTES) this.#decide();
      return;
    }
    this.#textBytes += bytes.length;
    this.#allTextBytes += bytes.length;
    checkLimit("textBytes", this.#options.textBytes, this.#textBytes);
    checkLimit("allTextBytes", this.#options.allTextBytes, this.#allTextBytes);
    this.#text.push(bytes.slice());
  }

  #endPart(): void {
    const head = this.#head;
    if (head === undefined) return;
    if (this.#kind === undefined) this.#decide();
    this.#head = undefined;
    const { field, filename = "", charset } = head;
    if (this.#kind === "text") {
      const text = decodeText(this.#text, head.charset);
      this.#text = [];
      this.#textBytes = 0;
      // The form's own charset (RFC 7578, 4.6) is ignored: clients send it with any form, and their texts are UTF-8.
      if (field !== "_charset_") this.parts.push({ field, ...text });
    } else if (this.#wanted) {
      const bytes = this.#options.arena.seal();
      this.parts.push({ kind: "file", field, filename, ...(charset !== undefined && { charset }), bytes });
    } else {
      this.parts.push({ kind: "file", field, filename });
    }
  }

  /** Whether a part without a file name is a file or a reference to one, by the bytes read so far. */
  #decide(): void {
    const bytes = this.#undecided;
    this.#undecided = new Uint8Array(0);
    this.#kind = REFERENCE.test(latin1(bytes.subarray(0, REFERENCE_BYTES))) ? "text" : "file";
    if (this.#kind === "file") this.#wanted = this.#options.wantsFile(this.#head?.field ?? "");
    this.#emit(bytes);
  }
}

/** The text of a part in its charset, by default UTF-8 (RFC 7578, section 4.4). Charsets have the labels of the WHATWG Encoding Standard. */
function decodeText(
  pieces: readonly Uint8Array[],
  charset = "utf-8",
): { kind: "text"; value: string } | { kind: "unreadable"; issue: string } {
  let decoder;
  try {
    decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: false });
  } catch {
    return { kind: "unreadable", issue: "has an unknown charset: send UTF-8" };
  }
  try {
    const texts = pieces.map((piece) => decoder.decode(piece, { stream: true }));
    return { kind: "text", value: texts.join("") + decoder.decode() };
  } catch {
    const name = decoder.encoding.toUpperCase();
    const otherwise = name === "UTF-8" ? ": send UTF-8, or name the charset in the part's Content-Type" : "";
    return { kind: "unreadable", issue: `is not valid ${name}${otherwise}` };
  }
}

/**
 * Finds a boundary delimiter (RFC 2046, section 5.1.1) in windows of a body. Its only line break is at its start, which makes
 * the search linear: matched bytes cannot contain another start. Elsewhere it skips as in Boyer-Moore-Horspool, up to the
 * delimiter's length per step.
 */
class BoundarySearch {
  readonly bytes: Uint8Array;
  readonly #skip: Uint8Array;

  constructor(text: string) {
    this.bytes = new TextEncoder().encode(text);
    const { length } = this.bytes;
    this.#skip = new Uint8Array(256).fill(length);
    this.bytes.subarray(0, -1).forEach((byte, index) => (this.#skip[byte] = length - 1 - index));
  }

  /** Index of the first occurrence entirely within `window[from, to)`, or -1. */
  find(window: Uint8Array, from: number, to: number): number {
    const { bytes } = this;
    const skip = this.#skip;
    const { length } = bytes;
    const last = bytes[length - 1];
    for (let at = from; at + length <= to;) {
      const end = window[at + length - 1] as number;
      let equal = 0;
      if (end === last) {
        while (equal < length && window[at + equal] === bytes[equal]) equal += 1;
        if (equal === length) return at;
      }
      at += Math.max(equal, skip[end] as number);
    }
    return -1;
  }
}

/** The headers of a part. */
interface PartHeaders {
  /** The form field. */
  readonly field: string;
  readonly filename: string | undefined;
  /** The charset of its Content-Type. */
  readonly charset: string | undefined;
}

/**
 * A parameter: a token, `=`, and a quoted string or a token. In a quoted string `\"` and `\\` are escapes; any other backslash
 * is literal, because old browsers send complete Windows paths.
 */
const PARAMETER = /;\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"|([^;\s"]*))\s*/gy;

/** The parameters after the first word of a header's value, names in lower case; undefined if the value is malformed. */
function parameters(value: string): Map<string, string> | undefined {
  const start = value.indexOf(";");
  const found = new Map<string, string>();
  if (start < 0) return found;
  PARAMETER.lastIndex = start;
  let end = start;
  for (let match = PARAMETER.exec(value); match !== null; match = PARAMETER.exec(value)) {
    end = PARAMETER.lastIndex;
    const [, name = "", quoted, token = ""] = match;
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted?.replace(/\\(["\\])/g, "$1") ?? token);
  }
  return /^[;\s]*$/.test(value.slice(end)) ? found : undefined;
}

/** Reverses how browsers escape a name or file name in quotes (HTML, "multipart/form-data encoding algorithm"). */
const unescapeBrowser = (value: string): string =>
  value.replace(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** An RFC 8187 value (`UTF-8''na%C3%AFve.pdf`); undefined if it is malformed or in an unknown charset. */
function extendedValue(value: string | undefined): string | undefined {
  const match = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(value ?? "");
  if (match === null) return undefined;
  const [, charset = "", encoded = ""] = match;
  try {
    return charset.toLowerCase() === "utf-8"
      ? decodeURIComponent(encoded)
      : encoded.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  } catch {
    return undefined;
  }
}

/**
 * Parses the header lines of a part. RFC 7578 forbids `filename*`, but clients send it: it wins if it is readable. Returns
 * undefined without a `Content-Disposition: form-data` that has a name.
 */
function readPartHeaders(lines: readonly string[]): PartHeaders | undefined {
  // A line that begins with white space continues the one before it (RFC 5322, folding).
  const unfolded = lines
    .join("\n")
    .replace(/\n[ \t]+/g, " ")
    .split("\n");
  const valueOf = (name: RegExp): string | undefined => {
    const line = unfolded.find((header) => name.test(header));
    return line?.slice(line.indexOf(":") + 1).trim();
  };
  const value = valueOf(/^content-disposition\s*:/i);
  if (value === undefined || !/^form-data\s*(;|$)/i.test(value)) return undefined;
  const found = parameters(value);
  const name = found?.get("name");
  if (found === undefined || name === undefined) return undefined;
  const plain = found.get("filename");
  const filename = extendedValue(found.get("filename*")) ?? (plain === undefined ? undefined : unescapeBrowser(plain));
  const charset = parameters(valueOf(/^content-type\s*:/i) ?? "")?.get("charset");
  return { field: unescapeBrowser(name), filename, charset };
}

/**
 * The boundary of a Content-Type: `undefined` if the type is not multipart/form-data, `""` if it is but has no boundary that
 * RFC 2046 allows (1 to 70 characters, no line breaks).
 */
export function boundaryOf(contentType: string | null): string | undefined {
  if (contentType === null || !/^\s*multipart\/form-data\s*(;|$)/i.test(contentType)) return undefined;
  const boundary = parameters(contentType)?.get("boundary") ?? "";
  return /^[\x20-\x7e]{1,70}$/.test(boundary) ? boundary.trimEnd() : "";
}
