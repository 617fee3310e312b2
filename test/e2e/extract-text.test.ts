import { getDocument, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Part } from "../harness/requests/client.ts";
import { ciphers, encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";

const { baseUrl, liveKey } = ownServer();

interface Word {
  readonly text: string;
  readonly bbox: readonly [number, number, number, number];
}

interface Page {
  readonly text: string;
  readonly words?: readonly Word[];
}

async function pagesOf(bytes: Uint8Array, fields: Readonly<Record<string, Part>> = {}): Promise<readonly Page[]> {
  const response = await post({ baseUrl, key: liveKey }, "extract-text", { file: pdfPart(bytes), ...fields });
  const body = new TextDecoder().decode(response.body);
  expect(response.status, body).toBe(200);
  return (JSON.parse(body) as { pages: readonly Page[] }).pages;
}

/** Where pdf.js sees each run of text: the left end of its baseline and its right end, on the page as it is shown. */
async function runsOf(bytes: Uint8Array): Promise<{ text: string; from: number[]; to: number[] }[]> {
  const task = getDocument({ data: bytes.slice(), verbosity: VerbosityLevel.ERRORS, useSystemFonts: false });
  try {
    const page = await (await task.promise).getPage(1);
    const viewport = page.getViewport({ scale: 1 });
    const { items } = await page.getTextContent();
    return items.flatMap((item) => {
      if (!("str" in item) || item.str.trim() === "") return [];
      const [a = 0, b = 0, , , x = 0, y = 0] = item.transform as number[];
      const length = Math.hypot(a, b);
      const end = [x + (a / length) * item.width, y + (b / length) * item.width] as const;
      const place = (px: number, py: number): number[] => [...viewport.convertToViewportPoint(px, py)].map(Number);
      return [{ text: item.str, from: place(x, y), to: place(...end) }];
    });
  } finally {
    await task.destroy();
  }
}

describe("positions of words", () => {
  const content = [
    show("Upright", 200, 400, 20),
    show("Lower", 210, 330, 9),
    "BT /F1 14 Tf 0 1 -1 0 420 330 Tm (Turned) Tj ET",
  ].join("\n");

  test.each([
    ["as it is", ""],
    ["cut", "/CropBox [150 300 450 500]"],
    ["turned", "/Rotate 90"],
    ["turned, cut and enlarged", "/Rotate 90 /CropBox [150 300 450 500] /UserUnit 2"],
    ["turned the other way, cut and enlarged", "/Rotate 270 /CropBox [150 300 450 500] /UserUnit 2"],
    ["upside down and cut", "/Rotate 180 /CropBox [150 300 450 500]"],
  ])("words have the positions that pdf.js finds on a page %s", async (_name, entries) => {
    const bytes = textDocument([{ content, entries }]);
    const [page] = await pagesOf(bytes, { words: "true" });
    const runs = await runsOf(bytes);
    expect(runs.map(({ text }) => text).toSorted()).toEqual(["Lower", "Turned", "Upright"]);
    for (const { text, from, to } of runs) {
      const [x0, y0, x1, y1] = page?.words?.find((word) => word.text === text)?.bbox ?? [];
      const [fx = 0, fy = 0, tx = 0, ty = 0] = [...from, ...to];
      const tolerance = 1.5;
      // The baseline lies within the box; along it the box begins and ends where the run does.
      const horizontal = Math.abs(tx - fx) > Math.abs(ty - fy);
      const [low, high] = horizontal ? [x0, x1] : [y0, y1];
      const ends = horizontal ? [fx, tx] : [fy, ty];
      expect(Math.abs((low ?? 0) - Math.min(...ends)), text).toBeLessThan(tolerance);
      expect(Math.abs((high ?? 0) - Math.max(...ends)), text).toBeLessThan(tolerance);
      const [across0 = 0, across1 = 0] = horizontal ? [y0, y1] : [x0, x1];
      const baseline = horizontal ? fy : fx;
      expect(baseline, text).toBeGreaterThan(across0 - tolerance);
      expect(baseline, text).toBeLessThan(across1 + tolerance);
    }
  });
});

test.each(ciphers)("text is extracted from a document encrypted with %s", async (cipher) => {
  const bytes = await encrypt(document({ name: "secret", pages: 1 }), {
    cipher,
    userPassword: "user",
    ownerPassword: "owner",
  });
  for (const password of ["user", "owner"]) {
    expect((await pagesOf(bytes, { password })).map(({ text }) => text)).toEqual(["Page 1 of secret"]);
  }
  const wrong = await post({ baseUrl, key: liveKey }, "extract-text", { file: pdfPart(bytes), password: "none" });
  expect([wrong.status, wrong.code]).toEqual([400, "incorrect_password"]);
});

test("letters that are set apart make words, however wide their spaces are", async () => {
  const sizes = [8, 10, 14, 24];
  for (const size of sizes) {
    const spacings = [0.05, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4];
    const lines = spacings.map((spacing, index) => {
      const at = `BT /F1 ${size} Tf ${spacing * size} Tc 20 ${760 - index * 60} Td`;
      // With the file's own space, and with one that is only a gap: 0.3 font sizes.
      return `${at} (ANNUAL REPORT) Tj ET BT /F1 ${size} Tf ${spacing * size} Tc 20 ${735 - index * 60} Td [(Gross) -300 (Weight)] TJ ET`;
    });
    const [page] = await pagesOf(textDocument([{ content: lines.join("\n") }]), { words: "true" });
    expect(page?.text.split(/\n+/)).toEqual(spacings.flatMap(() => ["ANNUAL REPORT", "Gross Weight"]));
    expect(page?.words?.map(({ text }) => text).slice(0, 4)).toEqual(["ANNUAL", "REPORT", "Gross", "Weight"]);
  }
});

test("letters that are words or cells of their own stay apart", async () => {
  const row = (y: number, texts: readonly string[], step: number): string =>
    texts.map((text, index) => `BT /F1 10 Tf ${20 + index * step} ${y} Td (${text}) Tj ET`).join("\n");
  const content = [
    row(700, ["A", "B", "C", "D", "E", "F", "G"], 40),
    row(670, ["1", "2", "3", "4", "5", "6", "7", "8"], 8),
    row(640, ["x", "+", "y", "=", "z"], 9),
    "BT /F1 10 Tf 20 610 Td (I am a b c) Tj ET",
  ];
  const [page] = await pagesOf(textDocument([{ content: content.join("\n") }]));
  expect(page?.text.split(/\n+/)).toEqual(["A B C D E F G", "1 2 3 4 5 6 7 8", "x + y = z", "I am a b c"]);
});

test("refuses a page with more text than a response can hold", async () => {
  const line = show("x".repeat(200), 10, 400, 0.5);
  const bytes = textDocument([{ content: `${line}\n`.repeat(25_000) }]);
  const response = await post({ baseUrl, key: liveKey }, "extract-text", { file: pdfPart(bytes) });
  expect([response.status, response.code]).toEqual([413, "limit_exceeded"]);
});
