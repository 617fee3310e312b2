/** Font files as an operator may have them: those of a package, with other names and permissions (OpenType 1.9: name, OS/2). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fontOf, u16 } from "./sfnt-fixtures.ts";

const packages = join(import.meta.dirname, "../../../node_modules/@expo-google-fonts");
/** A script face, whose glyphs are like none of a text face. */
export const scriptFace = readFileSync(join(packages, "great-vibes/400Regular/GreatVibes_400Regular.ttf"));

const REGULAR = 1 << 6;
export const BOLD = 1 << 5;

interface Changes {
  readonly family: string;
  /** `fsType` and `fsSelection` of the table OS/2. */
  readonly type?: number;
  readonly selection?: number;
}

/** The font with another family, which may be embedded unless `type` forbids it. */
export function operatorFont(
  { family, type = 0, selection = REGULAR }: Changes,
  font: Uint8Array = scriptFace,
): Uint8Array {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const tables: Record<string, readonly number[]> = {};
  for (let index = 0, count = view.getUint16(4); index < count; index++) {
    const at = 12 + index * 16;
    const tag = String.fromCharCode(...font.subarray(at, at + 4));
    const start = view.getUint32(at + 8);
    tables[tag] = Array.from(font.subarray(start, start + view.getUint32(at + 12)));
  }
  const os2 = [...(tables["OS/2"] ?? [])];
  os2.splice(8, 2, ...u16(type));
  os2.splice(62, 2, ...u16(selection));
  const text = Array.from(family, (letter) => u16(letter.charCodeAt(0))).flat();
  // One name: Windows, Unicode, English, the family.
  const name = [...u16(0, 1, 18), ...u16(3, 1, 0x409, 1, text.length, 0), ...text];
  return fontOf({ ...tables, "OS/2": os2, name });
}
