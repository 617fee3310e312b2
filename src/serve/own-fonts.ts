/** The fonts of the operator: the files of a folder (OpenType 1.9: the tables name, OS/2, and those that SfntFont reads). */
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { OwnFont } from "../engines/fonts.ts";
import { SfntFont } from "../engines/pdf/fonts/sfnt.ts";
import { MiB } from "../limits.ts";

/** Most files of a folder, and bytes of one. A request holds those that its text needs in memory. */
const MOST = 200;
const MOST_BYTES = 16 * MiB;

const FAMILY = 1;
const WINDOWS = 3;
/** What a file that is embedded needs, besides its outlines. */
const TABLES = ["head", "hhea", "hmtx", "maxp", "cmap", "name", "OS/2"];
const FS_TYPE = { at: 8, usage: 0xe, restricted: 0x2, notSubset: 0x100, bitmaps: 0x200 } as const;
const FS_SELECTION = { at: 62, italic: 1, bold: 1 << 5 } as const;

export interface OwnFonts {
  readonly fonts: readonly OwnFont[];
  /** The files that cannot be used, and why: the end of a sentence that begins with the file. */
  readonly problems: readonly { readonly file: string; readonly problem: string }[];
}

/** Reads the fonts of a folder. @throws the error of the file system if there is no such folder */
export async function readOwnFonts(folder: string): Promise<OwnFonts> {
  const files = (await readdir(folder)).filter((name) => /\.(ttf|otf|ttc|otc)$/i.test(name)).toSorted();
  const fonts: OwnFont[] = [];
  const problems: { file: string; problem: string }[] = [];
  for (const [index, file] of files.entries()) {
    const found = index < MOST ? await readFont(join(folder, file)) : `is one of more than ${MOST} files`;
    if (typeof found === "string") {
      problems.push({ file, problem: found });
      continue;
    }
    const font = { file, ...found };
    const same = fonts.find(
      ({ family, bold, italic }) => family === font.family && bold === font.bold && italic === font.italic,
    );
    if (same) problems.push({ file, problem: `has the family and style of ${same.file}` });
    else fonts.push(font);
  }
  return { fonts, problems };
}

/** The family and the style, or the problem. */
async function readFont(path: string): Promise<Omit<OwnFont, "file"> | string> {
  if (/c$/i.test(extname(path))) return "is a collection. Use a file for each of its fonts";
  if ((await stat(path)).size > MOST_BYTES) return `has more than ${MOST_BYTES / MiB} MiB`;
  try {
    const font = new SfntFont(await readFile(path));
    const lacks = TABLES.find((tag) => !font.tables.has(tag));
    if (lacks !== undefined) return `is no font that can be embedded: it has no table ${lacks}`;
    if (!font.tables.has("CFF ") && !(font.tables.has("glyf") && font.tables.has("loca")))
      return "has no outlines of TrueType or CFF";
    if (font.tables.has("fvar")) return "is a variable font. Use a file for each style";
    const os2 = font.table("OS/2");
    const type = os2.getUint16(FS_TYPE.at);
    if ((type & FS_TYPE.usage) === FS_TYPE.restricted) return "does not allow embedding (fsType 2: restricted license)";
    if ((type & FS_TYPE.notSubset) !== 0)
      return "does not allow that only some of its glyphs are embedded (fsType 256)";
    if ((type & FS_TYPE.bitmaps) !== 0) return "allows only its bitmaps to be embedded (fsType 512)";
    const family = familyOf(font.table("name"));
    if (family === undefined) return "does not name its family";
    const selection = os2.getUint16(FS_SELECTION.at);
    return {
      family,
      bold: (selection & FS_SELECTION.bold) !== 0,
      italic: (selection & FS_SELECTION.italic) !== 0,
    };
  } catch {
    return "is damaged, or no TrueType or OpenType font";
  }
}

/** The first name of the family in Windows' encoding, UTF-16: an English one, as a rule. */
function familyOf(name: DataView): string | undefined {
  const [count, strings] = [name.getUint16(2), name.getUint16(4)];
  for (let index = 0; index < count; index++) {
    const at = 6 + index * 12;
    if (name.getUint16(at) !== WINDOWS || name.getUint16(at + 6) !== FAMILY) continue;
    const [length, offset] = [name.getUint16(at + 8), name.getUint16(at + 10)];
    const start = name.byteOffset + strings + offset;
    const text = new TextDecoder("utf-16be").decode(new Uint8Array(name.buffer, start, length)).trim();
    if (text !== "") return text;
  }
  return undefined;
}
