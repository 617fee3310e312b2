/** Decodes text files, in their declared or guessed encoding. */
import { invalidParameter } from "../../errors.ts";
import { guessEncodings } from "./guess-encoding.ts";

/** The encodings of the WHATWG Encoding Standard, by their names; most have more labels. */
export const ENCODINGS =
  "utf-8 utf-16le utf-16be ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 x-mac-cyrillic gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr".split(
    " ",
  );

/** The encoding in a request, as labels of the WHATWG Encoding Standard. */
export interface SaidEncoding {
  /** The parameter `encoding`. */
  readonly encoding?: string | undefined;
  /** The charset of the file's Content-Type. */
  readonly charset?: string | undefined;
}

/** How many bytes of HTML are searched for its encoding (HTML Standard, 13.2.3.2). */
const DECLARATION_BYTES = 1024;
const DECLARED = /<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)|<meta[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)/i;

/** By byte order mark, which nothing overrules. */
function markedEncoding([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : undefined;
}

/** The encoding that the text declares (XML declaration, `meta`), or UTF-8 if it is valid UTF-8. */
function ownEncoding(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, DECLARATION_BYTES));
  const [, xml, html] = DECLARED.exec(head) ?? [];
  const label = xml ?? html;
  if (label !== undefined && isEncoding(label) && !/^utf-?16/i.test(label)) return label;
  // The given bytes may end within a character.
  return decoded(bytes, "utf-8", { stream: true }) === undefined ? undefined : "utf-8";
}

/**
 * The encoding of a text, in this order: by byte order mark, by the request, by its own declaration, UTF-8 if it is valid, else the only encoding
 * with words in the text.
 * @throws Refusal `invalid_parameters` (`encoding`)
 */
export function encodingOf(bytes: Uint8Array, { encoding, charset }: SaidEncoding): string {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return marked;
  if (encoding !== undefined) return encoding;
  if (charset !== undefined) {
    if (isEncoding(charset)) return charset;
    throw invalidParameter(
      "file",
      `has an unknown charset in its Content-Type: send \`encoding\`, one of ${ENCODINGS.join(", ")}`,
    );
  }
  const own = ownEncoding(bytes);
  if (own !== undefined) return own;
  const [guess, ...others] = guessEncodings(bytes);
  if (guess !== undefined && others.length === 0) return guess;
  const seems =
    guess === undefined ? "does not say in which encoding it is" : `may be in ${[guess, ...others].join(" or ")}`;
  throw invalidParameter(
    "encoding",
    `is required: \`file\` is not UTF-8 and ${seems}. Send one of ${ENCODINGS.join(", ")}`,
  );
}

/** Whether it is a label of an encoding. */
export function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}

function decoded(bytes: Uint8Array, label: string, options?: { stream: boolean }): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: false }).decode(bytes, options);
  } catch {
    return undefined;
  }
}

/**
 * All of a text in an encoding. Bytes that are invalid in the request's encoding are refused. Documents that declare a wrong encoding are read as in
 * browsers.
 * @throws Refusal `invalid_parameters`
 */
export function decodeSource(bytes: Uint8Array, label: string, { encoding, charset }: SaidEncoding): string {
  if (label !== encoding && label !== charset) return new TextDecoder(label).decode(bytes);
  const text = decoded(bytes, label);
  if (text !== undefined) return text;
  const { encoding: name } = new TextDecoder(label);
  if (label === encoding) throw invalidParameter("encoding", `does not fit: \`file\` is not valid ${name}`);
  throw invalidParameter("file", `is not valid ${name}, which is the charset of its Content-Type`);
}

/** A style sheet, in the encoding that it declares, else in Windows-1252. */
export const decodeStyleSheet = (bytes: Uint8Array): string =>
  new TextDecoder(markedEncoding(bytes) ?? ownEncoding(bytes) ?? "windows-1252").decode(bytes);
