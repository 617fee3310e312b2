/** Which bytes are text, so that all that they say can be searched. */

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
// oxlint-disable-next-line no-control-regex -- that is what it looks for
const hasControls = (text: string): boolean => /[\0-\x08\x0e-\x1f]/.test(text);
