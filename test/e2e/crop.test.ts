import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type ApiResponse } from "../harness/requests/client.ts";
import { drawing, type DrawnPage } from "../harness/fixtures/drawing-fixtures.ts";
import { FormDraft } from "../harness/fixtures/form-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { shownSize } from "../harness/engines/pdfjs-page.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { latin1 } from "../harness/fixtures/pdf-writer.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";
import type { Picture } from "../harness/compare/ssim.ts";

const { baseUrl, liveKey } = ownServer();
const crop = (bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<ApiResponse> =>
  post({ baseUrl, key: liveKey }, "crop", { file: pdfPart(bytes), ...fields });

/** No two parts of it look alike. */
const content = [
  "1 1 0.8 rg 0 0 300 200 re f 1 0 0 rg 20 30 60 40 re f 0 0 1 rg 200 100 40 60 re f",
  "0 0.5 0 RG 4 w 30 180 m 270 40 l S 0 g BT /F1 24 Tf 40 110 Td (Stays in place) Tj ET",
].join("\n");

/** Every rotation, with and without a CropBox and a UserUnit. */
const pages = [0, 90, 180, 270].flatMap((rotation) =>
  ["", "/CropBox [10 20 290 190]", "/UserUnit 2", "/CropBox [-50 20 290 999] /UserUnit 2"].map(
    (entries): DrawnPage => ({ width: 300, height: 200, content, entries: `/Rotate ${rotation} ${entries}` }),
  ),
);
const turned = drawing(...pages);

/** All pages, a pixel for each point. */
async function drawn(bytes: Uint8Array): Promise<Picture[]> {
  const { pages: views } = await openPdf(bytes);
  const sizes = views.map((view) => shownSize(view));
  return Promise.all(
    sizes.map(async ([width, height], page) => {
      const { picture } = await readPdfiumPage(bytes, page, { width: Math.round(width), height: Math.round(height) });
      return picture;
    }),
  );
}

function partOf({ width, data }: Picture, x: number, y: number, across: number, down: number): Picture {
  const rows = Array.from({ length: down }, (_, row) => {
    const from = ((y + row) * width + x) * 3;
    return data.subarray(from, from + across * 3);
  });
  return { width: across, height: down, components: 3, data: Uint8Array.from(rows.flatMap((row) => [...row])) };
}

/** How many samples differ visibly. */
const differing = (a: Picture, b: Picture): number =>
  a.data.reduce((count, sample, at) => count + (Math.abs(sample - (b.data[at] ?? 0)) > 24 ? 1 : 0), 0);

describe.each([{}, { remove: "true" }])("crop %j", (options) => {
  test("a box is cut out of the displayed page: rotations, crop boxes, and units", async () => {
    const before = await drawn(turned);
    const { status, body } = await crop(turned, { box: '{"x":30,"y":20,"width":120,"height":100}', ...options });
    expect(status).toBe(200);
    const after = await drawn(body);
    expect(after).toHaveLength(pages.length);
    for (const [index, picture] of after.entries()) {
      expect([picture.width, picture.height]).toEqual([120, 100]);
      const expected = partOf(before[index] ?? picture, 30, 20, 120, 100);
      // With `remove`, the letters at the edges go.
      expect(differing(expected, picture), `page ${index + 1}`).toBeLessThan(options.remove ? 1_500 : 10);
    }
    expect(await check(body)).toMatchObject({ ok: true });
  });

  test("margins are cut off the sides of the displayed page, on the selected pages", async () => {
    const before = await drawn(turned);
    const { body } = await crop(turned, { margins: '{"top":10,"left":40}', pages: "2-end", ...options });
    const after = await drawn(body);
    expect([after[0]?.width, after[0]?.height]).toEqual([300, 200]);
    for (const [index, picture] of after.entries()) {
      const was = before[index] ?? picture;
      const [left, top] = index === 0 ? [0, 0] : [40, 10];
      expect([picture.width, picture.height]).toEqual([was.width - left, was.height - top]);
      expect(differing(partOf(was, left, top, picture.width, picture.height), picture)).toBeLessThan(
        options.remove ? 1_500 : 10,
      );
    }
  });
});

test("`auto` keeps the drawn content, and blank pages", async () => {
  const ink = "0.2 0.4 0.6 rg 50 60 100 40 re f 0.99 g 0 0 10 10 re f";
  const bytes = drawing(
    { width: 300, height: 200, content: ink, entries: "/Rotate 90" },
    { width: 90, height: 80, content: "" },
  );
  const { pages: found } = await openPdf((await crop(bytes, { auto: "true" })).body);
  expect(found.map((view) => shownSize(view))).toEqual([
    [40, 100],
    [90, 80],
  ]);
});

describe("remove", () => {
  const draft = new FormDraft();
  const image = draft.add({
    entries: "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
    data: latin1("ABCD"),
  });
  const form = draft.add({
    entries: "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F 4 0 R >> >>",
    data: latin1("BT /F 12 Tf 20 740 Td (in a form above) Tj 0 -400 Td (in a form within) Tj ET"),
  });
  const stream = draft.add({
    entries: "",
    data: latin1(
      "BT /F 12 Tf 20 760 Td (above) Tj 0 -400 Td [(within)-9000(beside)] TJ ET /X Do 700 700 5 5 re f " +
        "q 600 0 0 600 0 100 cm /I Do Q",
    ),
  });
  draft.page = `/Contents ${stream} /Resources << /Font << /F 4 0 R >> /XObject << /I ${image} /X ${form} >> >> /Thumb ${image}`;
  draft.own("secret field", "/FT /Tx /V (secret value)", [20, 700, 200, 720]);
  draft.own("kept field", "/FT /Tx /V (kept value)", [20, 300, 100, 320]);
  draft.annotation("/Subtype /Text /Contents (secret note)", [500, 300, 520, 320]);
  const bytes = draft.bytes();
  const within = '{"x":0,"y":400,"width":150,"height":300}';

  test("nothing outside the box is left in the file", async () => {
    const { status, body } = await crop(bytes, { box: within, remove: "true" });
    expect(status).toBe(200);
    const text = await plainText(body);
    expect(text).toContain("(within)");
    expect(text).toContain("(in a form within)");
    expect(text).toContain("kept value");
    expect(text).not.toMatch(/above|beside|secret|700 700 5 5|Thumb|ABCD/);
    const { pages: found, fields } = await openPdf(body);
    expect([...fields.keys()]).toEqual(["kept field"]);
    expect(found[0]?.text.replaceAll(/\s+/g, " ")).toMatch(/within.*in a form within|in a form within.*within/);
    expect(await check(body)).toMatchObject({ ok: true });
  });

  test("lines, outlines, and clipping paths are cut at the edges, and the inside looks as before", async () => {
    const lines = [
      "4 w 0 .5 0 RG 5 5 m 150 100 l 295 5 l S [9 4] 3 d 1 0 0 RG 10 190 m 150 90 l 290 195 l s",
      "0 0 1 rg 120 20 m 180 20 l 180 300 333 222 333 80 c f q 7 100 m 150 7 l 293 100 l 150 193 l h W n",
      ".9 g 50 90 200 20 re f Q",
    ];
    const bytes = drawing({ width: 300, height: 200, content: lines.join("\n") });
    const box = '{"x":60,"y":50,"width":180,"height":100}';
    const [hidden] = await drawn((await crop(bytes, { box })).body);
    const { status, body } = await crop(bytes, { box, remove: "true" });
    expect(status).toBe(200);
    const [removed] = await drawn(body);
    expect(hidden && removed && differing(hidden, removed)).toBe(0);
    for (const outside of ["5 5 m", "10 190 m", "333 222", "7 100 m", "150 193 l"]) {
      expect(await plainText(bytes), outside).toContain(outside);
      expect(await plainText(body), outside).not.toContain(outside);
    }
  });

  test("content outside the box is removed only with `remove`", async () => {
    const text = await plainText((await crop(bytes, { box: within })).body);
    expect(text).toMatch(/above[^]*beside/);
    expect(text).toContain("secret value");
  });
});

test.each([
  [{}, "box"],
  [{ auto: "true", margins: "5" }, "auto"],
  [{ box: '{"x":0,"y":0,"width":301,"height":9}' }, "box"],
  [{ box: '{"x":-1,"y":0,"width":30,"height":9}' }, "box"],
  [{ box: '{"x":1,"y":0,"width":0,"height":9}' }, "box"],
  [{ margins: "100" }, "margins"],
  [{ margins: '{"top":-1}' }, "margins"],
  [{ margins: '"5 mm"' }, "margins"],
])("invalid parameters are named: %j", async (fields, name) => {
  const { status, body } = await crop(turned, fields);
  const { error } = JSON.parse(new TextDecoder().decode(body)) as {
    error: { details: { fields: { name: string }[] } };
  };
  expect([status, error.details.fields.map((field) => field.name)]).toEqual([400, [name]]);
});

test("sizes keep the digits of the file", async () => {
  const bytes = drawing({ width: 841.92, height: 1190.52, content });
  const { body } = await crop(bytes, { box: '{"x":10,"y":2.08,"width":200,"height":200}' });
  const written = await plainText(body);
  expect(written.replaceAll(/\s+/g, " ")).toContain("/CropBox [ 10 988.44 210 1188.44 ]");
});
