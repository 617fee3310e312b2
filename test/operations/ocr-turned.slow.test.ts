import { describe, expect, test } from "vitest";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { operationService } from "./operation-service.ts";
import { expectInPlace, post, recognize, scanned, scanPage, setPage, wordsOf } from "./ocr-service.ts";
import { texts } from "./ocr-texts.ts";

const ENGLISH = texts["eng"] ?? "";
const english = await setPage(ENGLISH, drawing({ width: 420, height: 160, content: "" }));
const jpeg = await scanned(english, "jpeg");
const rotate = await operationService("rotate");
const plain = (text: string): string => text.replaceAll(/\s+/g, " ");

describe("turned pages", () => {
  test.each(["0", "90", "180", "270"])(
    "a page turned by %s degrees is read, with each word in place",
    async (angle) => {
      const file = await (await rotate(english, { angle })).bytes();
      const { pages, text } = await recognize(file, { mode: "force", words: "true" });
      expect(plain(text)).toBe(plain(ENGLISH));
      const [own, expected] = [pages[0]?.words ?? [], await wordsOf(file)];
      expect(pages[0]?.confidence).toBeGreaterThan(0.75);
      expect(own.map((word) => word.text)).toEqual(ENGLISH.split(/\s/));
      for (const { confidence } of own) expect(confidence).toBeLessThanOrEqual(1);
      expectInPlace(own, expected);
      const scan = await (await rotate(drawing(scanPage(jpeg)), { angle })).bytes();
      const searchable = await (await post(scan, { output: "pdf" })).bytes();
      expect((await wordsOf(searchable)).map((word) => word.text)).toEqual(ENGLISH.split(/\s/));
    },
  );
});
