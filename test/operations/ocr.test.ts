import { describe, expect, test, vi } from "vitest";
import { CodecInstance } from "../../src/engines/image/codec-instance.ts";
import { limits } from "../../src/limits.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { characterErrorRate } from "../harness/compare/edit-distance.ts";
import { errorOf } from "../http/echo-service.ts";
import { operationService } from "./operation-service.ts";
import { expectInPlace, post, recognize, scanned, scanPage, setPage, wordsOf } from "./ocr-service.ts";
import type { Extracted } from "./text-service.ts";
import { texts } from "./ocr-texts.ts";

const ENGLISH = texts["eng"] ?? "";
const blank = { width: 420, height: 160, content: "" };
const extractText = await operationService("extract-text");
const english = await setPage(ENGLISH, drawing(blank));
const jpeg = await scanned(english, "jpeg");

const toImages = await operationService("to-images");
const picture = async (file: Uint8Array): Promise<Uint8Array> => (await toImages(file, { pages: "1" })).bytes();

const plain = (text: string): string => text.replaceAll(/\s+/g, " ");

test("two columns of rising lines are read one after the other", async () => {
  const column = (x: number, word: string): string =>
    Array.from(
      { length: 12 },
      (_, line) => `BT /F1 11 Tf ${x} ${330 - line * 24} Td (${word} column, its line number ${line + 10}) Tj ET`,
    ).join("\n");
  const aslant = "0.9986 0.0523 -0.0523 0.9986 20 0 cm";
  const file = drawing({ width: 500, height: 380, content: `${aslant} ${column(10, "Left")} ${column(250, "Right")}` });
  const { text } = await recognize(file, { mode: "force" });
  const expected = ["Left", "Right"].flatMap((word) =>
    Array.from({ length: 12 }, (_, line) => `${word} column, its line number ${line + 10}`),
  );
  expect(characterErrorRate(text, expected.join("\n"))).toBeLessThan(0.02);
});

test("small letters are drawn at the size that recognition needs", async () => {
  const small = await setPage(ENGLISH, drawing({ width: 200, height: 60, content: "" }), { fontSize: "4" });
  expect(characterErrorRate((await recognize(small, { mode: "force" })).text, ENGLISH)).toBeLessThan(0.05);
});

test("two languages on a page are read, although one has its own script", async () => {
  const ukrainian = texts["ukr"] ?? "";
  const both = await setPage(`${ukrainian}\n${ENGLISH}`, drawing({ ...blank, height: 280 }));
  const { text, languagesUsed } = await recognize(both, { mode: "force", languages: "en, uk-UA" });
  expect(characterErrorRate(text, `${ukrainian}\n${ENGLISH}`)).toBeLessThan(0.05);
  expect(languagesUsed).toEqual(["eng", "ukr"]);
});

describe("pages with text", () => {
  test("pages with text keep it, or are recognized with `force`", async () => {
    const own = drawing({ ...blank, content: "BT /F1 3 Tf 20 80 Td (Kept as it is, however small.) Tj ET" });
    const kept = await recognize(own, { words: "true" });
    expect(kept).toMatchObject({ text: "Kept as it is, however small.", meanConfidence: 1, languagesUsed: [] });
    expect(kept.pages[0]?.words?.[0]).toMatchObject({ text: "Kept", confidence: 1 });
    const forced = await recognize(english, { mode: "force", words: "true" });
    const words = forced.pages[0]?.words ?? [];
    expect(words.map(({ text }) => text)).toEqual(ENGLISH.split(/\s/));
    expectInPlace(words, await wordsOf(english));
    expect(forced.languagesUsed).toEqual(["eng"]);
    expect(forced.meanConfidence).toBeGreaterThan(0.8);
    expect(forced.meanConfidence).toBeLessThan(1);
  });

  test("pages are recognized if all of their text is a stamp on a scan", async () => {
    const stamp = "BT /F1 9 Tf 10 5 Td (Bates 17) Tj ET";
    const text = { ...blank, content: "BT /F1 12 Tf 20 80 Td (A page of text behind it.) Tj ET" };
    const { pages, meanConfidence } = await recognize(drawing(scanPage(jpeg, stamp), text));
    expect(pages.map(({ pageNumber }) => pageNumber)).toEqual([1, 2]);
    expect(plain(pages[0]?.text ?? "")).toBe(`${plain(ENGLISH)} Bates 17`);
    expect(pages[1]).toMatchObject({ text: "A page of text behind it.", confidence: 1 });
    const [words, own] = [ENGLISH.split(/\s/).length + 2, 6];
    const mean = ((pages[0]?.confidence ?? 0) * words + own) / (words + own);
    expect(meanConfidence).toBeCloseTo(mean, 3);
  });
});

describe("searchable PDFs", () => {
  test("a searchable PDF looks as before and has the words of the JSON, once", async () => {
    const file = drawing(scanPage(jpeg), { ...blank, content: "BT /F1 12 Tf 20 80 Td (Its own text.) Tj ET" });
    const response = await post(file, { output: "pdf" });
    expect(response.headers.get("Content-Type")).toBe("application/pdf");
    expect(response.headers.get("X-Page-Count")).toBe("2");
    const { pages, meanConfidence } = await recognize(file, { words: "true" });
    expect(response.headers.get("X-OCR-Mean-Confidence")).toBe(String(meanConfidence));
    const once = await response.bytes();
    const words = pages.flatMap((page) => page.words ?? []).map(({ text }) => text);
    expect((await wordsOf(once)).map(({ text }) => text)).toEqual(words);
    // Recognized again, with its own text recognized as well.
    const again = await (await post(once, { output: "pdf", mode: "force" })).bytes();
    expect((await wordsOf(again)).map(({ text }) => text)).toEqual(words);
    expect(await picture(again)).toEqual(await picture(file));
    // What has text is not read again.
    expect((await recognize(once)).languagesUsed).toEqual([]);
  });

  test("a searchable PDF keeps the input's encryption", async () => {
    const protect = await operationService("protect");
    const locked = await (await protect(drawing(scanPage(jpeg)), { userPassword: "user" })).bytes();
    expect(await errorOf(await post(locked))).toEqual([400, "password_required", { input: "file" }]);
    const out = await (await post(locked, { output: "pdf", password: "user" })).bytes();
    expect((await errorOf(await extractText(out)))[1]).toBe("password_required");
    expect(((await (await extractText(out, { password: "user" })).json()) as Extracted).text).toContain("born free");
  });

  test.each(["png", "jpeg"] as const)("a searchable PDF is made of a %s", async (format) => {
    const image = format === "jpeg" ? jpeg : await scanned(english, format);
    expect(plain((await recognize(image)).text)).toBe(plain(ENGLISH));
    const response = await post(image, { output: "pdf" });
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="report-ocr.pdf"');
    expect(plain(((await (await extractText(await response.bytes())).json()) as Extracted).text)).toBe(plain(ENGLISH));
  });
});

describe("refusals", () => {
  test.each<[Record<string, string>, string, RegExp]>([
    [{ languages: "eng,tlh" }, "languages", /^has an unknown language, "tlh": use ara, ces,/],
    [{ languages: "eng+deu+fra+spa" }, "languages", /at most 3/],
    [{ output: "text" }, "output", /json or pdf/],
    [{ output: "pdf", words: "some" }, "words", /true or false/],
    [{ mode: "redo" }, "mode", /skip-text or force/],
  ])("invalid parameters are refused: %j", async (fields, name, issue) => {
    const [status, code, details] = await errorOf(await post(english, fields));
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(details).toMatchObject({ fields: [{ name, issue: expect.stringMatching(issue) as string }] });
  });

  test("more pages than a request can recognize are refused", async () => {
    const limit = limits.ocr.pages;
    const many = drawing(...Array.from({ length: limit + 1 }, () => blank));
    expect(await errorOf(await post(many))).toEqual([413, "limit_exceeded", { limit, actual: limit + 1 }]);
    expect((await recognize(many, { pages: "2" })).pages).toEqual([{ pageNumber: 2, text: "", confidence: 0 }]);
  });
});

test("a page that breaks the engine is named, and nothing is charged", async () => {
  const credits = (response: Response): number => Number(response.headers.get("X-Credits-Remaining"));
  const file = drawing(scanPage(jpeg), scanPage(jpeg));
  const before = credits(await post(file, { pages: "1" }));
  const original = CodecInstance.prototype.use;
  let calls = 0;
  // To open the engine it is called once, for each page twice.
  const use = vi.spyOn(CodecInstance.prototype, "use").mockImplementation(function (this: unknown, work) {
    return Reflect.apply(original, this, [++calls < 5 ? work : trap]) as ReturnType<typeof original>;
  });
  const failed = await post(file);
  use.mockRestore();
  expect(await errorOf(failed)).toEqual([500, "ocr_failed", { page: 2 }]);
  expect(before - credits(await post(file, { pages: "1" }))).toBe(2);
});

const trap = (): never => {
  throw new WebAssembly.RuntimeError("unreachable");
};
