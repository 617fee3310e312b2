import { describe, expect, test } from "vitest";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { fill, pdfjsValues, valuesOf } from "../harness/requests/form-calls.ts";
import { FormDraft, formOf, wholeForm, wholeValues as all } from "../harness/fixtures/form-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { plainText } from "../harness/engines/qpdf.ts";
import { type Area, countPixels, differingPixels, readPage, type ReadPage } from "../harness/engines/render.ts";
import { GEOMETRIES, isRed, redArea, stamp } from "../harness/requests/stamp-calls.ts";

/** The area of a field's first widget. */
const areaOfField = ({ widgets }: ReadPage, name: string, which = 0): Area =>
  widgets.filter((widget) => widget.name === name)[which]?.area ?? [0, 0, 0, 0];

const red = (page: ReadPage, name: string, which = 0): number =>
  countPixels(page.picture, areaOfField(page, name, which), isRed);

describe("kinds of fields", () => {
  test("every kind of field keeps its value and shows it", async () => {
    const bytes = wholeForm().bytes();
    const { body, headers } = await fill(bytes, all);
    expect(headers.get("X-Page-Count")).toBe("1");
    expect(headers.get("X-Unknown-Fields")).toBeNull();
    const expected = {
      ...all,
      radio: "green",
      city: ["fr"],
      free: ["something else"],
      list: ["blue"],
      several: ["r", "b"],
    };
    expect(await valuesOf(body)).toMatchObject(expected);
    expect(await pdfjsValues(body)).toMatchObject({
      line: all.line,
      lines: all.lines,
      comb: "12345",
      agree: "J\u00e4",
      bare: "Yes",
      radio: "green",
      city: ["fr"],
      several: ["r", "b"],
      "person.name": all["person.name"],
    });
    const before = await readPage(bytes);
    const after = await readPage(body);
    for (const name of Object.keys(all)) {
      const area = areaOfField(after, name, name === "radio" ? 1 : 0);
      expect(differingPixels(before.picture, after.picture, area), name).toBeGreaterThan(30);
    }
    // The other buttons of the group, and both widgets of the name: the second stands at the right.
    expect([0, 1, 2].map((which) => red(after, "radio", which) > 100)).toEqual([false, true, false]);
    const [left, top, right, bottom] = areaOfField(after, "person.name", 1);
    const middle = (left + right) / 2;
    expect(countPixels(after.picture, [middle, top, right, bottom], isRed)).toBeGreaterThan(50);
    expect(countPixels(after.picture, [left, top, middle - 20, bottom], isRed)).toBe(0);
    // What was chosen in lists is marked, what was not is there.
    const marked = (name: string): number =>
      countPixels(after.picture, areaOfField(after, name), (r, g, b) => b > 200 && r < 170 && g > 170 && g < 210);
    expect(marked("several")).toBeGreaterThan(1.8 * marked("list"));
    expect(marked("list")).toBeGreaterThan(500);
    expect(await plainText(body)).not.toContain("NeedAppearances");
  });

  test("every kind of field is cleared by null, and unchanged if it is not named", async () => {
    const filled = await fill(wholeForm().bytes(), all);
    const { body } = await fill(filled.body, { line: null, agree: null, radio: null, several: null, lines: "" });
    expect(await valuesOf(body)).toMatchObject({
      line: null,
      agree: false,
      radio: null,
      several: [],
      comb: "12345",
      city: ["fr"],
    });
    const page = await readPage(body);
    expect(["line", "agree", "lines"].map((name) => red(page, name))).toEqual([0, 0, 0]);
    expect(red(page, "comb")).toBeGreaterThan(30);
  });

  test("fields accept export values and labels, names of states, and false", async () => {
    const { body } = await fill(wholeForm().bytes(), {
      agree: "J\u00e4",
      bare: false,
      radio: "c",
      city: "de",
      list: ["red"],
    });
    expect(await valuesOf(body)).toMatchObject({
      agree: true,
      bare: false,
      radio: "blue",
      city: ["de"],
      list: ["red"],
    });
  });

  test("fields accept numbers for texts, and words for true and false", async () => {
    const { body } = await fill(wholeForm().bytes(), { line: 480, comb: 12.5, agree: "true", bare: "No", several: [] });
    expect(await valuesOf(body)).toMatchObject({ line: "480", comb: "12.5", agree: true, bare: false });
    expect(await pdfjsValues(body)).toMatchObject({ line: "480", agree: "J\u00e4" });
    const page = await readPage(body);
    expect([red(page, "line") > 30, red(page, "agree") > 30]).toEqual([true, true]);
  });

  test("a comb has one character a cell, a password its asterisks, and a size of 0 fits the text", async () => {
    const { body } = await fill(wholeForm().bytes(), { comb: "1111", secret: "*", line: "iii" });
    const page = await readPage(body);
    const [left, top, , bottom] = areaOfField(page, "comb");
    // 8 cells of 25 points: one stroke in each of the first four.
    const cells = Array.from({ length: 8 }, (_, cell) =>
      countPixels(page.picture, [left + cell * 25 + 5, top, left + cell * 25 + 20, bottom], isRed),
    );
    expect(cells.map((ink) => ink > 5)).toEqual([true, true, true, true, false, false, false, false]);
    const plain = await readPage((await fill(wholeForm().bytes(), { secret: "x" })).body);
    expect(red(page, "secret")).toBe(red(plain, "secret"));
    const long = await readPage((await fill(wholeForm().bytes(), { line: "w".repeat(60) })).body);
    const ink = redArea(long.picture);
    expect(ink[2]).toBeLessThan(areaOfField(long, "line")[2]);
    expect(ink[3] - ink[1]).toBeLessThan(6);
  });

  test("lines are broken between words, kept as given, and shrunk to the box", async () => {
    const words = "consectetur adipiscing elit sed do eiusmod tempor ".repeat(6);
    const page = await readPage((await fill(wholeForm().bytes(), { lines: words })).body);
    const [left, top, right, bottom] = areaOfField(page, "lines");
    const ink = redArea(page.picture);
    expect([ink[0] > left, ink[1] > top, ink[2] < right, ink[3] < bottom]).toEqual([true, true, true, true]);
    expect(ink[3] - ink[1]).toBeGreaterThan(40);
  });
});

describe("rotated pages", () => {
  const turned = GEOMETRIES.filter((_, index) => [0, 2, 5].includes(index)).flatMap((geometry) =>
    [0, 90, 180, 270].map((turn) => [...geometry, turn] as const),
  );
  test.each(turned)("a widget is filled upright on a page %s", async (_name, entries, _width, _height, turn) => {
    const draft = new FormDraft();
    draft.own("field", `/FT /Tx /MK << /R ${turn} >>`, turn % 180 === 0 ? [200, 350, 400, 370] : [200, 350, 220, 480]);
    draft.page = entries;
    const bytes = draft.bytes();
    const rotation = Number(/Rotate (\d+)/.exec(entries)?.[1] ?? 0);
    const { body } = await fill(bytes, { field: "Ll" });
    const page = await readPage(body);
    const [left, top, right, bottom] = areaOfField(page, "field");
    const area = redArea(page.picture);
    expect([area[0] > left, area[1] > top, area[2] < right, area[3] < bottom]).toEqual([true, true, true, true]);
    // The text begins where the box begins for one who reads it.
    const upright = (turn - rotation + 360) % 360;
    const near = { 0: area[0] - left, 90: bottom - area[3], 180: right - area[2], 270: area[1] - top }[upright];
    expect(near).toBeLessThan(8);
    const flat = await fill(bytes, { field: "Ll" }, { flatten: "true" });
    const drawn = await readPage(flat.body);
    expect(drawn.widgets).toEqual([]);
    expect(redArea(drawn.picture).every((edge, at) => Math.abs(edge - (area[at] ?? 0)) < 0.6)).toBe(true);
  });
});

describe("other parts of forms", () => {
  test("unnamed fields are drawn, too, and NeedAppearances is removed", async () => {
    const draft = new FormDraft();
    draft.form = "/NeedAppearances true";
    draft.own("shown", "/FT /Tx /V (was there)");
    draft.own("on", "/FT /Btn /V /Yes /AS /Yes /AP << /N << /Yes << >> >> >>", draft.place(20));
    draft.own("emoji", "/FT /Tx /V <FEFFD83DDE00>");
    const { body } = await fill(draft.bytes(), {});
    const page = await readPage(body);
    expect(["shown", "on"].map((name) => red(page, name) > 30)).toEqual([true, true]);
    expect(await plainText(body)).not.toContain("NeedAppearances");
  });

  test("XFA beside the fields is removed, and calculations stay", async () => {
    const sum = '/FT /Tx /V (old sum) /AA << /C << /S /JavaScript /JS (AFSimple_Calculate\\("SUM", ["a"]\\)) >> >>';
    const draft = new FormDraft();
    draft.own("a", "/FT /Tx");
    draft.form = `/XFA [(template) ${draft.add({ entries: "", data: new TextEncoder().encode("<old-value/>") })}] /CO [${draft.own("sum", sum)}]`;
    draft.catalog = "/NeedsRendering true /Perms << /UR3 << /Type /Sig >> >>";
    const { body } = await fill(draft.bytes(), { a: "5" });
    expect(await valuesOf(body)).toEqual({ a: "5", sum: "old sum" });
    const written = await plainText(body);
    expect(written).not.toMatch(/XFA|old-value|NeedsRendering|UR3/);
    expect(written).toMatch(/\/CO \[/);
    expect(await valuesOf((await fill(draft.bytes(), { sum: "7" })).body)).toMatchObject({ sum: "7" });
  });

  test("rich text and a widget's own value do not show the old value", async () => {
    const { body } = await fill(formOf({ rich: "/FT /Tx /Ff 33554432 /V (was) /RV (<p>was</p>)" }), { rich: "is" });
    expect(await plainText(body)).not.toContain("was");
  });

  test("decorations of an appearance around its value stay", async () => {
    const draft = new FormDraft();
    const stream = draft.add({
      entries: "/Type /XObject /Subtype /Form /BBox [0 0 200 20]",
      data: new TextEncoder().encode(
        "0 1 0 rg 0 0 200 20 re f /Tx BMC q BT (was) Tj ET Q EMC 0 0 1 rg 190 0 10 20 re f",
      ),
    });
    draft.own("field", `/FT /Tx /AP << /N ${stream} >>`);
    const page = await readPage((await fill(draft.bytes(), { field: "is" })).body);
    const area = areaOfField(page, "field");
    expect(countPixels(page.picture, area, (r, g, b) => g > 200 && r < 50 && b < 50)).toBeGreaterThan(10_000);
    expect(countPixels(page.picture, area, (r, g, b) => b > 200 && r < 50 && g < 50)).toBeGreaterThan(600);
    expect(red(page, "field")).toBeGreaterThan(30);
  });

  test("fields of one name are filled as one field", async () => {
    const draft = new FormDraft();
    draft.own("twice", "/FT /Tx");
    draft.own("twice", "/FT /Tx");
    const page = await readPage((await fill(draft.bytes(), { twice: "both" })).body);
    expect([0, 1].map((which) => red(page, "twice", which) > 30)).toEqual([true, true]);
    expect(page.widgets.map(({ value }) => value)).toEqual(["both", "both"]);
  });

  test("encryption of a form is kept", async () => {
    const keys = { cipher: "aes-256", userPassword: "user", ownerPassword: "owner" } as const;
    const secret = await encrypt(wholeForm().bytes(), keys);
    const { body } = await stamp("fill-form", secret, { values: '{"line":"Ada"}', password: "user" });
    expect(await pdfjsValues(body, "user")).toMatchObject({ line: "Ada" });
    await expect(openPdf(body)).rejects.toThrow(/password/i);
  });
});
