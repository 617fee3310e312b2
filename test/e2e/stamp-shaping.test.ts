import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, startBrowser } from "../harness/engines/browser.ts";
import { browserText } from "../harness/engines/browser-text.ts";
import { likeness, shapeOf } from "../harness/compare/ink-shape.ts";
import { readPage } from "../harness/engines/render.ts";
import { stamp } from "../harness/requests/stamp-calls.ts";
import { textDocument } from "../harness/fixtures/text-fixtures.ts";

if (chromiumPath === undefined) console.log("There is no Chromium: stamps were not compared with a browser's text.");

const isInk = (red: number): boolean => red < 128;

describe.skipIf(chromiumPath === undefined)("shaping", () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  const drawn = async (text: string, font: string): Promise<number[]> => {
    if (!browser) throw new Error("the browser did not start");
    return shapeOf(await browserText(browser, text, font), isInk);
  };

  test.each([
    ["Arabic", "IBMPlexSansArabic", "\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064a\u0643\u0645"],
    ["Arabic with vowels", "IBMPlexSansArabic", "\u0645\u064f\u062d\u064e\u0645\u064e\u0651\u062f \u0644\u0627"],
    ["Devanagari", "NotoSans", "\u0939\u093f\u0928\u094d\u0926\u0940 \u0915\u094d\u0937\u0924\u094d\u0930\u093f\u092f"],
    ["Devanagari with conjuncts", "NotoSans", "\u0930\u093e\u0937\u094d\u091f\u094d\u0930 \u0935\u0930\u094d\u0937"],
  ])("letters are joined, ordered, and placed as in a browser: %s", async (_script, font, text) => {
    const { body } = await stamp("watermark", textDocument([{ content: "" }]), {
      kind: "text",
      text,
      fontSize: "48",
      color: "#000",
      opacity: "1",
    });
    const own = shapeOf((await readPage(body)).picture, isInk);
    expect(likeness(own, await drawn(text, font))).toBeGreaterThan(0.7);
    // Letters that are kept from joining do not pass.
    const apart = Array.from(text).join("\u200c");
    expect(likeness(own, await drawn(apart, font))).toBeLessThan(0.5);
  });
});
