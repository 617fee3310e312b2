import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { post } from "../harness/requests/client.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";

const service = ((server) => ({ baseUrl: server.baseUrl, key: server.liveKey }))(ownServer());

async function converted(source: string): Promise<{ body: Uint8Array; pdfium: string; pdfjs: string }> {
  const file = { bytes: new TextEncoder().encode(source), fileName: "file.html" };
  const { status, message, body } = await post(service, "to-pdf", { file, css: "body { font-family: sans-serif }" });
  expect([status, message]).toEqual([200, undefined]);
  expect((await check(body)).errors).toEqual([]);
  const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const { pages } = await openPdf(body);
  const { text } = await readPdfiumPage(body, 0, { width: 60, height: 80, password: undefined });
  return { body, pdfium: plain(text), pdfjs: plain(pages.map((page) => page.text).join(" ")) };
}

/** PDFium reads replacement texts. */
test.each([
  ["conjuncts and vowel signs of Devanagari", "हिन्दी क्षत्रिय विद्यार्थी श्री"],
  ["marks of Thai", "ภาษาไทย น้ำ ที่ กำลัง"],
  ["letters of a script that no font has", "தமிழ் மொழி"],
  ["emoji, and those that are joined", "👍 👨‍👩‍👧 🇩🇪 1️⃣"],
  ["marks of Vietnamese in pieces", "tie\u0302\u0301ng Vie\u0323\u0302t".normalize("NFC")],
])("%s are extracted as they were sent", async (_, text) => {
  const { pdfium } = await converted(`<p>${text}</p>`);
  expect(pdfium.normalize("NFC")).toBe(text);
});

test("the last word of a line and the first of the next are two words on a page with replacement texts", async () => {
  const text = `👍 ${Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ")} fi\u0323ne`;
  const { body, pdfium } = await converted(`<p style="text-align:justify">${text}</p>`);
  expect(pdfium).toBe(text);
  expect(await plainText(body)).toContain("ActualText");
});

test.each([
  ["ligatures", "office fluffy affine efficient"],
  ["an emoji", "yes 👍 no"],
])("%s are extracted by readers without support for replacement texts", async (_, text) => {
  expect((await converted(`<p>${text}</p>`)).pdfjs).toBe(text);
});

test("a font maps its shown glyphs to text, and no others", async () => {
  const { body } = await converted("<p>office</p>");
  const file = await plainText(body);
  const meanings = [...file.matchAll(/^<([0-9a-f]{4})> <([0-9a-f]+)>$/gim)].map(([, , text = ""]) =>
    text.toLowerCase(),
  );
  expect(meanings.sort()).toEqual(["0063", "0065", "006600660069", "006f"].sort());
});
