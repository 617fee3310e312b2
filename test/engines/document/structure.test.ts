import { expect, test } from "vitest";
import { structure } from "../../../src/engines/pdf/document/structure.ts";
import { lookAt } from "./open-document.ts";

/** The nodes of a structure tree with these kids: `objects` begin with number 4. Each line: depth, kind, number or identifier, page. */
const nodesOf = (kids: string, ...objects: readonly string[]): Promise<string[]> =>
  lookAt(`/StructTreeRoot << /K ${kids} >>`, objects, async (open) => {
    const lines: string[] = [];
    for await (const { depth, kind, object, number, page } of structure(open))
      lines.push(`${depth} ${kind} ${kind === "identifier" ? object.asNumber() : number} ${page}`);
    return lines;
  });

test("elements and their content come in order, content with the page of its element or its own", async () => {
  const lines = await nodesOf(
    "[4 0 R 7 0 R]",
    "<< /S /P /Pg 3 0 R /K [7 5 0 R << /Type /MCR /MCID 8 /Pg 9 0 R >> 6 0 R] >>",
    "<< /Type /StructElem /S /Span /K 9 >>",
    "<< /Type /OBJR /Obj 9 0 R >>",
    "<< /S /Sect /K << /S /P /Pg 3 0 R /K [1] >> >>",
  );
  expect(lines).toEqual([
    "0 element 4 3",
    "1 identifier 7 3",
    "1 element 5 0",
    "2 identifier 9 0",
    "1 MCR 0 9",
    "1 OBJR 6 3",
    "0 element 7 0",
    "1 element 0 3",
    "2 identifier 1 3",
  ]);
});

test("only a type makes a dictionary a reference; what is no dictionary or number is ignored", async () => {
  expect(await nodesOf("[null (text) 99 0 R << /MCID 1 >> << /Type /MCR >>]")).toEqual(["0 element 0 0", "0 MCR 0 0"]);
  expect(await nodesOf("null")).toEqual([]);
});

test("an element in a cycle is visited once, and content that two elements share with each", async () => {
  const [one, other] = ["<< /K [4 0 R 5 0 R 6 0 R] >>", "<< /K [4 0 R 6 0 R] >>"];
  expect(await nodesOf("[4 0 R 5 0 R]", one, other, "<< /Type /MCR >>")).toEqual([
    "0 element 4 0",
    "1 element 5 0",
    "2 MCR 6 0",
    "1 MCR 6 0",
  ]);
});

test("elements below 201 levels are ignored, and the last have their content", async () => {
  const chain = Array.from({ length: 210 }, (_, at) => `<< /K [${at} ${at + 5} 0 R] >>`);
  const lines = await nodesOf("4 0 R", ...chain);
  expect(lines).toHaveLength(402);
  expect(lines.slice(-2)).toEqual(["200 element 204 0", "201 identifier 200 0"]);
});

test("more than 200,000 elements are refused; content does not count", async () => {
  const kids = (count: number): string => `[${"<< >> ".repeat(count)}]`;
  expect(
    await nodesOf(`[4 0 R 5 0 R]`, `<< /K [${"1 ".repeat(150_000)}] >>`, `<< /K [${"1 ".repeat(150_000)}] >>`),
  ).toHaveLength(300_002);
  await expect(
    nodesOf("[4 0 R 5 0 R]", `<< /K ${kids(100_000)} >>`, `<< /K ${kids(100_000)} >>`),
  ).rejects.toMatchObject({
    code: "limit_exceeded",
    details: { limit: 200_000, actual: 200_001 },
  });
});
