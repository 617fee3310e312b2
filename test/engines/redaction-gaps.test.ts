import { expect, test } from "vitest";
import type { OpenPdf } from "../../src/engines/pdf/document/document.ts";
import { compareGlyphs, type DrawnGlyph, gapsIn, withGaps } from "../../src/engines/pdf/redaction/proof/glyphs.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

const open = { engine: { work: unlimitedWork() } } as OpenPdf;

/** Letters of a line, half a font size wide each. */
const line = (text: string, x: number, y = 700): DrawnGlyph[] =>
  Array.from(text, (letter, at) => ({
    unicode: letter.codePointAt(0) ?? 0,
    x: x + at * 5,
    y,
    angle: 0,
    advance: 0.5,
    vertical: false,
    size: 10,
    em: 10,
  }));

/** What is read of a page from which glyphs were erased within an area. */
async function readAfter(before: readonly DrawnGlyph[], after: readonly DrawnGlyph[]): Promise<string> {
  const matches = [{ area: [0, 0, 600, 800] as const, letters: undefined }];
  const { fault, gone } = await compareGlyphs(open, [...before], [...after], {
    regions: [],
    matches,
    unknownMayGo: false,
  });
  expect(fault).toBeUndefined();
  return String.fromCodePoint(...withGaps(after, gapsIn(before, gone)).map(({ unicode }) => unicode));
}

test("each run of removed glyphs is read as one character in its place", async () => {
  const [a, secret, b] = [line("ab", 10), line("xyz", 20), line("cd", 35)];
  expect(await readAfter([...a, ...secret, ...b], [...a, ...b])).toBe("ab█cd");
  expect(await readAfter([...secret, ...b, ...line("xyz", 60)], b)).toBe("█cd█");
});

test("a layer of a text is read unchanged if only another layer of it is removed", async () => {
  const [first, second] = [line("xyz", 20), line("xyz", 20.5, 700.4)];
  expect(await readAfter([...first, ...second], second)).toBe("xyz");
  expect(await readAfter([...first, ...first], first)).toBe("xyz");
});
