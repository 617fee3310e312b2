import { describe, expect, test } from "vitest";
import { errorOf, newKey, senderTo } from "../http/echo-service.ts";
import { heapArena } from "../harness/heap-arena.ts";
import type { InputBytes } from "../../src/engines/bytes/heap.ts";
import { readForm } from "../../src/http/form/form.ts";
import { type Fields, type FileKind, hintsOf } from "../../src/operations/definition/fields.ts";
import { operations } from "../../src/operations/index.ts";

const send = senderTo(...operations);
const key = await newKey("business");

/** Not a document, so that a request whose parameters are right is refused for it, and nothing is charged. */
const file = new Blob(["%PDF-1.7"]);
const pngSignature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const image = new Blob([pngSignature]);

interface Case {
  readonly operation: string;
  readonly name: string;
  /** Values of the other fields with which this one does not apply. */
  readonly others: Readonly<Record<string, string>>;
  readonly fields: Fields;
}

/** A text that each governed parameter takes and that is not its default. */
const another: Readonly<Record<string, string>> = {
  quality: "50",
  orientation: "landscape",
  fit: "cover",
  words: "true",
  ranges: "1",
  chunkSize: "2",
  text: "DRAFT",
  color: "#c00",
  fontSize: "12",
  scale: "0.3",
  tile: "true",
  typedName: "Ada",
  metadata: "{}",
  replace: "true",
  pages: "1",
  name: "data.csv",
  description: "A file",
  relationship: "Data",
  outline: "[]",
  markdown: "true",
  blocks: "true",
  furniture: "true",
  languages: "deu",
};

/** What none of them takes: a control character is no text, and no word. */
const INVALID = "\u0007";

const cases = operations.flatMap((operation) =>
  Object.entries(operation.fields).flatMap(([name, field]): Case[] => {
    const { fields } = operation;
    return Object.entries(hintsOf(field).when ?? {}).map(([other, values]) => {
      const governing = fields[other];
      if (governing?.kind !== "text") throw new Error(`${operation.name}: ${other}`);
      // The first value of the other parameter that this one does not belong to, or none.
      const choices = choicesOf(governing.schema.safeParse("?").error?.issues ?? []);
      const value = choices.find((choice) => !values.includes(choice));
      return { operation: operation.name, name, others: value === undefined ? {} : { [other]: value }, fields };
    });
  }),
);

function choicesOf(issues: readonly object[]): string[] {
  return issues.flatMap((issue) => ("values" in issue && Array.isArray(issue.values) ? issue.values.map(String) : []));
}

async function post({ operation, others, fields }: Case, sent: Readonly<Record<string, string | Blob>>) {
  const body = new FormData();
  for (const [name, field] of Object.entries(fields)) {
    const value = sent[name] ?? others[name];
    if (value !== undefined) body.append(name, value);
    else if (field.kind === "files")
      for (let index = 0; index < field.min; index++) body.append(`${field.prefix}${index}`, image);
    else if (field.kind === "file" && hintsOf(field).required === true && !hintsOf(field).when) body.append(name, file);
  }
  const headers = { Authorization: `Bearer ${key}` };
  const [status, code, details] = await errorOf(await send(`/api/v1/${operation}`, { method: "POST", headers, body }));
  const { fields: found = [] } = (details ?? {}) as { fields?: { name: string; issue: string }[] };
  return { status, code, issues: new Map(found.map(({ name, issue }) => [name, issue])) };
}

test("every parameter that belongs to a mode is tried", () => {
  expect(cases.map(({ operation, name }) => `${operation} ${name}`)).toContain("from-images fit");
  expect(cases.length).toBeGreaterThanOrEqual(15);
});

/** What requests need besides, whatever their mode. */
const required: Readonly<Record<string, string>> = {
  kind: "text",
  mode: "type",
  field: '{"page":1,"x":0,"y":0,"width":9,"height":9}',
};

/** The form of a request that has what it needs. Files are referred to: nothing is loaded. */
async function read({ operation: name, others, fields }: Case, sent: Readonly<Record<string, string>>) {
  const operation = operations.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no ${name}`);
  const given = new Map(Object.entries({ ...(name === "rotate" && { rotations: '{"1":90}' }), ...others, ...sent }));
  for (const [field, declared] of Object.entries(fields)) {
    const { required: isRequired, when = {} } = hintsOf(declared);
    const applies = Object.entries(when).every(([other, values]) => values.includes(given.get(other) ?? ""));
    if (declared.kind === "files") for (const at of [0, 1]) given.set(`${declared.prefix}${at}`, `file_${at}`);
    else if (isRequired && applies && !given.has(field))
      given.set(field, declared.kind === "file" ? "file_1" : (required[field] ?? another[field] ?? ""));
  }
  const parts = Array.from(given, ([field, value]) => ({ kind: "text", field, value }) as const);
  return readForm(operation, parts, { countPages: async () => undefined, urlIssue: () => undefined });
}

function bytesOf(accept: readonly FileKind[]): InputBytes {
  const arena = heapArena(16);
  arena.write(accept.includes("pdf") ? new TextEncoder().encode("%PDF-1.7") : pngSignature);
  return arena.seal();
}

describe.each(cases)("$operation, $name, with $others", (one) => {
  const field = one.fields[one.name];
  const isText = field?.kind === "text";

  test.each(["", another[one.name] ?? ""])("%j has no issue", async (value) => {
    const { issues } = await post(one, isText ? { [one.name]: value } : { [one.name]: image });
    expect(issues.get(one.name)).toBeUndefined();
  });

  test.runIf(isText)("it is validated all the same", async () => {
    const { status, code, issues } = await post(one, { [one.name]: INVALID });
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(issues.get(one.name)).toBeTypeOf("string");
  });

  test("it is ignored, and named", async () => {
    const value = isText ? another[one.name] : "file_2";
    if (value === undefined) throw new Error(`What could ${one.name} be?`);
    const form = await read(one, { [one.name]: value });
    expect([(await read(one, {})).ignored, form.ignored]).toEqual([[], [one.name]]);
    const unset = field?.kind === "text" ? field.schema.safeParse(field.hints.default?.toString()).data : undefined;
    const loaded = form.files.map((file) => [file, { ...file, stem: "", bytes: bytesOf(file.accept) }] as const);
    expect((form.inputWith(new Map(loaded)) as Readonly<Record<string, unknown>>)[one.name]).toEqual(unset);
  });
});
