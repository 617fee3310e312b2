import { describe, expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { edited, type FontNames, invisibleText } from "../../../src/engines/ocr/invisible-operators.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

const FONTS: FontNames = { drawsAlways: (name) => name === "T3", setsFont: (name) => name === "Font" };

/** Content without its invisible text. */
async function without(content: string): Promise<string> {
  const bytes = bytesOf(content);
  const edits = await invisibleText(bytes, FONTS, unlimitedWork());
  const result = edited(bytes, { start: 0, end: bytes.length }, edits);
  return result ? latin1(result) : content;
}

test.each([
  ["text in mode 3", "BT 3 Tr (a) Tj ET f", "BT 3 Tr   ET f"],
  ["the text, not the line it begins", "BT 3 Tr (a) ' ET f", "BT 3 Tr T*  ET f"],
  ["the text, not the spacing it sets", 'BT 3 Tr 1 2 (a) " ET f', "BT 3 Tr 1 Tw 2 Tc T*  ET f"],
  ["a group of nothing else", "f q 1 0 0 1 5 5 cm BT 3 Tr (a) Tj ET Q f", "f   f"],
  ["a group in a group", "q q BT 3 Tr (a) Tj ET Q Q", " "],
  ["text in a group that paints", "q f BT 3 Tr (a) Tj ET Q", "q f BT 3 Tr   ET Q"],
])("invisible text is removed: %s", async (_, content, expected) => expect(await without(content)).toBe(expected));

describe("visible content", () => {
  test.each([
    ["visible text", "BT 0 Tr (a) Tj ET"],
    ["text that moves visible text", "BT 3 Tr (a) Tj 0 Tr (b) Tj ET"],
    ["glyphs of a Type 3 font", "BT /T3 1 Tf 3 Tr (a) Tj ET"],
    ["text in a font of parameters", "BT /Font gs 3 Tr (a) Tj ET"],
    ["text after the mode was restored", "q 3 Tr Q BT (a) Tj ET"],
    ["strings and images with its operators", "3 Tr ((a) Tj) pop BI /W 1 ID (a) Tj EI"],
  ])("visible content stays: %s", async (_, content) => expect(await without(content)).toBe(content));
});

test("an edit over the end of a stream is written in the first of its streams", async () => {
  const bytes = bytesOf('q BT 3 Tr 1 2 (a)\n " ET Q f');
  const edits = await invisibleText(bytesOf('q f BT 3 Tr 1 2 (a)\n " ET Q'), FONTS, unlimitedWork());
  expect(edits).toEqual([{ start: 12, end: 22, text: "1 Tw 2 Tc T*" }]);
  const first = edited(bytes, { start: 0, end: 17 }, [{ start: 10, end: 20, text: "T*" }]);
  const second = edited(bytes, { start: 18, end: bytes.length }, [{ start: 10, end: 20, text: "T*" }]);
  expect([first && latin1(first), second && latin1(second)]).toEqual(["q BT 3 Tr T* ", "  ET Q f"]);
});
