import { expect, test } from "vitest";
import { operationService } from "./operation-service.ts";
import { errorOf } from "../http/echo-service.ts";

const pdf = new TextEncoder().encode("%PDF-1.7");

test.each([
  ["sign", { mode: "type", typedName: "Ada", field: '{"page":1,"x":0,"y":0,"width":9,"height":9,"page":2}' }, "page"],
  ["fill-form", { values: '{"name":"Ada","name":"Eve"}' }, "name"],
  ["fill-form", { values: '{"name":"\\"name\\":","n\\u0061me":"Ada"}' }, "name"],
  ["metadata", { action: "set", metadata: '{"title":"a","custom":{"b":"1","c":"{","b":"1"}}' }, "b"],
  ["rotate", { rotations: '{"1":90,"2":90,"1":180}' }, "1"],
])("%s refuses %j, which has a key twice", async (name, fields, key) => {
  const post = await operationService(name);
  const parameter = Object.keys(fields).at(-1);
  const [status, code, details] = await errorOf(await post(pdf, fields));
  const issue = `must not repeat the key "${key}"`;
  expect([status, code, details]).toEqual([400, "invalid_parameters", { fields: [{ name: parameter, issue }] }]);
});

test("a key may occur in two objects, and in a text", async () => {
  const post = await operationService("metadata");
  const metadata = '{"title":"\\\\\\"title\\":","custom":{"b":"title","title2":"b"},"author":"{"}';
  // The parameters are right, so the file is what is wrong.
  expect((await errorOf(await post(pdf, { action: "set", metadata })))[1]).toBe("invalid_file");
});

const items = (count: number, item: string): string => `[${Array.from({ length: count }, () => item).join(",")}]`;
const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":[]`).join(",")}}`;

test.each([
  ["outline", { action: "set", outline: items(340_000, "{}") }],
  ["outline", { action: "set", outline: `[{"title":"x","children":${items(5_000, "{}")}}]` }],
  ["rotate", { rotations: members(70_000) }],
  ["metadata", { action: "set", metadata: `{"custom":${members(2_000)}}` }],
  ["crop", { margins: members(70_000) }],
  ["sign", { mode: "type", typedName: "Ada", field: members(70_000) }],
] as const)("%s lists 10 problems of a JSON parameter, and does not look for more", async (name, fields) => {
  const post = await operationService(name);
  const [status, code, details] = await errorOf(await post(pdf, fields));
  const { fields: found } = details as { fields: { issue: string }[] };
  expect([status, code, found.length]).toEqual([400, "invalid_parameters", 11]);
  expect(found.at(-1)?.issue).toBe("has at least 990 more problems");
});

test.each([
  ["redact", "terms", '""', "at most 200 items"],
  ["pipeline", "steps", "1", "at most 10 items"],
])("%s checks the number of %s before any of them", async (name, field, item, allowed) => {
  const post = await operationService(name);
  const [status, code, details] = await errorOf(await post(pdf, { [field]: items(100_000, item) }));
  const issue = `must have ${allowed}`;
  expect([status, code, details]).toEqual([400, "invalid_parameters", { fields: [{ name: field, issue }] }]);
});
