import { describe, expect, test } from "vitest";
import { fill, pdfjsValues, valuesOf } from "../harness/requests/form-calls.ts";
import { FormDraft, formOf, wholeForm } from "../harness/fixtures/form-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { signedDocument, type SignedOptions } from "../harness/fixtures/metadata-fixtures.ts";
import { check } from "../harness/engines/qpdf.ts";
import { refusal, stamp } from "../harness/requests/stamp-calls.ts";
import { withSignature } from "../harness/signatures/updates.ts";

const whole = wholeForm().bytes();
const refused = (values: unknown, bytes = whole): ReturnType<typeof refusal> =>
  refusal("fill-form", bytes, { values: typeof values === "string" ? values : JSON.stringify(values) });

describe("invalid values", () => {
  test.each<[name: string, value: unknown, issue: string, options?: string[]]>([
    ["line", true, "must be a string"],
    ["line", ["a"], "must be a string"],
    ["line", "two\nlines", "must not contain line feeds"],
    ["line", "\u0007", "control characters"],
    ["short", "four", "must have at most 3 characters; this value has 4"],
    ["agree", "Maybe", "true, false, or one of", ["J\u00e4"]],
    ["radio", "yellow", 'must be one of "red", "green", "blue"', ["red", "green", "blue"]],
    ["radio", true, "must be one of", ["red", "green", "blue"]],
    ["city", "Rome", 'must be one of "de", "fr"', ["de", "fr"]],
    ["list", ["red", "blue"], "accepts a single value", ["red", "green", "blue"]],
    ["several", ["r", "x"], "must be one of", ["r", "g", "b"]],
    ["push", "x", "is a push button"],
    ["signature", "x", "is a signature field"],
  ])("a value that its field cannot have is refused: %s: %j", async (name, value, issue, options) => {
    const fields = [{ name: "values", issue: expect.stringContaining(issue) as string }];
    const details = options ? { fields, options: { [name]: options } } : { fields };
    expect(await refused({ [name]: value })).toEqual([400, "invalid_parameters", details]);
  });

  test("all invalid values are listed, and nothing is filled", async () => {
    const [status, , details] = await refused({ short: "four", city: "Rome", line: "fine", nobody: "x" });
    const issue = (start: string): { name: string; issue: string } => ({
      name: "values",
      issue: expect.stringContaining(start) as string,
    });
    expect(status).toBe(400);
    expect(details).toEqual({
      fields: [issue("is invalid: `short` "), issue("is invalid: `city` ")],
      options: { city: ["de", "fr"] },
    });
  });

  test("characters without a font are refused", async () => {
    expect(await refused({ line: "Ada \u{13000}" })).toEqual([400, "unsupported_text", { characters: ["\u{13000}"] }]);
  });

  test.each([
    ["not JSON", "{", "valid JSON"],
    ["no object", "[]", "must be an object"],
    [
      "a number that JSON has rounded",
      '{"line": 12345678901234567890}',
      "is invalid: `line` must be a string, a boolean, an array of strings, or null",
    ],
    ["nothing", "", "is required"],
  ])("an invalid object of values is refused: %s", async (_name, values, issue) => {
    const [status, code, details] = await refused(values);
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(details).toEqual({ fields: [{ name: "values", issue: expect.stringContaining(issue) as string }] });
  });
});

describe("unknown names", () => {
  const names = { line: "Ada", "Straße, 1": "x", "person.nobody": true };

  test("unknown names are listed in headers, percent-encoded", async () => {
    const { body, headers } = await fill(whole, names);
    expect(headers.get("X-Unknown-Fields")).toBe("Stra%C3%9Fe%2C%201,person.nobody");
    expect(headers.get("X-Unknown-Fields-Count")).toBe("2");
    expect(await valuesOf(body)).toMatchObject({ line: "Ada" });
  });

  test("unknown names are cut at 4 KB, but all are counted", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`no-such-field-${index}`, "x"]));
    const { headers } = await fill(whole, many);
    const list = headers.get("X-Unknown-Fields") ?? "";
    expect(list.length).toBeGreaterThan(4000);
    expect(list.length).toBeLessThanOrEqual(4096);
    expect(list.split(",").every((name) => /^no-such-field-\d+$/.test(name) && name in many)).toBe(true);
    expect(headers.get("X-Unknown-Fields-Count")).toBe("300");
  });

  test("unknown names are refused under strict", async () => {
    const [status, code, details] = await refusal("fill-form", whole, {
      values: JSON.stringify(names),
      strict: "true",
    });
    expect([status, code]).toEqual([422, "unknown_fields"]);
    const { unknownFields, availableFields } = details as { unknownFields: string[]; availableFields: string[] };
    expect(unknownFields).toEqual(["Straße, 1", "person.nobody"]);
    expect(availableFields).toContain("person.name");
    expect(availableFields.length).toBe(16);
    await stamp("fill-form", whole, { values: '{"line":"x"}', strict: "true" });
  });
});

describe("unfillable forms", () => {
  test("a document without a form, without fields, or with pure XFA is refused", async () => {
    const none = await refused({ a: "x" }, document({ name: "none", pages: 1 }));
    expect(none).toEqual([422, "no_form", undefined]);
    expect(await refused({ a: "x" }, new FormDraft().bytes())).toEqual([422, "no_form", undefined]);
    const xfa = await refused({ a: "x" }, formOf({}, { form: "/XFA [(template) 4 0 R]" }));
    expect(xfa).toEqual([422, "unsupported_form", undefined]);
  });
});

describe("signed documents", () => {
  const field = (entries = ""): string =>
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [10 10 150 30] /F 4 /P 3 0 R /DA (/Helv 12 Tf) ${entries} >>`;
  const signed = (options: SignedOptions = {}): Uint8Array =>
    signedDocument({ fields: "8 0 R", objects: [field()], page: "/Annots [6 0 R 8 0 R]", ...options });
  const certified = (level: string): SignedOptions => ({
    certified: true,
    reference: `/Reference [<< /Type /SigRef /TransformMethod /DocMDP /TransformParams << /Type /TransformParams ${level} >> >>]`,
  });
  const locks = (parameters: string): SignedOptions => ({
    reference: `/Reference [<< /TransformMethod /FieldMDP /TransformParams << ${parameters} >> >>]`,
  });

  test.each<[string, SignedOptions, boolean]>([
    ["signed", {}, false],
    ["certified for filling in", certified("/P 2"), false],
    ["certified, which allows to fill in", certified(""), false],
    ["certified for notes", certified("/P 3"), false],
    ["certified for nothing", certified("/P 1"), true],
    ["with all fields locked", locks("/Action /All"), true],
    ["with this field locked", locks("/Action /Include /Fields [(name)]"), true],
    ["with others locked", locks("/Action /Include /Fields [(nam) (name.x)]"), false],
    ["with this one open", locks("/Action /Exclude /Fields [(name)]"), false],
  ])("a signed document is appended to by %s", async (_name, options, breaks) => {
    const bytes = await withSignature(signed(options));
    const { body, headers } = await fill(bytes, { name: "Ada مرحبا" });
    expect(headers.get("X-Signature-Invalidated")).toBe(breaks ? "true" : null);
    expect(Buffer.compare(body.subarray(0, bytes.length), bytes)).toBe(0);
    expect((await check(body)).ok).toBe(true);
    expect(await pdfjsValues(body)).toMatchObject({ name: "Ada مرحبا" });
  });

  test("a signed document is rewritten when it is flattened, which breaks the signature", async () => {
    const bytes = await withSignature(signed());
    const { body, headers } = await fill(bytes, { name: "Ada" }, { flatten: "true" });
    expect(headers.get("X-Signature-Invalidated")).toBe("true");
    expect(await pdfjsValues(body)).toEqual({});
  });
});
