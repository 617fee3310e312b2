/** The borders of paragraphs of DOCX as CSS. */
import { expect, test } from "vitest";
import { betweenHtml, bordersOf, boxCss } from "../../src/engines/convert/docx/borders.ts";
import { parseXml } from "../../src/engines/convert/source/xml.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

const read = async (borders: string) =>
  bordersOf(await parseXml(unlimitedWork(), `<w:pPr xmlns:w="urn:w">${borders}</w:pPr>`, "part"));

test("a border has its width, distance, and color, and is outside of the text", async () => {
  const borders = await read('<w:pBdr><w:left w:val="single" w:sz="12" w:space="4" w:color="336699"/></w:pBdr>');
  expect(borders).toEqual({ left: { width: 1.5, space: 4, color: "#336699" } });
  expect(boxCss(borders ?? {}, { left: 20, right: 10 })).toBe(
    "border-left:1.5pt solid #336699;padding-left:4pt;margin-left:14.5pt;margin-right:10pt",
  );
});

test("paragraphs without borders have none, and those that remove the borders of their style have no sides", async () => {
  expect(await read("")).toBeUndefined();
  expect(await read('<w:pBdr><w:top w:val="nil"/><w:bottom w:val="none" w:sz="4"/></w:pBdr>')).toEqual({});
});

test("widths, distances, and colors out of range are bounded", async () => {
  const borders = await read(
    '<w:pBdr><w:top w:val="double" w:sz="9999" w:space="500" w:color="auto"/><w:bottom w:val="dotted" w:sz="x" w:space="-3" w:color="red;x"/></w:pBdr>',
  );
  expect(borders).toEqual({
    top: { width: 6, space: 31, color: "#000000" },
    bottom: { width: 0.25, space: 0, color: "#000000" },
  });
});

test("a line between paragraphs is HTML of its own", async () => {
  expect(betweenHtml({})).toBe("");
  expect(betweenHtml({ between: { width: 1, space: 2, color: "#000000" } })).toBe(
    '<div style="border-top:1pt solid #000000;margin-top:2pt;padding-bottom:2pt"></div>',
  );
});
