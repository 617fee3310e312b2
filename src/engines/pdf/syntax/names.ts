/** Decodes a name: `#` and two hexadecimal digits stand for a byte (ISO 32000-2, 7.3.5). */
export function unescapeName(name: string): string {
  return name.replace(/#([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
