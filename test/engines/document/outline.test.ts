import { expect, test } from "vitest";
import { lookAt } from "./open-document.ts";
import { outline } from "../../../src/engines/pdf/document/outline.ts";

/** The items of an outline whose first item is `first`: `objects` begin with number 4. Each line: depth and number. */
const itemsOf = (first: string, ...objects: readonly string[]): Promise<string[]> =>
  lookAt(`/Outlines << /First ${first} >>`, objects, async (open) => {
    const lines: string[] = [];
    for await (const { depth, number, isOpen } of outline(open))
      lines.push(`${depth} ${number}${isOpen ? " open" : ""}`);
    return lines;
  });

test("items come in order, each before those below it", async () => {
  const lines = await itemsOf(
    "4 0 R",
    "<< /First 5 0 R /Next 7 0 R /Count 2 >>",
    "<< /Next 6 0 R >>",
    "<< >>",
    "<< /Count -1 >>",
  );
  expect(lines).toEqual(["0 4 open", "1 5", "1 6", "0 7"]);
});

test("an item that was visited, is null, or is a direct object ends its level", async () => {
  expect(
    await itemsOf(
      "4 0 R",
      "<< /First 5 0 R /Next 4 0 R >>",
      "<< /First 4 0 R /Next 6 0 R >>",
      "<< /Next << /Next 5 0 R >> >>",
    ),
  ).toEqual(["0 4", "1 5", "1 6"]);
  expect(await itemsOf("99 0 R")).toEqual([]);
});

test("items below 65 levels are ignored", async () => {
  const lines = await itemsOf("4 0 R", ...Array.from({ length: 80 }, (_, at) => `<< /First ${at + 5} 0 R >>`));
  expect(lines).toHaveLength(65);
  expect(lines.at(-1)).toBe("64 68");
});
