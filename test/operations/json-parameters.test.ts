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

test("a key may stand in two objects, and in a text", async () => {
  const post = await operationService("metadata");
  const metadata = '{"title":"\\\\\\"title\\":","custom":{"b":"title","title2":"b"},"author":"{"}';
  // The parameters are right, so the file is what is wrong.
  expect((await errorOf(await post(pdf, { action: "set", metadata })))[1]).toBe("invalid_file");
});
