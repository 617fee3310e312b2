import { describe, expect, test } from "vitest";
import { HiddenText } from "../../src/engines/ocr/hidden-text.ts";
import type { RecognizedPage } from "../../src/engines/ocr/words.ts";
import { change, isSame } from "../harness/fixtures/changed-document.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";
import { ADVANCE, GAP, HEIGHT, recognized, type Written } from "../harness/fixtures/recognized.ts";
import { readPage } from "../harness/engines/render.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";
import { withoutIdentifiers } from "../harness/compare/identifiers.ts";

const LINES: readonly Written[] = [
  { text: "The quick (brown) fox", x: 40, top: 50 },
  { text: "Съешь ещё этих булок", x: 40, top: 80 },
  { text: "مرحبا بالعالم في عام 2024 مع PDF", x: 40, top: 110, rightToLeft: true },
  { text: "שלום עולם מחיר 3.14 ש״ח", x: 40, top: 140, rightToLeft: true },
  { text: "العدد 50 في صفحة\u200f 16/7/2024", x: 40, top: 380, rightToLeft: true },
  { text: "हिन्दी में कुछ शब्द हैं", x: 40, top: 170 },
  { text: "ภาษาไทย สวยงาม", x: 40, top: 200 },
  { text: "中文 字 识别", x: 40, top: 230 },
  { text: "日本語 の テキスト", x: 40, top: 260 },
  { text: "한국어 문장 입니다", x: 40, top: 290 },
  { text: "astral 😀𝒜 plane", x: 40, top: 320 },
];

/** Chinese and Japanese come without the spaces between what was recognized. */
const READ = LINES.map(({ text }) =>
  /\p{Script=Han}/u.test(text) ? text.replaceAll(" ", "") : text.replaceAll("\u200f", ""),
);

const CROPPED = "/CropBox [50 100 550 750]";
const drawn = `0.8 0.2 0.2 rg 60 120 80 90 re f ${show("Page", 200, 300, 30)}`;

/** Pages, their sizes in points as a person sees them, and by how much they must be turned to be read. */
const PAGES = [
  ["/Rotate 0", { content: drawn, entries: `/Rotate 0 ${CROPPED}` }, 500, 650, 180],
  ["/Rotate 90", { content: drawn, entries: `/Rotate 90 ${CROPPED}` }, 650, 500, 270],
  ["/Rotate 180", { content: drawn, entries: `/Rotate 180 ${CROPPED}` }, 500, 650, 0],
  ["/Rotate 270", { content: drawn, entries: `/Rotate 270 ${CROPPED}` }, 650, 500, 90],
  ["UserUnit 2", { content: drawn, entries: "/UserUnit 2 /CropBox [50 100 300 400]" }, 500, 600, 270],
  [
    "content that ends in another graphics state",
    { content: `Q Q ${drawn} q 3 0 0 3 50 60 cm 0 0 9 9 re W n /Artifact BMC BT 7 Tr 0.1 Tc`, entries: "" },
    600,
    800,
    0,
  ],
] as const;

async function withText(file: Uint8Array, pages: readonly RecognizedPage[]): Promise<Uint8Array> {
  return change(file, (open) => {
    const text = new HiddenText(open);
    for (const [index, page] of pages.entries()) text.add(index, page);
    text.finish();
  });
}

describe("invisible text", () => {
  test.each(PAGES)(
    "invisible text covers the visible words on a page with %s",
    async (_, page, width, height, rotation) => {
      const file = textDocument([page]);
      const output = await withText(file, [recognized(LINES, { width, height, rotation })]);
      expect(await check(output)).toMatchObject({ warnings: [], errors: [] });
      const [before, after] = [await readPage(file, 1, { scale: 1 }), await readPage(output, 1, { scale: 1 })];
      expect(isSame(before.picture, after.picture)).toBe(true);
      expect(after.text.split("\n").slice(0, READ.length - 1)).toEqual(READ.slice(0, -1));
      expect(after.text).toContain(READ.at(-1));

      const across = rotation % 180 === 0 ? width : height;
      for (const [index, { x, top, rightToLeft }] of LINES.entries()) {
        const begins = READ[index]?.split(" ")[0] ?? "";
        const run = after.runs.find(({ text }) => text.startsWith(begins));
        const upright = run && standing(run, { width, height, rotation });
        const length = lineLength(LINES[index]?.text ?? "");
        expect(upright?.x).toBeCloseTo(rightToLeft ? across - x - length : x, 0);
        // The baseline is above the lower edge by a fifth of the line's height.
        expect(upright?.y).toBeCloseTo(top + HEIGHT * 0.8, 0);
      }
    },
  );
});

/** A place as it is on the page that was turned to be read. */
function standing(
  { x, y }: { x: number; y: number },
  { width, height, rotation }: { width: number; height: number; rotation: number },
): { x: number; y: number } {
  if (rotation === 90) return { x: height - y, y: x };
  if (rotation === 180) return { x: width - x, y: height - y };
  return rotation === 270 ? { x: y, y: width - x } : { x, y };
}

const lineLength = (text: string): number => {
  const words = text.split(" ");
  return words.reduce((sum, word) => sum + Array.from(word).length * ADVANCE, 0) + (words.length - 1) * GAP;
};

const UPRIGHT = { width: 600, height: 800, rotation: 0 } as const;

test("right-to-left words are read in their order, even if some boxes contain others", async () => {
  const word = (text: string, x0: number, x1: number) => ({ text, bbox: [x0, 100, x1, 114], confidence: 1 }) as const;
  const words = [word("وفعالة", 300, 340), word("كان", 272, 280), word("لديك", 255, 290), word("ة", 205, 208)];
  const lines = [{ bbox: [200, 100, 340, 114], words: [...words, word("قوية", 200, 240)] }] as const;
  const output = await withText(textDocument([{ content: "" }]), [{ rotation: 0, lines }]);
  const { text } = await readPage(output);
  expect(text.replaceAll(" ", "")).toBe("وفعالةكانلديكةقوية");
});

test("a level line is one line for any boxes of its words, and a slanted one follows its words", async () => {
  const word = (text: string, x0: number, y0: number, x1: number, y1: number) =>
    ({ text, bbox: [x0, y0, x1, y1], confidence: 1 }) as const;
  const level = {
    bbox: [40, 100, 180, 114] as const,
    words: [word("mean", 40, 104, 90, 111), word("high", 96, 100, 180, 114)],
  };
  const slanted = {
    bbox: [40, 200, 480, 240] as const,
    words: [word("left", 40, 200, 80, 212), word("middle", 240, 214, 280, 226), word("right", 440, 228, 480, 240)],
  };
  const lines = [level, slanted] as const;
  const { runs } = await readPage(await withText(textDocument([{ content: "" }]), [{ rotation: 0, lines }]));
  expect(runs[0]).toMatchObject({ text: "mean high" });
  expect(runs[0]?.y).toBeCloseTo(111.2, 0);
  const places = ["left", "middle", "right"].map((start) => runs.find(({ text }) => text.startsWith(start)));
  expect(places.map((run) => Math.round(run?.y ?? 0))).toEqual([210, 224, 238]);
});

describe("file with invisible text", () => {
  const lines = Array.from({ length: 40 }, (_, row) => ({
    text: `${row} words that a recognizer found on a page of ordinary text`,
    x: 40,
    top: 20 + row * 19,
  }));

  test("a file grows by the text and one small font", async () => {
    const file = textDocument(Array.from({ length: 5 }, () => ({ content: drawn })));
    const page = recognized(lines, UPRIGHT);
    const plain = await change(file, () => undefined);
    const output = await withText(
      file,
      Array.from({ length: 5 }, () => page),
    );
    const words = 5 * lines.reduce((sum, { text }) => sum + text.split(" ").length, 0);
    expect(output.length - plain.length).toBeLessThan(2_500 + 20 * words);
    const fonts = (await plainText(output)).match(/\/FontFile2 /g);
    expect(fonts).toHaveLength(1);
  });

  test("a file keeps the streams of its pages, and the meaning of other names", async () => {
    const content = show("Mine", 40, 700).replace("/F1", "/HiddenText1");
    const file = textDocument([{ content: show("One", 40, 700) }, { content }]);
    // Both pages have the resources of one, in which the name is taken.
    const shared = await change(file, ({ document }) => {
      const resources = document.findPage(0).get("Resources");
      resources.get("Font").put("HiddenText1", resources.get("Font", "F1"));
      const number = document.addObject(resources);
      document.findPage(0).put("Resources", number);
      document.findPage(1).put("Resources", number);
    });
    const output = await withText(shared, [recognized([{ text: "found", x: 40, top: 300 }], UPRIGHT)]);
    expect((await readPage(output, 1)).text).toMatch(/^found\s+One$/);
    expect((await readPage(output, 2)).text).toBe("Mine");
    const text = await plainText(output);
    for (const stream of [show("One", 40, 700), content]) expect(text).toContain(`stream\n${stream}\nendstream`);
  });

  test("a file of pages without words is unchanged", async () => {
    const file = textDocument([{ content: drawn }]);
    const output = await withText(file, [{ rotation: 0, lines: [] }]);
    expect(withoutIdentifiers(output)).toBe(withoutIdentifiers(await change(file, () => undefined)));
  });
});
