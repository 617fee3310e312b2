import { PDFDocument, type PDFObject } from "mupdf";
import { describe, expect, test } from "vitest";
import type { OpenPdf } from "../../../src/engines/pdf/document/document.ts";
import { cidMetrics, type FontMetrics, Fonts } from "../../../src/engines/pdf/fonts/metrics.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

const document = new PDFDocument();
const name = (text: string): PDFObject => document.newName(text);

/** What is needed of an engine where a font says all itself: nothing is measured. */
const engine = { work: unlimitedWork(), countDecoded: () => {} };
const metricsOf = (font: Readonly<Record<string, unknown>>): Promise<FontMetrics> =>
  new Fonts({ document, engine } as unknown as OpenPdf).of(document.addObject({ Type: "Font", ...font }));

const descriptor = { FontBBox: [0, -200, 1000, 800], Ascent: 900, Descent: -100, MissingWidth: 333 };

describe("simple fonts", () => {
  test("a simple font has widths from its first code on, and one for all others", async () => {
    const font = { Subtype: name("TrueType"), FirstChar: 65, Widths: [500, 600], FontDescriptor: descriptor };
    const { metricsOf: metrics, lengthAt, reach, vertical } = await metricsOf(font);
    expect([64, 65, 66, 67].map((code) => metrics(code, 1).advance)).toEqual([333, 500, 600, 333]);
    expect([lengthAt(Uint8Array.of(1, 2), 0), reach, vertical]).toEqual([1, [-200, 900], false]);
  });

  test("a Type 3 font has widths in its own units", async () => {
    const FontMatrix = [document.newReal(0.01), 0, 0, document.newReal(0.01), 0, 0];
    const font = {
      Subtype: name("Type3"),
      FirstChar: 1,
      Widths: [40],
      FontMatrix,
      FontBBox: [0, -10, 50, 60],
      FontDescriptor: {},
    };
    const { metricsOf: metrics, reach } = await metricsOf(font);
    expect(metrics(1, 1).advance).toBeCloseTo(400, 3);
    expect(reach.map(Math.round)).toEqual([-100, 600]);
  });
});

describe("composite fonts", () => {
  const composite = (Encoding: unknown, descendant: Readonly<Record<string, unknown>>): Promise<FontMetrics> =>
    metricsOf({ Subtype: name("Type0"), Encoding, DescendantFonts: [{ FontDescriptor: descriptor, ...descendant }] });

  test("a composite font has widths by CID", async () => {
    const { metricsOf: metrics } = await composite(name("Identity-H"), { DW: 700, W: [5, [500], 7, 8, 600] });
    expect([5, 6, 7, 8, 9].map((code) => metrics(code, 2).advance)).toEqual([500, 700, 600, 600, 700]);
  });

  test("a composite font has the codes and CIDs of its own CMap", async () => {
    const cmap = "2 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange 1 begincidchar <41> 5 endcidchar";
    const { metricsOf: metrics, lengthAt } = await composite(document.addStream(cmap, {}), { DW: 700, W: [5, [500]] });
    expect([metrics(0x41, 1).advance, metrics(0x42, 1).advance]).toEqual([500, 700]);
    // A code that is cut off ends where the string does.
    expect([0, 1, 3].map((at) => lengthAt(Uint8Array.of(0x41, 0x81, 0x82, 0x83), at))).toEqual([1, 2, 1]);
  });

  test("a composite font in vertical writing moves down, from an origin above the middle of the glyph", async () => {
    const vertical = await composite(name("Identity-V"), {
      DW2: [900, -1100],
      W: [5, [500]],
      W2: [6, [-800, 300, 700]],
    });
    expect([vertical.vertical, vertical.metricsOf(5, 2), vertical.metricsOf(6, 2)]).toEqual([
      true,
      { advance: -1100, toOrigin: [-250, -900] },
      { advance: -800, toOrigin: [-300, -700] },
    ]);
  });

  test("a composite font with invalid values has a usual reach", async () => {
    const FontDescriptor = { FontBBox: [0, 0, 0, 0], Ascent: 0, Descent: 0 };
    expect((await composite(name("Identity-H"), { FontDescriptor })).reach).toEqual([-250, 950]);
  });
});

describe("widths by CID", () => {
  const read = (array: unknown[], count: 1 | 3) =>
    Array.from(cidMetrics(document.addObject(array), count), ({ first, last, values }) => [
      first,
      last,
      ...values.map((value) => value.asNumber()),
    ]);

  test("widths by CID are lists and ranges", () => {
    expect(read([5, [500, 600], 10, 20, 700], 1)).toEqual([
      [5, 5, 500],
      [6, 6, 600],
      [10, 20, 700],
    ]);
  });

  test("widths by CID have three numbers in vertical writing", () => {
    expect(read([5, [-1000, 250, 800, -900, 200, 700], 7, 9, -800, 100, 600], 3)).toEqual([
      [5, 5, -1000, 250, 800],
      [6, 6, -900, 200, 700],
      [7, 9, -800, 100, 600],
    ]);
  });

  test("widths by CID end at the last possible CID, and are left out if numbers are missing", () => {
    expect(read([-5, 1e9, 500], 1)).toEqual([[0, 65_535, 500]]);
    expect(read([1, 2], 1)).toEqual([]);
    expect(read([1, [-1000, 250, 800, -900]], 3)).toEqual([[1, 1, -1000, 250, 800]]);
  });
});
