import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { outsideFolder } from "../../scripts/outside-folders.ts";
import { fill, pdfjsValues, valuesOf } from "../harness/requests/form-calls.ts";
import { MetadataCalls } from "../harness/requests/metadata-calls.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { plainText } from "../harness/engines/qpdf.ts";
import { differingPixels, readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const calls = new MetadataCalls({ baseUrl, key: liveKey });

const corpus = join(outsideFolder("corpus"), "forms");
const files = existsSync(corpus) ? readdirSync(corpus).filter((file) => file.endsWith(".pdf")) : [];
if (files.length === 0) console.log(`There are no forms at ${corpus}: real forms were not filled in.`);

interface ListedField {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  readonly options: string[] | null;
  readonly maxLength: number | null;
}

const TEXT = "Zoë 4711";

/** Another value for each field that takes one. */
function valueFor({ type, value, options, maxLength }: ListedField): string | boolean | string[] | undefined {
  if (type === "text") return TEXT.slice(0, maxLength ?? undefined);
  if (type === "checkbox") return value !== true;
  const other = options?.findLast((option) => option !== value);
  if (other === undefined) return undefined;
  return type === "list" ? [other] : other;
}

/** As pdf-lib reads it: the values of drop-downs and lists are in an array. */
const asRead = ({ type }: ListedField, value: unknown): unknown => (type === "dropdown" ? [value] : value);

describe.skipIf(files.length === 0)("real forms", () => {
  test.each(files)("every field is filled, shown, and read back in %s", async (file) => {
    const bytes = new Uint8Array(readFileSync(join(corpus, file)));
    const fields = (await calls.get(bytes))["formFields"] as ListedField[];
    const entries = fields.flatMap((field) => {
      const value = valueFor(field);
      return value === undefined ? [] : [[field, value] as const];
    });
    expect(entries.length).toBeGreaterThan(0);
    const values = Object.fromEntries(entries.map(([{ name }, value]) => [name, value]));
    const { body, headers } = await fill(bytes, values);
    expect(headers.get("X-Unknown-Fields")).toBeNull();
    expect(headers.get("X-Input-Repaired")).toBeNull();

    // pdf-lib gives up on form-errors.pdf, as it is.
    const readable = await valuesOf(bytes).then(Boolean, () => false);
    const [read, seen] = [readable ? await valuesOf(body) : undefined, await pdfjsValues(body)];
    const listed = new Map(
      ((await calls.get(body))["formFields"] as ListedField[]).map((field) => [field.name, field]),
    );
    for (const [field, value] of entries) {
      const { name } = field;
      // Of a group of check boxes, the first is on.
      const isGroup = field.type === "checkbox" && value === true && (field.options ?? []).length > 0;
      const one = isGroup ? field.options?.[0] : Array.isArray(value) && !Array.isArray(field.value) ? value[0] : value;
      expect(listed.get(name)?.value, `metadata: ${name}`).toEqual(one);
    }
    const wanted = entries.map(([field, value]) => [field.name, asRead(field, value)]);
    expect(read && wanted.map(([name]) => [name, read[String(name)]])).toEqual(read && wanted);
    const texts = new Map(entries.flatMap(([{ name, type }, value]) => (type === "text" ? [[name, value]] : [])));
    expect(Object.fromEntries([...texts].map(([name]) => [name, seen[name]]))).toEqual(Object.fromEntries(texts));
    expect(await plainText(body)).not.toMatch(/\/NeedAppearances|\/XFA/);

    const cleared = await fill(
      bytes,
      Object.fromEntries(fields.filter(({ type }) => type === "text").map(({ name }) => [name, null])),
    );
    const flat = await fill(bytes, values, { flatten: "true" });
    const { pages } = await openPdf(body);
    let shown = 0;
    for (const [index] of pages.entries()) {
      const [page, empty, drawn] = await Promise.all(
        [body, cleared.body, flat.body].map((document) => readPage(document, index + 1, { scale: 1 })),
      );
      if (!page || !empty || !drawn) throw new Error("a page is missing");
      for (const { name, area } of page.widgets.filter((widget) => texts.has(widget.name))) {
        // Some are not to be shown, or are too small to hold a text.
        if (area[3] - area[1] < 5) continue;
        expect(differingPixels(page.picture, empty.picture, area), name).toBeGreaterThan(5);
        shown++;
      }
      const { width, height } = page.picture;
      expect(differingPixels(page.picture, drawn.picture, [0, 0, width, height])).toBeLessThan(width * height * 0.0005);
      expect(drawn.widgets).toEqual([]);
    }
    expect(shown).toBeGreaterThan(0);
    const flattened = await PDFDocument.load(flat.body);
    expect(flattened.getForm().getFields()).toEqual([]);
    const others = (document: Awaited<ReturnType<typeof openPdf>>): string[] =>
      document.pages
        .flatMap(({ annotations }) => annotations.map(({ subtype }) => subtype))
        .filter((one) => one !== "Widget");
    expect(others(await openPdf(flat.body))).toEqual(others(await openPdf(bytes)));
  });
});
