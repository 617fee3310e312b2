import { describe, expect, test } from "vitest";
import { HiddenText } from "../../src/engines/ocr/hidden-text.ts";
import { InvisibleText } from "../../src/engines/ocr/invisible-text.ts";
import { change, isSame } from "../harness/fixtures/changed-document.ts";
import { latin1, pdf } from "../harness/fixtures/pdf-writer.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";
import { recognized } from "../harness/fixtures/recognized.ts";
import { readPage } from "../harness/engines/render.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";
import { withoutIdentifiers } from "../harness/compare/identifiers.ts";

const UPRIGHT = { width: 600, height: 800, rotation: 0 } as const;

/** The document without the invisible text of its pages (0-based). */
const cleaned = (file: Uint8Array, pages: readonly number[] = [0]): Promise<Uint8Array> =>
  change(file, async (open) => {
    const text = new InvisibleText(open);
    for (const page of pages) await text.removeFrom(page);
  });

/** What a page says, before and after; it must look the same. */
async function texts(file: Uint8Array, output: Uint8Array, page = 1): Promise<[string, string]> {
  const [before, after] = [await readPage(file, page, { scale: 1 }), await readPage(output, page, { scale: 1 })];
  expect(isSame(before.picture, after.picture)).toBe(true);
  return [before.text, after.text].map((text) => text.replaceAll(/\s+/g, " ").trim()) as [string, string];
}

/** Content, and what is left of its text. */
const CONTENTS: Readonly<Record<string, readonly [content: string, left: string]>> = {
  "a layer of its own": [`q BT 3 Tr /F1 10 Tf 90 Tz 40 700 Td (gone) Tj ET Q ${show("seen", 40, 600)}`, "seen"],
  "beside visible text in one text object": [
    "BT /F1 20 Tf 40 700 Td 3 Tr (gone) Tj [(go) -200 (ne)] TJ 0 -30 Td 0 Tr (seen) Tj 3 Tr 24 TL (gone) ' 1 2 (gone) \" 0 Tr (too) ' ET",
    "seen too",
  ],
  "that visible text goes on from": ["BT /F1 20 Tf 40 700 Td 3 Tr (stays) Tj 0 Tr (seen) Tj ET", "stays seen"],
  "with a picture beside it": [
    "q 3 Tr BT /F1 20 Tf 40 700 Td (gone) Tj ET 1 0 0 rg 40 500 90 90 re f Q q 50 0 0 50 200 200 cm BI /W 1 /H 1 /BPC 8 /CS /G ID z EI Q",
    "",
  ],
  "in a state that was restored": [
    `q 3 Tr q 0 Tr ${show("seen", 40, 700)} Q ${show("gone", 40, 600)} Q ${show("too", 40, 500)}`,
    "seen too",
  ],
  "that clips": [
    "q BT /F1 90 Tf 40 700 Td 7 Tr (clip) Tj ET 1 0 0 rg 0 0 600 800 re f Q BT 3 Tr /F1 9 Tf (gone) Tj ET",
    "clip",
  ],
};

describe("removal of invisible text", () => {
  test.each(Object.entries(CONTENTS))(
    "invisible text is removed, and visible text stays: %s",
    async (_, [content, left]) => {
      const file = textDocument([{ content }]);
      const output = await cleaned(file);
      expect(await check(output)).toMatchObject({ warnings: [], errors: [] });
      const [before, after] = await texts(file, output);
      expect(before).not.toBe("");
      expect(after.replace("staysseen", "stays seen")).toBe(left);
    },
  );

  test("a page without invisible text is unchanged", async () => {
    const file = textDocument([{ content: `q 3 Tr Q ${show("seen", 40, 700)}` }]);
    expect(withoutIdentifiers(await cleaned(file))).toBe(withoutIdentifiers(await change(file, () => undefined)));
  });

  test("invisible text in a form that pages share is removed from the selected pages only", async () => {
    const form = (content: string, resources: string) => ({
      entries: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << ${resources} >>`,
      data: latin1(content),
    });
    const inner = `BT 3 Tr /F1 20 Tf 40 500 Td (gone) Tj 0 Tr ET ${show("seen", 40, 300)}`;
    const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R >>";
    const file = pdf(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /Resources << /XObject << /X1 6 0 R >> >> >>",
        page,
        page,
        { entries: "", data: latin1("/X1 Do") },
        form("q 0.5 0 0 0.5 0 0 cm /X2 Do Q", "/XObject << /X2 7 0 R >>"),
        form(inner, "/Font << /F1 8 0 R >>"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      ],
      "/Root 1 0 R",
    );
    const output = await cleaned(file, [1]);
    expect(await texts(file, output, 1)).toEqual(["gone seen", "gone seen"]);
    expect(await texts(file, output, 2)).toEqual(["gone seen", "seen"]);
  });
});

test("a page that is recognized again has one layer with one font, and the file is as large as before", async () => {
  const recognize = (file: Uint8Array): Promise<Uint8Array> =>
    change(file, async (open) => {
      const [earlier, text] = [new InvisibleText(open), new HiddenText(open)];
      for (let index = 0; index < open.pageCount; index++) {
        await earlier.removeFrom(index);
        text.add(index, recognized([{ text: "words of a scan", x: 40, top: 100 }], UPRIGHT));
      }
      text.finish();
    });
  const once = await recognize(textDocument([{ content: show("seen", 40, 600) }, { content: show("seen", 40, 500) }]));
  const twice = await recognize(once);
  expect(await texts(once, twice)).toEqual(["words of a scan seen", "words of a scan seen"]);
  expect(Math.abs(twice.length - once.length)).toBeLessThan(100);
  expect((await plainText(twice)).match(/\/FontFile2 /g)).toHaveLength(1);
});
