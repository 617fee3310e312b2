import { describe, expect, test } from "vitest";
import { describedApi, describedOperations } from "../../scripts/described-api.ts";
import type { Description } from "../../src/site/description/description.ts";
import { type Draw, drawForm, type Drawn, drawnOperations, type Form } from "../harness/fuzz/fuzz-forms.ts";
import { Random } from "../harness/fuzz/random.ts";

const DRAWS = 400;
const facts = await describedOperations();
const tries = facts.map((one) => [one.name, one.tries] as const);
const all = drawnOperations((await describedApi()) as unknown as Description, Object.fromEntries(tries));

const part = (fileName: string) => ({ bytes: new Uint8Array(1), fileName });
const draw = (operation: Drawn, call: number): Form => {
  const given: Draw = {
    random: new Random(1, call),
    mark: "mark",
    document: () => ({ file: part("document.pdf"), password: "secret" }),
    image: () => part("image.png"),
    example: part,
  };
  return drawForm(operation, given);
};
const draws = (name: string): Form[] => {
  const operation = all.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  return Array.from({ length: DRAWS }, (_, call) => draw(operation, call));
};

test("every field of every operation is sent, and what it requires always", () => {
  expect(all).toHaveLength(facts.length);
  for (const operation of all) {
    const forms = Array.from({ length: DRAWS }, (_, call) => draw(operation, call));
    const sent = new Set(forms.flatMap((form) => Object.keys(form).map((name) => name.replace(/\d+$/, ""))));
    const names = operation.fields.map(({ name }) => name);
    expect(
      names.filter((name) => !sent.has(name)),
      operation.name,
    ).toEqual([]);
    // An empty text is not sent, and the empty page range is one.
    const required = (operation.form.required ?? []).filter((name) => !/^(pages|range)$/.test(name));
    for (const form of forms) expect(Object.keys(form), operation.name).toEqual(expect.arrayContaining(required));
  }
});

test("the values of choices are all sent, and fields mostly where they apply", () => {
  const seals = draws("seal");
  expect(new Set(seals.flatMap(({ level }) => (typeof level === "string" ? [level] : [])))).toEqual(
    new Set(["b-b", "b-t", "b-lt", "b-lta"]),
  );
  const stamps = draws("watermark").filter(({ kind }) => kind === "image");
  expect(stamps.length).toBeGreaterThan(DRAWS / 10);
  expect(stamps.filter(({ image }) => image !== undefined).length).toBeGreaterThan(stamps.length / 2);
  expect(stamps.filter(({ text }) => text !== undefined).length).toBeLessThan(stamps.length / 4);
});

test("fields that name their own values are sent with one of them", () => {
  for (const { dpi } of draws("to-images")) expect(["36", "50", "72"]).toContain(dpi);
});

test("one of several alternative fields is sent", () => {
  for (const form of draws("crop")) expect(["box", "margins", "auto"].some((name) => name in form)).toBe(true);
});

describe("JSON", () => {
  test("a JSON value follows its schema: outlines have titles and children", () => {
    const outlines = draws("outline").flatMap(({ outline }) =>
      typeof outline === "string" ? (JSON.parse(outline) as { title: unknown; children?: unknown[] }[]) : [],
    );
    expect(outlines.length).toBeGreaterThan(20);
    for (const { title } of outlines) expect(title).toBeTypeOf("string");
    expect(outlines.some(({ children = [] }) => children.length > 0)).toBe(true);
  });

  test("the steps of a pipeline are all operations", () => {
    const steps = draws("pipeline").flatMap(({ steps }) => JSON.parse(String(steps)) as { operation: string }[]);
    const names = all.map(({ name }) => name).filter((name) => name !== "pipeline");
    expect(new Set(steps.map(({ operation }) => operation))).toEqual(new Set(names));
  });
});

test("the same seed draws the same form", () => {
  expect(draws("seal").slice(0, 20)).toEqual(draws("seal").slice(0, 20));
});
