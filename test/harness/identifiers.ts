/** A PDF as text, one character per byte, without its file identifiers (ISO 32000-2, 14.4), which are random by design. */
export function withoutIdentifiers(file: Uint8Array): string {
  const text = new TextDecoder("latin1").decode(file);
  return text.replace(/\/ID\s*\[(?:\s*(?:<\w*>|\((?:\\[^]|[^\\()])*\)))*\s*\]/g, "");
}
