import { expect, test } from "vitest";
import type { TextSample } from "../../src/engines/convert/formats/format.ts";
import { formats } from "../../src/engines/convert/formats/index.ts";
import { svg } from "../../src/engines/convert/formats/svg.ts";
import { toPdf } from "../../src/operations/to-pdf.ts";

const sampleOf = (text: string): TextSample => ({ text, isCut: false, start: text });
const detected = (text: string): Record<string, unknown> =>
  Object.fromEntries(
    formats.flatMap((format) => {
      const isText = format.kind === "text" || format.kind === "drawing";
      const likelihood = isText ? format.detect(sampleOf(text)) : undefined;
      return likelihood === undefined ? [] : [[format.name, likelihood]];
    }),
  );

test("each format of text recognizes its own texts, by their beginning or by their look", () => {
  expect(detected("<p>A letter</p>")).toEqual({ html: "certain", text: "likely" });
  expect(detected("<letter><b>x</b></html>")).toEqual({ html: "likely", text: "likely" });
  expect(detected('<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>')).toEqual({
    xhtml: "certain",
    text: "likely",
  });
  expect(detected('<svg xmlns="http://www.w3.org/2000/svg"/>')).toEqual({
    svg: "certain",
    html: "certain",
    text: "likely",
  });
  expect(detected('<!DOCTYPE svg PUBLIC "a" "b"><s:svg xmlns:s="http://www.w3.org/2000/svg"/>')).toMatchObject({
    svg: "certain",
  });
  expect(detected("<svg><circle r='9'/></svg>\n")).toMatchObject({ svg: "certain" });
  expect(detected("<svg><circle r='9'/></svg><p>A letter")["svg"]).toBeUndefined();
  expect(detected("name,price\npen,2\nink,9\n")).toEqual({ csv: "likely", text: "likely" });
  expect(detected("# A letter\n\nDear **all**\n")).toEqual({ markdown: "likely", text: "likely" });
  expect(detected("<p align=center>Logo</p>\n\n# A letter\n\n- one\n")).toEqual({
    markdown: "certain",
    text: "likely",
  });
  expect(detected("Just words.")).toEqual({ text: "likely" });
});

test("a drawing gets the namespaces that it may lack in HTML, and others stay as they are", () => {
  const rooted = '<svg xmlns="http://www.w3.org/2000/svg"><a xlink:href="x"/></svg>';
  const whole =
    '<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg"><a xlink:href="x"/></svg>';
  expect(svg.prepare("<?xml version='1.0'?>\n<svg width='1'><svg/></svg>")).toBe(
    "<?xml version='1.0'?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width='1'><svg/></svg>",
  );
  expect(svg.prepare(rooted)).toBe(
    '<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg"><a xlink:href="x"/></svg>',
  );
  for (const text of [whole, "<s:svg xmlns:s='http://www.w3.org/2000/svg'/>"]) expect(svg.prepare(text)).toBe(text);
});

test("each package is recognized by its entry, the type of its main part, or the folder of the part", () => {
  const likelihoods = (sample: Parameters<Extract<(typeof formats)[number], { kind: "package" }>["detect"]>[0]) =>
    Object.fromEntries(
      formats.flatMap((format) => {
        const likelihood = format.kind === "package" ? format.detect(sample) : undefined;
        return likelihood === undefined ? [] : [[format.name, likelihood]];
      }),
    );
  expect(likelihoods({ names: ["word/document.xml"] })).toEqual({ docx: "certain" });
  expect(likelihoods({ names: ["xl/workbook.xml"] })).toEqual({ xlsx: "certain" });
  const contentTypes = 'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"';
  expect(likelihoods({ names: ["a.xml"], contentTypes })).toEqual({ xlsx: "likely" });
  expect(likelihoods({ names: ["word/a.xml"], contentTypes: "", main: "word/a.xml" })).toEqual({ docx: "likely" });
  expect(likelihoods({ names: ["a.txt"], contentTypes: "" })).toEqual({});
});

test("the description of to-pdf says what each format keeps and drops", () => {
  for (const { title, keeps, drops } of formats) {
    const row = toPdf.description.split("\n").find((line) => new RegExp(`^\\| (.*, )?${title}(, .*)? \\|`).test(line));
    expect(row).toContain(` | ${keeps} | ${drops} |`);
  }
});
