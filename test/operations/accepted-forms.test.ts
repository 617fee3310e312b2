/** Every form in which clients send a value, for every parameter of every operation. The rules are in operations/definition/values.ts. */
import { describe, expect, test } from "vitest";
import { newKey, senderTo } from "../http/echo-service.ts";
import { jobFieldsOf } from "../../src/http/operations/job-options.ts";
import { parameterSchemas } from "../../src/http/openapi/form.ts";
import { PageRange } from "../../src/engines/pdf/document/ranges.ts";
import type { TextField } from "../../src/operations/definition/fields.ts";
import { operations } from "../../src/operations/index.ts";
import { pipelineOf } from "../../src/operations/pipeline.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly examples?: readonly unknown[];
}

interface Parameter {
  readonly operation: string;
  readonly name: string;
  readonly field: TextField<unknown>;
  readonly schema: Schema;
}

const withJobs = [...operations, pipelineOf(operations)].map(({ name, fields, pageByPage }) => ({
  name,
  fields: { ...fields, ...jobFieldsOf({ ...(pageByPage && { pageByPage }) }) },
}));

const parameters = withJobs.flatMap(({ name: operation, fields }) => {
  const { properties } = parameterSchemas(fields);
  return Object.entries(fields).flatMap(([name, field]): Parameter[] =>
    field.kind === "text" ? [{ operation, name, field, schema: properties[name] as Schema }] : [],
  );
});

/** A canonical text, and the others that mean the same. */
type Forms = readonly (readonly [canonical: string, others: readonly string[]])[];

const TRUE = ["True", "TRUE", "1", "yes", "Yes", "on", "ON", " true "];
const FALSE = ["False", "FALSE", "0", "no", "No", "off", "OFF", " false\n"];

const upperCase = (word: string): string => word.toUpperCase();
const snakeCase = (word: string): string => word.replaceAll("-", "_");
const camelCase = (word: string): string => word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const synonyms: Readonly<Record<string, readonly string[]>> = {
  jpeg: ["jpg", "JPG", "Jpg"],
  markdown: ["md"],
  text: ["txt"],
  center: ["center"],
  "bottom-center": ["bottom-center", "bottom center"],
};

function wordForms(word: string): readonly string[] {
  const number = /^\d+$/.test(word) ? [`${word}.0`, `+${word}`] : [];
  const others = [upperCase, snakeCase, camelCase].map((write) => write(word));
  return [...others, ` ${word} `, `${word}\n`, ...number, ...(synonyms[word] ?? [])];
}

const numberForms = (number: number): readonly string[] => [
  ` ${number} `,
  `${number}\n`,
  ...(Number.isInteger(number) ? [`${number}.0`, `${number}.`] : []),
  ...(number > 0 ? [`+${number}`] : []),
];

const permissions: Readonly<Record<string, readonly string[]>> = {
  print: ["printing", "Printing", "allow_printing", "canPrint"],
  "print-high": ["printHigh", "print_high", "PRINT-HIGH", "highResolutionPrinting", "printHighQuality"],
  modify: ["modifying", "Modification", "modify_contents", "editing"],
  copy: ["copying", "COPY", "extract", "copy-content"],
  annotate: ["annotating", "annotations", "modifyAnnotations", "commenting"],
  "fill-forms": ["fillForms", "fill_forms", "fillingForms", "form-filling", "FillIn", "fill forms"],
  accessibility: ["contentAccessibility", "screen_readers"],
  assemble: ["assembly", "assembling", "assembleDocument", "document_assembly"],
  "print,copy": ["printing, copying", "allowPrinting , CanCopy"],
  all: ["ALL", "All "],
  none: ["NONE", " none", "None"],
};

/** The forms of a parameter; undefined for free text. */
function formsOf({ operation, name, schema }: Parameter): Forms | undefined {
  const { type, enum: words, format, minimum, examples = [] } = schema;
  if (type === "boolean")
    return [
      ["true", TRUE],
      ["false", FALSE],
    ];
  if (words) return words.map((word) => [word, wordForms(word)]);
  if (type === "integer" || type === "number") {
    const number = Math.max(minimum ?? 1, 1);
    return [[String(number), numberForms(number)]];
  }
  if (format === "color") {
    return [
      ["#11aaff", ["11aaff", "#1af", "1AF", "#11AAFF", " #11aaff "]],
      ["#000000", ["000", "000000", "#000"]],
    ];
  }
  if (format === "length") return [["2", ["2in", " 2.0 in", "144pt", "5.08cm", "50.8MM"]]];
  if (format === "duration") return [["2", ["2s", "2000ms", " 2.0 S"]]];
  if (name === "allowedHosts") return [["a.example.com,b.example", ["A.example.com , b.EXAMPLE"]]];
  if (format === "page-range" || format === "page-order")
    return [
      ["last,1-2", ["LAST, 1 - 2", " Last,1-2 "]],
      ["1-end", ["1-END"]],
    ];
  if (format === "page-groups") return [["1-2|last", ["1 - 2 | LAST"]]];
  if (name === "permissions") return Object.entries(permissions);
  if (operation === "to-pdf" && name === "pageSize") {
    const own = { width: 300, height: 400.5 };
    return [
      ...["a4", "letter"].map((word) => [word, [...wordForms(word), `"${word}"`]] as const),
      [JSON.stringify(own), jsonForms(own)],
    ];
  }
  if (name === "languages") return [["eng,deu", ["ENG, Deu", "eng+deu", " en , de-DE"]]];
  if (name === "steps") return undefined;
  const json = examples.filter((example) => typeof example === "object" || typeof example === "number");
  if (json.length === 0) return undefined;
  return [...json, ...(more[name] ?? [])].map((value) => [JSON.stringify(value), jsonForms(value)]);
}

/** Values of JSON parameters with the members that their examples do not have. */
const more: Readonly<Record<string, readonly unknown[]>> = {
  field: [{ page: 2, x: 1, y: 2.5, width: 30, height: 40, origin: "bottom-left" }],
  outline: [
    [{ title: "7", page: 1, view: ["XYZ", 72, 700, null], open: true, bold: false, italic: true, color: "#11aaff" }],
  ],
  metadata: [{ title: "2026", custom: { Version: "3", Trapped: "True" } }],
  values: [{ year: "2026", price: "12.5", list: ["1", "2"] }],
  terms: [["4711"]],
  patterns: [["credit-card", "us-ssn"]],
};

/** What each leaf can be, one at a time: numbers as texts, texts of digits as numbers, words in another case. */
function jsonForms(value: unknown): readonly string[] {
  const forms: unknown[] = [];
  const walk = (at: unknown, put: (other: unknown) => unknown): void => {
    for (const other of leafForms(at)) forms.push(put(other));
    if (Array.isArray(at)) at.forEach((one, index) => walk(one, (other) => put(at.with(index, other))));
    else if (typeof at === "object" && at !== null) {
      for (const [name, one] of Object.entries(at)) walk(one, (other) => put({ ...at, [name]: other }));
    }
  };
  walk(value, (other) => other);
  return forms.map((form) => JSON.stringify(form));
}

const words = new Set(["top-left", "bottom-left", "XYZ", "Fit", "email", "credit-card", "us-ssn"]);

function leafForms(leaf: unknown): readonly unknown[] {
  if (typeof leaf === "number") return [String(leaf), ` ${leaf} `];
  if (leaf === true) return ["true", "True", "yes", 1, "1"];
  if (leaf === false) return ["false", "False", "no", "0"];
  if (typeof leaf !== "string") return [];
  if (/^\d+(\.\d+)?$/.test(leaf)) return [Number(leaf)];
  if (/^#[0-9a-f]{6}$/.test(leaf)) return [leaf.slice(1), leaf.toUpperCase(), "#1af"];
  return words.has(leaf) ? [leaf.toLowerCase(), leaf.toUpperCase(), camelCase(leaf), snakeCase(leaf)] : [];
}

/** What the operation receives, as what can be compared. */
function meaning(field: TextField<unknown>, text: string): unknown {
  const { data, error } = field.schema.safeParse(text);
  expect(error?.issues ?? [], `${JSON.stringify(text)} is rejected`).toEqual([]);
  const plain = (value: unknown): unknown => {
    if (value instanceof PageRange) return value.resolve("pages", 9);
    return Array.isArray(value) ? value.map(plain) : value;
  };
  return plain(data);
}

const tried = parameters.flatMap((parameter) => {
  const forms = formsOf(parameter);
  return forms ? [{ ...parameter, forms }] : [];
});

describe("forms of a value", () => {
  test.each(tried)("a value has the same meaning in each of its forms: $operation, $name", ({ name, field, forms }) => {
    for (const [canonical, others] of forms) {
      // Whether a text is meant as a boolean is known when the document is open.
      const expected = meaning(field, canonical);
      const known = others.filter((other) => !(name === "values" && /"agree":(?!true)/.test(other)));
      expect(known.map((other) => [other, meaning(field, other)])).toEqual(known.map((other) => [other, expected]));
    }
  });
});

test("all parameters except free texts are tested", () => {
  // Every operation has the URL for the result of a job.
  const free = parameters.filter(
    ({ name, field }) => name !== "deliverTo" && !tried.some((one) => one.field === field),
  );
  expect([...new Set(free.map(({ operation, name }) => `${operation} ${name}`))].sort()).toEqual([
    "add-page-numbers font",
    "add-page-numbers template",
    "archive language",
    "archive title",
    "attachments description",
    "attachments name",
    "merge author",
    "merge title",
    "pipeline steps",
    "protect ownerPassword",
    "protect userPassword",
    "redact label",
    "seal certificatePassword",
    "seal chain",
    "seal cms",
    "seal contactInfo",
    "seal fieldName",
    "seal location",
    "seal privateKey",
    "seal reason",
    "seal signature",
    "seal signerName",
    "seal timestampUrl",
    "sign signerEmail",
    "sign signerName",
    "sign typedName",
    "to-pdf css",
    "to-pdf encoding",
    "to-pdf footer",
    "to-pdf header",
    "to-pdf language",
    "to-pdf nativePageRanges",
    "to-pdf password",
    "to-pdf title",
    "to-pdf url",
    "to-pdf waitForExpression",
    "to-pdf waitForSelector",
    "verify-signatures trust",
    "watermark font",
    "watermark text",
  ]);
});

describe("values of another meaning", () => {
  test.each([
    ["rotate", "angle", ["-90", "- 90", "9 0", "90 degrees", "360"]],
    ["n-up", "pagesPerSheet", ["-2", "2.5", "1 6"]],
    ["to-images", "dpi", ["1e2", "100.5", "1 00", "1,000", "0x64", "100dpi"]],
    ["to-images", "format", ["jp", "pngs", "image/png"]],
    ["watermark", "opacity", ["50%", "0,5", "1.2"]],
    ["watermark", "color", ["red", "#12", "#1234", "##123", "rgb(0,0,0)"]],
    ["compress", "grayscale", ["2", "t", "truee", "-1", "null"]],
    ["protect", "permissions", ["print copy", "printing;copying", "print,,copy", "allow", "can"]],
    [
      "sign",
      "field",
      ['{"page":"one","x":0,"y":0,"width":9,"height":9}', '{"page":1.5,"x":0,"y":0,"width":9,"height":9}'],
    ],
    ["rotate", "rotations", ['{"1":"45"}', '{"1":""}', '{"1":true}']],
    ["fill-form", "values", ['{"a":12345678901234567890}', '{"a":1e300}', '{"a":{}}']],
  ])("%s rejects values of %s that only resemble an accepted form", (operation, name, texts) => {
    const parameter = parameters.find((one) => one.operation === operation && one.name === name);
    for (const text of texts) expect(parameter?.field.schema.safeParse(text).success, text).toBe(false);
  });
});

describe("requests", () => {
  const send = senderTo(...operations);

  /** The parameters that a request has problems with. Its file is none, so that nothing is charged. */
  async function problems(operation: string, fields: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append("file", new Blob(["%PDF-1.7"]));
    const headers = { Authorization: `Bearer ${await key}` };
    const response = await send(`/api/v1/${operation}`, { method: "POST", headers, body });
    const { error } = (await response.json()) as { error: { details?: { fields?: { name: string }[] } } };
    return (error.details?.fields ?? []).map(({ name }) => name);
  }
  const key = newKey("enterprise");

  /** Parameters that contradict others, whose forms are tested one by one above. */
  const contradicting: Readonly<Record<string, readonly string[]>> = {
    "to-pdf": ["engine", "fontSize", "fit", "strict", "pageSize", "orientation"],
  };

  test("a request accepts the last form of each of its parameters", async () => {
    for (const { name: operation, oneOf } of operations) {
      const excluded = [...(oneOf?.exactly ? oneOf.fields.slice(1) : []), ...(contradicting[operation] ?? [])];
      const own = tried.filter((one) => one.operation === operation && !excluded.includes(one.name));
      const fields = Object.fromEntries(own.map(({ name, forms }) => [name, forms[0]?.[1].at(-1) ?? ""]));
      const found = await problems(operation, fields);
      expect(
        found.filter((name) => name in fields),
        operation,
      ).toEqual([]);
    }
  });

  test("a step of a pipeline accepts the last form of each of its parameters", async () => {
    const steps = [
      { operation: "rotate", rotations: { "1": " 90 " }, password: 12 },
      { operation: "watermark", kind: "Text", text: "DRAFT", color: "C00", tile: "True", opacity: " .5 " },
      { operation: "to-images", format: "JPG", dpi: "150.0", quality: 90 },
    ];
    expect(await problems("pipeline", { steps: JSON.stringify(steps) })).toEqual([]);
  });
});
