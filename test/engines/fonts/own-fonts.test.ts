import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownFont } from "../../../src/engines/fonts.ts";
import { readOwnFonts } from "../../../src/serve/own-fonts.ts";
import { BOLD, operatorFont, scriptFace } from "../../harness/fonts/operator-fonts.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pdf-service-fonts-"));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const put = async (name: string, bytes: Uint8Array): Promise<void> => writeFile(join(folder, name), bytes);

test("the fonts of a folder have the families and styles of their files", async () => {
  await put("a.ttf", operatorFont({ family: "Brand Script" }));
  await put("b.TTF", operatorFont({ family: "Brand Script", selection: BOLD }));
  await put("c.ttf", operatorFont({ family: "Ünïcode", selection: BOLD | 1 }));
  await put("readme.txt", Buffer.from("no font"));
  expect(await readOwnFonts(folder)).toEqual({
    fonts: [
      { file: "a.ttf", family: "Brand Script", bold: false, italic: false },
      { file: "b.TTF", family: "Brand Script", bold: true, italic: false },
      { file: "c.ttf", family: "Ünïcode", bold: true, italic: true },
    ],
    problems: [],
  });
});

test.each<[string, string, () => Uint8Array]>([
  ["a.ttf", "is damaged, or no TrueType or OpenType font", () => scriptFace.subarray(0, 5_000)],
  ["a.otf", "is damaged, or no TrueType or OpenType font", () => new Uint8Array()],
  ["a.ttc", "is a collection. Use a file for each of its fonts", () => scriptFace],
  [
    "a.ttf",
    "does not allow embedding (fsType 2: restricted license)",
    () => operatorFont({ family: "Brand", type: 2 }),
  ],
  [
    "a.ttf",
    "does not allow that only some of its glyphs are embedded (fsType 256)",
    () => operatorFont({ family: "Brand", type: 0x104 }),
  ],
  [
    "a.ttf",
    "allows only its bitmaps to be embedded (fsType 512)",
    () => operatorFont({ family: "Brand", type: 0x200 }),
  ],
  ["a.ttf", "does not name its family", () => operatorFont({ family: " " })],
  ["a.ttf", "has more than 16 MiB", () => new Uint8Array(16 * 1024 * 1024 + 1)],
])("%s is not used: it %s", async (file, problem, make) => {
  await put(file, make());
  await put("good.ttf", operatorFont({ family: "Good", type: 8 }));
  const { fonts, problems } = await readOwnFonts(folder);
  expect(problems).toEqual([{ file, problem }]);
  expect(fonts.map(({ family }) => family)).toEqual(["Good"]);
});

test("a second font of the same family and style is not used", async () => {
  for (const name of ["a.ttf", "b.ttf"]) await put(name, operatorFont({ family: "Brand" }));
  const { fonts, problems } = await readOwnFonts(folder);
  expect(fonts.length).toBe(1);
  expect(problems).toEqual([{ file: "b.ttf", problem: "has the family and style of a.ttf" }]);
});

test("a family is found in any case, in the nearest style", () => {
  const font = (file: string, bold: boolean, italic: boolean) => ({ file, family: "Brand", bold, italic });
  const own = [font("regular", false, false), font("bold", true, false)];
  expect(ownFont({ own }, "BRAND")?.file).toBe("regular");
  expect(ownFont({ own }, "brand", { bold: true, italic: true })?.file).toBe("bold");
  expect(ownFont({ own }, "brand", { italic: true })?.file).toBe("regular");
  expect(ownFont({ own }, "other")).toBeUndefined();
  expect(ownFont({}, "brand")).toBeUndefined();
});
