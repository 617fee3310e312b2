/** Decides which bytes are text, so that all of it can be searched. */

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
const utf16 = {
  be: new TextDecoder("utf-16be", { fatal: true, ignoreBOM: false }),
  le: new TextDecoder("utf-16le", { fatal: true, ignoreBOM: false }),
};

/** Longest text in bytes. */
const MOST = 16 * 1024 * 1024;

/** The text that bytes are, in UTF-8 or marked UTF-16, or undefined if they are something else. */
export function asText(bytes: Uint8Array): string | undefined {
  if (bytes.length > MOST) return undefined;
  const [first, second] = bytes;
  try {
    if (first === 0xfe && second === 0xff) return utf16.be.decode(bytes);
    if (first === 0xff && second === 0xfe) return utf16.le.decode(bytes);
    const text = strictUtf8.decode(bytes);
    return hasControls(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Control characters that text does not have. */
// oxlint-disable-next-line no-control-regex -- it looks for these characters
const hasControls = (text: string): boolean => /[\0-\x08\x0e-\x1f]/.test(text);

/** Other readings of a text: as markup, and as a program. Only readings that differ from the text. */
export function otherReadings(text: string): string[] {
  const readings: string[] = [];
  if (/[<&]/.test(text)) readings.push(markupText(text));
  if (text.includes("\\")) readings.push(unescaped(text));
  return readings.filter((reading) => reading !== text);
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The beginnings of comments and of literal text with their ends, and the complete constructs of markup. */
const MARK = /<!--|<!\[CDATA\[|<[^<>]*>|&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{2,4}));/g;
const ENDS: Readonly<Record<string, string>> = { "<!--": "-->", "<![CDATA[": "]]>" };
const TAG = /<[^<>]*>/y;

/**
 * Text of XML in a reader's view: without tags and comments, and with references decoded. A beginning without an end is text. Linear in time: an end
 * is searched only if there is one.
 */
function markupText(text: string): string {
  const pieces: string[] = [];
  const lastEnds: Readonly<Record<string, number>> = Object.fromEntries(
    Object.values(ENDS).map((end) => [end, text.lastIndexOf(end)]),
  );
  let at = 0;
  for (;;) {
    MARK.lastIndex = at;
    const found = MARK.exec(text);
    if (found === null) return pieces.join("") + text.slice(at);
    const [whole, decimal, hexadecimal, name] = found;
    pieces.push(text.slice(at, found.index));
    at = found.index + whole.length;
    if (whole.startsWith("&")) {
      const code = decimal ?? hexadecimal;
      const character = code && characterOf(Number.parseInt(code, decimal === undefined ? 16 : 10));
      pieces.push(character ?? NAMED[name ?? ""] ?? whole);
      continue;
    }
    const end = ENDS[whole];
    if (end !== undefined && at <= (lastEnds[end] ?? -1)) {
      const close = text.indexOf(end, at);
      if (whole !== "<!--") pieces.push(text.slice(at, close));
      at = close + end.length;
      continue;
    }
    if (end === undefined) continue;
    TAG.lastIndex = found.index;
    if (TAG.test(text)) at = TAG.lastIndex;
    else pieces.push(whole);
  }
}

/** Text with the escapes of JavaScript decoded (ECMA-262, 12.9.4). */
const unescaped = (text: string): string =>
  text.replaceAll(
    /\\(?:u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|([0-3]?[0-7]{1,2})|([^ux0-7]))/g,
    (whole: string, unit?: string, point?: string, byte?: string, octal?: string, other?: string) => {
      if (other !== undefined) return other === "\n" ? "" : other;
      const hexadecimal = unit ?? point ?? byte;
      const code = Number.parseInt(hexadecimal ?? octal ?? "", hexadecimal === undefined ? 8 : 16);
      return characterOf(code) ?? whole;
    },
  );

const characterOf = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);
