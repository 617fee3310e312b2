import { expect, test } from "vitest";
import { lookAt } from "./open-document.ts";
import { fields, inheritedFrom } from "../../../src/engines/pdf/document/fields.ts";

/** The nodes of a form whose `Fields` are `top`: `objects` begin with number 4. Each line: depth, number, what it is, its widgets. */
const nodesOf = (top: string, ...objects: readonly string[]): Promise<string[]> =>
  lookAt(`/AcroForm << /Fields ${top} >>`, objects, async (open) => {
    const lines: string[] = [];
    for await (const node of fields(open)) {
      const kind = node.hasFields ? "fields" : node.isField ? "field" : "widget";
      const type = inheritedFrom(node, "FT");
      lines.push(`${node.depth} ${node.number} ${kind} ${node.widgets.length} ${type.isName() ? type.asName() : "-"}`);
    }
    return lines;
  });

test("fields come before their kids, and entries are inherited from the nearest field that has them", async () => {
  const lines = await nodesOf(
    "[4 0 R 8 0 R]",
    "<< /T (a) /FT /Tx /Kids [5 0 R 6 0 R] >>",
    "<< /T (b) /Parent 4 0 R /FT /Btn /Kids [7 0 R] >>",
    "<< /T (c) /Subtype /Widget /Parent 4 0 R >>",
    "<< /Subtype /Widget /Parent 5 0 R >>",
    "<< /Kids [9 0 R] >>",
    "<< /Kids [] >>",
  );
  expect(lines).toEqual([
    "0 4 fields 0 Tx",
    "1 5 field 1 Btn",
    "2 7 widget 0 Btn",
    "1 6 field 0 Tx",
    "0 8 fields 0 -",
    "1 9 field 0 -",
  ]);
});

test("kids that are null or not dictionaries are ignored", async () => {
  expect(
    await nodesOf("[null 4 0 R 99 0 R (text)]", "<< /T (a) /Kids [null 7 99 0 R << /Subtype /Widget >>] >>"),
  ).toEqual(["0 4 field 1 -", "1 0 widget 0 -"]);
  expect(await nodesOf("<< >>")).toEqual([]);
});

test("a field in a cycle is visited once, and a widget that two fields share counts for both", async () => {
  const lines = await nodesOf(
    "[4 0 R 5 0 R]",
    "<< /T (a) /Kids [4 0 R 5 0 R 6 0 R] >>",
    "<< /T (b) /Kids [4 0 R 6 0 R] >>",
    "<< /Subtype /Widget >>",
  );
  expect(lines).toEqual(["0 4 fields 1 -", "1 5 fields 1 -", "2 6 widget 0 -"]);
});

test("fields below 65 levels are ignored", async () => {
  const chain = Array.from({ length: 80 }, (_, at) => `<< /T (a) /Kids [${at + 5} 0 R] >>`);
  const lines = await nodesOf("[4 0 R]", ...chain);
  expect(lines).toHaveLength(65);
  expect(lines.at(-1)).toBe("64 68 fields 0 -");
});

test("an array of more than 200,000 fields is refused", async () => {
  await expect(nodesOf(`[${"4 0 R ".repeat(200_001)}]`, "<< /T (a) >>")).rejects.toMatchObject({
    code: "limit_exceeded",
    details: { limit: 200_000, actual: 200_001 },
  });
});
