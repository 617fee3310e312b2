import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { drawPages, looksThatDiffer } from "../harness/compare/appearance.ts";
import { compressor } from "../harness/requests/compress-calls.ts";
import { embeddedFontDocument, embeddedFonts } from "../harness/fonts/embedded-font-fixtures.ts";
import { renderPage } from "../harness/engines/pdfjs-render.ts";

const { baseUrl, liveKey } = ownServer();
const compress = compressor({ baseUrl, key: liveKey });

/** Dark pixels of a page as pdf.js draws it. */
async function ink(bytes: Uint8Array): Promise<string[]> {
  const page = await renderPage(bytes, 1, 72);
  const dark: string[] = [];
  for (let y = 0; y < page.height; y++) {
    for (let x = 0; x < page.width; x++) if (page.at(x, y)[0] < 128) dark.push(`${x},${y}`);
  }
  return dark;
}

test.each(embeddedFonts.map((font) => [font.name, font] as const))(
  "a font's glyphs are drawn as before: %s",
  async (_, font) => {
    const bytes = embeddedFontDocument(font);
    const { body } = await compress(bytes);
    expect(body.length / bytes.length < 0.3).toBe(font.shrinks);
    const before = await ink(bytes);
    expect(before.length).toBeGreaterThan(300);
    expect(await ink(body)).toEqual(before);
    expect(looksThatDiffer(drawPages(bytes), drawPages(body), 0.9999)).toEqual([]);
  },
);
