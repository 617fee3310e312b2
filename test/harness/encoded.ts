/** A text in an encoding of the WHATWG Encoding Standard with one or two bytes for a character. */
export function encoded(text: string, label: string): Uint8Array {
  const decoder = new TextDecoder(label);
  const bytes = new Map<string, readonly number[]>();
  const add = (...code: number[]): void => {
    const character = decoder.decode(Uint8Array.from(code));
    if (!bytes.has(character) && !character.includes("\ufffd")) bytes.set(character, code);
  };
  for (let byte = 0; byte < 256; byte++) add(byte);
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail);
  return Uint8Array.from(
    Array.from(text, (character) => {
      const code = bytes.get(character);
      if (code === undefined) throw new Error(`${label} has no ${character}`);
      return code;
    }).flat(),
  );
}
