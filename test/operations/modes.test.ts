import { describe, expect, test } from "vitest";
import { errorOf, newKey, senderTo } from "../http/echo-service.ts";
import { type Fields, hintsOf } from "../../src/operations/definition/fields.ts";
import { operations } from "../../src/operations/index.ts";

const send = senderTo(...operations);
const key = await newKey("business");

/** Not a document, so that a request whose parameters are right is refused for it, and nothing is charged. */
const file = new Blob(["%PDF-1.7"]);
const image = new Blob(["\u0000"]);

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

/** The same defaults, written as a client might. */
const spellings: Readonly<Record<string, readonly string[]>> = { color: ["#888", "#888888"], quality: ["90", "+90"] };

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

describe.each(cases)("$operation, $name, with $others", (one) => {
  const field = one.fields[one.name];
  const { default: byDefault } = field ? hintsOf(field) : {};
  const isBoolean = field?.kind === "text" && field.schema.safeParse(undefined).data === false;
  const unset = byDefault === undefined ? (isBoolean ? "false" : "") : String(byDefault);

  test.each([unset, "", ...(spellings[one.name] ?? [])])(
    "%j, which is as good as nothing, is accepted",
    async (value) => {
      const { issues } = await post(one, field?.kind === "text" ? { [one.name]: value } : {});
      expect(issues.get(one.name)).toBeUndefined();
    },
  );

  test("another value is refused by name", async () => {
    const value = field?.kind === "text" ? another[one.name] : image;
    if (value === undefined) throw new Error(`What could ${one.name} be?`);
    const { status, code, issues } = await post(one, { [one.name]: value });
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(issues.get(one.name)).toMatch(/^only applies when /);
  });
});
