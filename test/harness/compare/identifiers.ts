/**
 * A PDF as text, one character per byte, without its file identifiers (ISO 32000-2, 14.4), which are random by design, and without offsets: an
 * identifier takes 18 to 34 bytes, and what follows it moves.
 */
export function withoutIdentifiers(file: Uint8Array): string {
  const text = new TextDecoder("latin1").decode(file);
  return text
    .replace(/\/ID\s*\[(?:\s*(?:<\w*>|\((?:\\[^]|[^\\()])*\)))*\s*\]/g, "")
    .replace(/^\d{10}(?= \d{5} n)/gm, "")
    .replace(/(\bstartxref\s+|\/Prev )\d+/g, "$1")
    .replace(/(\/Type\s*\/XRef\b[^>]*?)\/Length \d+([^>]*>>\s*stream\r?\n)[^]*?(?=\r?\n?endstream)/g, "$1$2");
}
