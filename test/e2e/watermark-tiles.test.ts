import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post } from "../harness/requests/client.ts";
import { countPixels, readPage } from "../harness/engines/render.ts";
import { GEOMETRIES, halfRed, isRed, picture, redArea, stamp } from "../harness/requests/stamp-calls.ts";
import { textDocument } from "../harness/fixtures/text-fixtures.ts";

const empty = textDocument([{ content: "" }]);
const red = { kind: "text", text: "HHHH", color: "#f00", opacity: "1" };

describe("tile", () => {
  test.each(GEOMETRIES)("tiles cover a page %s", async (_name, entries, width, height) => {
    const { body } = await stamp("watermark", textDocument([{ content: "", entries }]), {
      ...red,
      tile: "true",
      rotation: "30",
      fontSize: "12",
    });
    const shown = await picture(body);
    const [left, top, right, bottom] = redArea(shown);
    expect(Math.max(left, top, width - right, height - bottom)).toBeLessThan(8);
    // No square of a mark's step is without ink.
    const step = 90;
    for (let y = 0; y + step <= height; y += step / 2) {
      for (let x = 0; x + step <= width; x += step / 2) {
        expect(countPixels(shown, [x, y, x + step, y + step], isRed)).toBeGreaterThan(0);
      }
    }
  });

  test("tiles of an image have the same space everywhere", async () => {
    const fields = { kind: "image", image: pdfPart(halfRed(), "m.png"), scale: "0.1", tile: "true", opacity: "1" };
    const shown = await picture((await stamp("watermark", empty, fields)).body);
    const row = Math.round(400 * shown.scale);
    const edges: number[] = [];
    for (let x = 1; x < shown.stride; x++) {
      const at = (row * shown.stride + x) * 4;
      const [is, was] = [(shown.pixels[at + 1] ?? 0) < 128, (shown.pixels[at - 3] ?? 0) < 128];
      if (is && !was) edges.push(x);
    }
    const gaps = edges.slice(1).map((x, index) => x - (edges[index] ?? 0));
    expect(gaps.length).toBeGreaterThan(3);
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
  });
});

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

test.each(["DRAFT \u2192 2", "\u0645\u0633\u0648\u062f\u0629", "\u0928\u092e\u0938\u094d\u0924\u0947"])(
  "tiles of the text %s are found and read out once, and leave the page's own text unchanged",
  async (text) => {
    const lines = Array.from({ length: 40 }, (_, line) => `(Line ${line} of the page) Tj 0 -18 Td`);
    const bytes = textDocument([{ content: `BT /F1 12 Tf 50 760 Td ${lines.join(" ")} ET` }]);
    const { body } = await stamp("watermark", bytes, { ...red, text, tile: "true", rotation: "30", fontSize: "14" });
    const [before, after] = [await readPage(bytes), await readPage(body)];
    expect(words(after.text.replace(text, ` ${text}`))).toEqual(words(`${before.text} ${text}`));
    const { baseUrl, liveKey } = ownServer();
    const response = await post({ baseUrl, key: liveKey }, "extract-text", { file: pdfPart(body) });
    const extracted = JSON.parse(new TextDecoder().decode(response.body)) as { text: string };
    expect(extracted.text.split(text).length).toBe(2);
    expect(words(extracted.text.replace(text, ""))).toEqual(words(before.text));
  },
);

test("tiles of an image without a given size show several times, complete, on any page", async () => {
  for (const [, entries, width, height] of GEOMETRIES) {
    const { body } = await stamp("watermark", textDocument([{ content: "", entries }]), {
      kind: "image",
      image: pdfPart(halfRed(), "m.png"),
      tile: "true",
      opacity: "1",
    });
    const shown = await picture(body);
    const ink = countPixels(shown, [0, 0, shown.width, shown.height], isRed);
    // The red half of one: an eighth of the page's width square.
    const one = (width / 8) ** 2 * shown.scale ** 2;
    expect(ink / one).toBeGreaterThan(6);
    expect((ink / one) * (width / 8) ** 2).toBeLessThan(width * height * 0.5);
  }
});
