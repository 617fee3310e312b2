/** The text of files that are text, in whatever encoding they say or seem to be in. */

/** How many bytes of HTML are searched for its encoding (HTML Standard, 13.2.3.2). */
const DECLARATION_BYTES = 1024;
const DECLARED = /<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)|<meta[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)/i;

/** The encoding: by byte order mark, by declaration, UTF-8 if it is that, else Windows-1252. */
function encodingOf(bytes: Uint8Array): string {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  const head = String.fromCharCode(...bytes.subarray(0, DECLARATION_BYTES));
  const [, xml, html] = DECLARED.exec(head) ?? [];
  const label = xml ?? html;
  if (label !== undefined && isEncoding(label) && !/^utf-?16/i.test(label)) return label;
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes, { stream: true });
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}

export const decodeText = (bytes: Uint8Array): string => new TextDecoder(encodingOf(bytes)).decode(bytes);
