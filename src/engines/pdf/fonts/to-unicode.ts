/** Writes ToUnicode CMaps (ISO 32000-2, 9.10.3). */

/**
 * The text of a glyph without text: readers drop a zero-width space, but would treat a code without a mapping as a
 * character.
 */
const NOTHING = "\u200b";

/** Most entries per `bfchar` section (9.10.3). */
const MOST_MEANINGS = 100;

export const hexCode = (code: number): string => code.toString(16).padStart(4, "0");

/** UTF-16BE in hexadecimal. */
export function utf16(text: string): string {
  return Array.from({ length: text.length }, (_, index) => hexCode(text.charCodeAt(index))).join("");
}

/** The ToUnicode CMap of a font whose code `n` means `texts[n - 1]`. */
export function toUnicode(texts: readonly string[]): string {
  return toUnicodeOf(texts.map((text, index) => [hexCode(index + 1), utf16(text === "" ? NOTHING : text)]));
}

/** A ToUnicode CMap (9.10.3). `meanings`: codes, which all have the same length, and UTF-16BE, all in hexadecimal. */
export function toUnicodeOf(meanings: readonly (readonly [code: string, text: string])[]): string {
  const sections: string[] = [];
  for (let from = 0; from < meanings.length; from += MOST_MEANINGS) {
    const part = meanings.slice(from, from + MOST_MEANINGS).map(([code, text]) => `<${code}> <${text}>`);
    sections.push(`${part.length} beginbfchar\n${part.join("\n")}\nendbfchar`);
  }
  const digits = meanings[0]?.[0].length ?? 4;
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def /CMapName /Stamp def /CMapType 2 def
1 begincodespacerange <${"0".repeat(digits)}> <${"f".repeat(digits)}> endcodespacerange
${sections.join("\n")}
endcmap CMapName currentdict /CMap defineresource pop end end`;
}
