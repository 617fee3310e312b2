/** Letters are read at every size and resolution, whether the file says its resolution or is a page of 72 dpi. */
import { expect, test } from "vitest";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { characterErrorRate } from "../harness/compare/edit-distance.ts";
import { recognize, scanned, scanPage, setPage } from "./ocr-service.ts";
import { texts } from "./ocr-texts.ts";

const comparable = (text: string): string => text.normalize("NFKC").replaceAll(/\s/gu, "");

test.each([
  ["eng", 36, 200, 72],
  ["ara", 36, 300, 72],
  ["kor", 14, 200, 72],
  ["kor", 14, 600, 72],
  ["kor", 36, 200, 200],
  ["jpn", 24, 200, 200],
  ["jpn", 24, 200, 72],
  ["chi_sim", 14, 200, 72],
  ["chi_sim", 24, 200, 72],
  ["chi_tra", 24, 200, 200],
  ["chi_sim", 36, 300, 300],
  ["chi_tra", 36, 600, 600],
])(
  "text in %s of %d points, scanned at %d dpi and placed at %d, is recognized",
  async (language, size, dpi, placed) => {
    const text = texts[language] ?? "";
    const page = drawing({ width: size * 34, height: size * 11, content: "" });
    const scan = await scanned(await setPage(text, page, { fontSize: String(size) }), "jpeg", dpi);
    const { text: read } = await recognize(drawing(scanPage(scan, "", placed)), { languages: language });
    expect(characterErrorRate(comparable(read), comparable(text)), read).toBeLessThanOrEqual(0.1);
  },
);

// The noise of JPEG would be as large as their strokes.
test.each(["ara", "kor", "chi_tra"])("text in %s with letters of 11 pixels is recognized", async (language) => {
  const text = texts[language] ?? "";
  const page = drawing({ width: 272, height: 88, content: "" });
  const scan = await scanned(await setPage(text, page, { fontSize: "8" }), "png", 100);
  const { text: read } = await recognize(scan, { languages: language });
  expect(characterErrorRate(comparable(read), comparable(text)), read).toBeLessThanOrEqual(0.1);
});

test("small print among large letters is recognized", async () => {
  const lines = ["Large letters of a poster", "stand above its small print", "and fill most of its lines"];
  const large = lines.map((line, at) => `BT /F1 60 Tf 40 ${700 - at * 80} Td (${line}) Tj ET`).join("\n");
  const small = "BT /F1 12 Tf 40 100 Td (The small print names the printer, and the place) Tj ET";
  const { text } = await recognize(drawing({ width: 850, height: 800, content: `${large}\n${small}` }), {
    mode: "force",
  });
  expect(text.split(/\n+/)).toEqual([...lines, "The small print names the printer, and the place"]);
});
