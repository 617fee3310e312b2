import { expect, test } from "vitest";
import { call } from "./any-operation.ts";
import { newKey, senderTo } from "../http/echo-service.ts";
import { endpoints } from "../../src/http/endpoints/index.ts";
import { takesJson } from "../../src/operations/definition/fields.ts";
import { operations } from "../../src/operations/index.ts";

/** How the validator words its own messages, and what a value looks like that was never meant to be shown. */
const FOREIGN =
  /Invalid (input|option|key|string|format|element|type|date|ISO|URL|UUID|value)|\b[Ee]xpected\b|\breceived\b|\bToo (small|big)\b|Unrecognized|\bundefined\b|\bNaN\b|\[object|\bregexp?\b(?!")|\bpattern\b|is not valid/;

interface Envelope {
  readonly error: { readonly message: string; readonly details?: { readonly fields?: readonly { issue: string }[] } };
}

/** Every sentence of an error. */
async function sentencesOf(response: Response): Promise<string[]> {
  if (response.ok) return [];
  const { error } = (await response.json()) as Envelope;
  return [error.message, ...(error.details?.fields ?? []).map(({ issue }) => issue)];
}

/** The sentences that are not worded as they should be, with what they respond to. */
async function oddIn(response: Response, what: string): Promise<string[]> {
  const [message, ...issues] = await sentencesOf(response);
  const odd = [
    ...(message === undefined || /^[`A-Z"][^]*\.$/.test(message) ? [] : [message]),
    ...issues.filter((issue) => !/^[a-z][^]*[^.]$/.test(issue)),
    ...[message ?? "", ...issues].filter((sentence) => FOREIGN.test(sentence)),
  ];
  return odd.map((sentence) => `${what.slice(0, 200)}: ${sentence.slice(0, 500)}`);
}

const json = [
  "{",
  "null",
  "[]",
  "[1]",
  "1",
  '"x"',
  "{}",
  '{"x":{}}',
  '{"0":1}',
  '{"1":1,"x":90}',
  '{"title":1,"creationDate":"x","custom":{"Title":1,"Trapped":"x"},"pages":1}',
  '{"custom":[],"creationDate":{},"CreationDate":1}',
  '{"page":"x","x":null,"y":[],"width":0,"height":-1,"origin":1,"z":1}',
  '{"page":1.5,"x":"","width":1e999}',
  '{"line":1}',
  '{"line":{"a":1}}',
  '{"line":[1]}',
  "[{}]",
  '[{"title":1,"page":"x","view":["Fit",1],"children":[{"page":0,"x":1}]}]',
];
const texts = ["x", " ", "-1", "0.5", "1e9", "99999999999999999", "1,,2", "99", "#12", "a\u0000", "x".repeat(200_000)];
/** Opens as nothing, so that no work is done where a value is right. */
const file = new TextEncoder().encode("%PDF-1.7");

test.each(operations)("$name words its errors itself, whatever is sent", async (operation) => {
  const fields = Object.entries(operation.fields).flatMap(([name, field]) =>
    field.kind === "text" ? [{ name, hasJson: takesJson(field) }] : [],
  );
  const odd: string[] = [];
  for (const value of [...texts, ...(fields.some(({ hasJson }) => hasJson) ? json : [])]) {
    const all = Object.fromEntries(fields.map(({ name }) => [name, value]));
    odd.push(...(await oddIn(await call(operation, { file, texts: all }), value)));
  }
  // With the rest right, so that what depends on it is looked at.
  for (const { name, hasJson } of fields) {
    for (const value of ["x", ...(hasJson ? json : [])]) {
      odd.push(...(await oddIn(await call(operation, { file, texts: { [name]: value } }), `${name}: ${value}`)));
    }
  }
  expect(odd).toEqual([]);
});

const values = [null, 1, -1, 1.5, "", "x", true, [], [1], ["x"], {}, { x: 1 }, "x".repeat(3_000), ["key.created", "*"]];

test("the endpoints word their errors themselves", async () => {
  const send = senderTo(...operations);
  const key = await newKey("business");
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const names = [
    "name",
    "livemode",
    "scopes",
    "expiresAt",
    "url",
    "events",
    "description",
    "active",
    "gracePeriodSeconds",
  ];
  const odd: string[] = [];
  for (const { method, path, body, query } of endpoints) {
    const url = `/api/v1${path.replaceAll(/\{\w+\}/g, "none")}`;
    for (const value of body === undefined ? [] : [...values, undefined]) {
      const content = JSON.stringify(Object.fromEntries([...names, "typo"].map((name) => [name, value])));
      const response = await send(url, { method, headers, body: content });
      if (response.ok) odd.push(`${method} ${url} ${content}: accepted`);
      odd.push(...(await oddIn(response, `${method} ${url} ${content}`)));
    }
    const queries = ["limit=x", "limit=0", "limit=1&limit=2", `cursor=${"x".repeat(300)}`, "cursor=x"];
    for (const wrong of ["typo=1", ...(query === undefined ? [] : queries)]) {
      odd.push(...(await oddIn(await send(`${url}?${wrong}`, { method, headers }), `${method} ${url}?${wrong}`)));
    }
  }
  expect(odd).toEqual([]);
});
