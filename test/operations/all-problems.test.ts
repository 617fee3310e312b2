import { expect, test } from "vitest";
import { operationService } from "./operation-service.ts";
import { errorOf } from "../http/echo-service.ts";
import { document } from "../harness/fixtures/fixtures.ts";

const three = document({ name: "alpha", pages: 3 });

test.each<[string, Record<string, string>, string[]]>([
  ["to-images", { dpi: "5", pages: "4" }, ["dpi", "pages"]],
  ["watermark", { kind: "text", opacity: "7", pages: "2-4", scale: "20" }, ["opacity", "pages", "scale", "text"]],
  ["extract-pages", { range: "last-4", color: "red" }, ["color", "range"]],
  ["split", { mode: "ranges", ranges: "1|9", chunkSize: "0" }, ["chunkSize", "ranges"]],
  ["rotate", { angle: "45", rotations: '{"4":90}' }, ["angle", "rotations"]],
  ["rotate", { angle: "90", pages: "5", rotations: '{"4":90}' }, ["pages", "rotations"]],
  ["sign", { mode: "type", field: '{"page":4,"x":0,"y":0,"width":9,"height":9}' }, ["field", "typedName"]],
  ["add-page-numbers", { fontSize: "0", startAt: "-1", marginPt: "x" }, ["fontSize", "marginPt", "startAt"]],
  ["protect", { userPassword: "x".repeat(200), permissions: "fly" }, ["permissions", "userPassword"]],
])("%s with %j lists every problem", async (name, fields, wrong) => {
  const post = await operationService(name);
  const response = await post(three, fields);
  expect(response.headers.get("X-Credits-Charged")).toBeNull();
  const [status, code, details] = await errorOf(response);
  expect([status, code]).toEqual([400, "invalid_parameters"]);
  const { fields: found } = details as { fields: { name: string; issue: string }[] };
  expect(found.map((field) => field.name).toSorted()).toEqual(wrong);
});

test("an invalid range as the only problem has a code of its own", async () => {
  const post = await operationService("to-images");
  const range = { field: "pages", range: "4", maxPage: 3 };
  expect(await errorOf(await post(three, { pages: "4" }))).toEqual([400, "invalid_page_range", range]);
});

test("the other problems are reported if the file cannot be opened", async () => {
  const post = await operationService("to-images");
  const [, code, details] = await errorOf(await post(new TextEncoder().encode("%PDF-1.7"), { dpi: "5", pages: "4" }));
  expect([code, details]).toMatchObject(["invalid_parameters", { fields: [{ name: "dpi" }] }]);
});
