import { describe, expect, it } from "vitest";
import { errorOf, newKey } from "../http/echo-service.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { show, showCodes, spelled, textDocument } from "../harness/fixtures/text-fixtures.ts";
import { extract, type Extracted, post, read, textOf } from "./text-service.ts";

describe("responses", () => {
  const three = document({ name: "alpha", pages: 3 });

  it("a response has the pages, their joined text, and counts", async () => {
    const pages = [1, 2, 3].map((pageNumber) => ({ pageNumber, text: `Page ${pageNumber} of alpha` }));
    const text = pages.map((page) => page.text).join("\n\f");
    expect(await extract(three)).toEqual({ text, pages, stats: { wordCount: 12, charCount: text.length } });
  });

  it("a range is read as a set", async () => {
    const { pages } = await extract(three, { pages: "3,1,3" });
    expect(pages.map(({ pageNumber }) => pageNumber)).toEqual([1, 3]);
    expect(await errorOf(await post(three, { pages: "4" }))).toMatchObject([400, "invalid_page_range", { maxPage: 3 }]);
    expect(await errorOf(await post(three, { words: "maybe" }))).toMatchObject([400, "invalid_parameters", {}]);
  });

  it("a key needs only pdf:read", async () => {
    expect((await post(three, {}, await newKey("business", ["pdf:read"]))).status).toBe(200);
    expect((await post(three, {}, await newKey("business", ["pdf:write"]))).status).toBe(403);
  });

  it("a response is empty if there is no text", async () => {
    const empty = textDocument([{ content: "10 10 50 50 re f" }, { content: "" }]);
    expect(await extract(empty)).toMatchObject({ text: "\n\f", stats: { wordCount: 0, charCount: 2 } });
    const one = await extract(textDocument([{ content: "" }]), { words: "true" });
    expect(one).toEqual({
      text: "",
      pages: [{ pageNumber: 1, text: "", words: [] }],
      stats: { wordCount: 0, charCount: 0 },
    });
  });

  it("a repair is reported, and a broken content stream is skipped", async () => {
    const damaged = textDocument([{ content: show("found again", 50, 700) }], [], { withoutXref: true });
    const response = await post(damaged);
    expect([response.status, response.headers.get("X-Input-Repaired")]).toEqual([200, "true"]);
    expect(await response.json()).toMatchObject({ text: "found again" });
    expect(await read(`${show("before", 50, 700)} << [ (`)).toBe("before");
  });
});

describe("characters", () => {
  it("ligatures become letters, and hyphens stay at the ends of lines", async () => {
    expect(await read(showCodes([1, 2, 3, 4], 50, 700), ["o", "ffi", "\ufb01", "\u00ad"])).toBe("offifi-");
    expect(await read(`${show("hyphen-", 50, 700)} ${show("ation", 50, 688)}`)).toBe("hyphen-\nation");
  });

  it("Chinese and Japanese characters have no spaces between them", async () => {
    const { meanings, codes } = spelled("日本語の文書𠮷漢字");
    expect(await read(showCodes(codes, 50, 700), meanings)).toBe("日本語の文書𠮷漢字");
    // Set loosely: gaps that would be spaces in a script that has them.
    expect(await read(`3 Tc ${showCodes(codes, 50, 700)}`, meanings)).toBe("日本語の文書𠮷漢字");
  });

  it("Japanese and Thai text is separated from Latin text by the gap between them", async () => {
    const japanese = spelled("\u3042\u3044");
    // The quarter of the font size that typesetters leave, on both sides: ABC is 20.56 points wide, each kana 6.
    const mixed = `${show("ABC", 50, 700)} ${showCodes(japanese.codes, 73.1, 700)} ${show("123", 87.6, 700)}`;
    expect(await read(mixed, japanese.meanings)).toBe("ABC \u3042\u3044 123");
    const close = `${show("ABC", 50, 700)} ${showCodes(japanese.codes, 71, 700)} ${show("123", 83, 700)}`;
    expect(await read(close, japanese.meanings)).toBe("ABC\u3042\u3044123");
    const thai = spelled("\u0e1e\u0e25\u0e31\u0e07");
    const product = `${show("Product", 50, 700)} ${showCodes(thai.codes, 90, 700)}`;
    expect(await read(product, thai.meanings)).toBe("Product \u0e1e\u0e25\u0e31\u0e07");
  });

  it("characters with a gap between them become words", async () => {
    expect(await read("BT /F1 10 Tf 50 700 Td [(two) -400 (words)] TJ ET")).toBe("two words");
    expect(await read("BT /F1 10 Tf 50 700 Td [(ke) -60 (rned)] TJ ET")).toBe("kerned");
    const { meanings } = spelled("слов");
    expect(await read("BT /F2 10 Tf 50 700 Td [<00010002> -500 <00030004>] TJ ET", meanings)).toBe("сл ов");
  });

  it("characters are counted as code points", async () => {
    const { meanings, codes } = spelled("𠮷😀");
    expect((await extract(textDocument([{ content: showCodes(codes, 50, 700) }], meanings))).stats).toEqual({
      wordCount: 1,
      charCount: 2,
    });
  });

  it("characters never include unpaired surrogates, NUL, or control characters", async () => {
    const meanings = [{ hex: "D83DDE00" }, { hex: "D83D" }, { hex: "DE00" }, { hex: "0000" }, { hex: "0007" }, "z"];
    const body = await (
      await post(textDocument([{ content: showCodes([1, 2, 6, 3, 4, 5, 6], 50, 700) }], meanings))
    ).text();
    const { text } = JSON.parse(body) as Extracted;
    expect(text.isWellFormed()).toBe(true);
    expect(body).not.toMatch(/\\u0000|\\ud[89a-f]/i);
    // oxlint-disable-next-line no-control-regex -- it is what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000e-\u001f]/);
    expect(text.startsWith("😀")).toBe(true);
    expect(text.replaceAll("\ufffd", "")).toBe("😀zz");
  });
});

describe("extracted text", () => {
  it("text outside the visible page or without size is left out", async () => {
    const content = [
      show("inside", 200, 400),
      show("left of it", 20, 400),
      show("above", 200, 700),
      show("none", 200, 380, 0),
      `q 0 0 0 0 200 300 cm ${show("flat", 0, 0)} Q`,
      `q 0.001 0 0 0.001 200 300 cm ${show("tiny", 0, 0)} Q`,
    ].join("\n");
    for (const rotate of [0, 90, 180, 270]) {
      const entries = `/CropBox [150 300 450 500] /Rotate ${rotate} /UserUnit 2`;
      expect(await textOf([{ content, entries }])).toBe("inside");
    }
  });

  it("invisible text of a scan is extracted", async () => {
    expect(await read(`3 Tr ${show("recognized words", 50, 700)}`)).toBe("recognized words");
  });

  it("text of annotations is extracted", async () => {
    const content = show("the page", 50, 700);
    expect(await textOf([{ content, note: "and a note" }, { content }])).toBe("the page\n\nand a note\n\fthe page");
  });
});

describe("words", () => {
  it("words have boxes from the top left of the page", async () => {
    const { pages } = await extract(textDocument([{ content: show("Hello wide world", 100, 700, 20) }]), {
      words: "true",
    });
    const words = pages[0]?.words ?? [];
    expect(words.map(({ text }) => text)).toEqual(["Hello", "wide", "world"]);
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = words[0]?.bbox ?? [];
    // Helvetica's "Hello" is 2.278 em wide; the baseline is 100 points below the top.
    expect(x0).toBeCloseTo(100, 0);
    expect(x1).toBeCloseTo(100 + 2.278 * 20, 0);
    expect(y0).toBeGreaterThan(70);
    expect(y0).toBeLessThan(86);
    expect(y1).toBeGreaterThan(100);
    expect(y1).toBeLessThan(112);
  });
});
