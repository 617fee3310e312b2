import { expect, test } from "vitest";
import { languageCode, languages } from "../../src/engines/ocr/languages.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { characterErrorRate } from "../harness/compare/edit-distance.ts";
import { recognize, setPage } from "./ocr-service.ts";
import { texts } from "./ocr-texts.ts";

/** Width of characters and presentation forms do not matter. */
const comparable = (text: string): string => text.normalize("NFKC").replaceAll(/\s/gu, "");

test("there is a text for each language", () => {
  expect(languages).toEqual(expect.arrayContaining(Object.keys(texts)));
  expect(Object.keys(texts)).toHaveLength(20);
});

test.each([
  ["en", "eng"],
  ["de-DE", "deu"],
  ["zh", "chi_sim"],
  ["zh-Hans", "chi_sim"],
  ["zh-TW", "chi_tra"],
  ["zh-Hant-HK", "chi_tra"],
  ["nb-NO", "nor"],
  ["CHI_SIM", "chi_sim"],
  ["tlh", undefined],
  ["../eng", undefined],
  ["", undefined],
])("the language %j is called %s", (asked, code) => {
  expect(languageCode(asked)).toBe(code);
});

test.each(Object.entries(texts))("a page set in %s is recognized", async (language, text) => {
  const page = await setPage(text, drawing({ width: 420, height: 160, content: "" }));
  const response = await recognize(page, { languages: language, mode: "force" });
  expect(response.languagesUsed).toEqual([language]);
  expect(response.meanConfidence).toBeGreaterThan(0.7);
  expect(characterErrorRate(comparable(response.text), comparable(text)), response.text).toBeLessThanOrEqual(0.05);
});
