import { describe, expect, test } from "vitest";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { deflate } from "../../../src/engines/flate/deflate.ts";
import { endMarkerAt } from "../../../src/engines/pdf/signatures/end-marker.ts";
import { Broken, readSection } from "../../../src/engines/pdf/signatures/section.ts";
import { unlimitedWork, type Work } from "../../../src/engines/work.ts";

const REVISION = 100;

/** Reads a section behind a revision of 100 bytes and 100 bytes of objects. `$` stands for its place. */
const read = (text: string | Uint8Array, work: Work = unlimitedWork()) => {
  const section = typeof text === "string" ? bytesOf(text.replaceAll("$", "200")) : text;
  const bytes = new Uint8Array(200 + section.length);
  bytes.set(section, 200);
  return readSection(bytes, { start: 200, revision: REVISION, header: 0 }, work);
};
async function problem(text: string | Uint8Array): Promise<string> {
  try {
    await read(text);
    return "none";
  } catch (error) {
    if (error instanceof Broken) return error.message;
    throw error;
  }
}
const END = "startxref\n$\n%%EOF\n";
const TABLE = `xref\n0 1\n0000000000 65535 f \n7 2\n0000000120 00000 n \n0000000150 00002 n\r\ntrailer\n<< /Size 9 /Prev 50 >>\n%iText\n${END}`;
const stream = (data: string, entries: string): string =>
  `99 0 obj\n<< /Type /XRef /Length ${data.length} /Prev 50 ${entries} >>\nstream\n${data}\nendstream\nendobj\n${END}`;

describe("cross-reference tables", () => {
  test("a table is read with its rows, its trailer, and its end", async () => {
    expect(await read(TABLE)).toEqual({
      plain: [
        { number: 7, offset: 120, generation: 0 },
        { number: 8, offset: 150, generation: 2 },
      ],
      packed: new Map(),
      own: undefined,
      size: 9,
      previous: 50,
      start: 200,
      end: 200 + TABLE.replace("$", "200").length,
    });
  });

  test.each([
    ["a short row", TABLE.replace("n \n", "n\n"), "The cross-reference table is malformed."],
    ["no rows", `xref\ntrailer\n<< /Size 9 /Prev 50 >>\n${END}`, "The cross-reference table is malformed."],
    ["too few rows", TABLE.replace("7 2", "7 3"), "The cross-reference table is malformed."],
    ["a negative number", TABLE.replace("7 2", "-7 2"), "The cross-reference table is malformed."],
    ["a row twice", TABLE.replace("7 2", "0 2"), "The cross-references have object 0 twice."],
    [
      "a row before the update",
      TABLE.replace("0000000120", "0000000099"),
      "Object 7 is not where an update has its objects.",
    ],
    ["two objects in one place", TABLE.replace("120", "150"), "Object 8 is not where an update has its objects."],
    ["a small size", TABLE.replace("Size 9", "Size 8"), "The trailer has another `Size` than the cross-references."],
    ["no table before it", TABLE.replace("/Prev 50", ""), "The trailer does not name the cross-references before it."],
    ["a key twice", TABLE.replace("/Prev 50", "/Prev 50 /#50rev 50"), "The trailer has the key `Prev` twice."],
    [
      "two tables",
      TABLE.replace("/Prev", "/XRefStm 1 /Prev"),
      "The update has other cross-references for old readers.",
    ],
    ["another place", TABLE.replace("$", "201"), "The update does not end with the place of its cross-references."],
    [
      "a word before its end",
      TABLE.replace("%iText", "iText"),
      "The update does not end with the place of its cross-references.",
    ],
    ["a comment like syntax", TABLE.replace("%iText", "%startxref"), "A comment looks like syntax."],
  ])("a table with %s is malformed", async (_, text, expected) => {
    expect(await problem(text)).toBe(expected);
  });
});

describe("cross-reference streams", () => {
  test("a stream is read with objects in two places", async () => {
    const data = "\x01\x78\x00\x02\x63\x01\x00\x00\x00\x01\xc8\x00";
    const { plain, packed, own } = await read(stream(data, "/Size 100 /W [1 1 1] /Index [7 3 99 1]"));
    expect(plain).toEqual([
      { number: 7, offset: 120, generation: 0 },
      { number: 99, offset: 200, generation: 0 },
    ]);
    expect(packed).toEqual(new Map([[99, new Map([[1, 8]])]]));
    expect(own).toBe(99);
  });

  test.each([
    ["rows without bytes", stream("", "/Size 8000000 /W [0 0 0]")],
    ["more rows than data", stream("\x01\x78", "/Size 8000000 /W [0 1 0]")],
    ["more rows than numbers", stream("\x78", "/Size 5 /W [0 1 0] /Index [7 1]")],
    ["rows of another type", stream("\x03\x78", "/Size 9 /W [1 1 0] /Index [7 1]")],
    ["a filter that is not Flate", stream("\x78", "/Size 9 /W [0 1 0] /Index [7 1] /Filter /LZWDecode")],
  ])("a stream with %s is malformed", async (_, text) => {
    expect(await problem(text)).toBe("The cross-reference stream is malformed.");
  });

  test("a stream of eight million rows in a few kilobytes is refused at its second row", async () => {
    const count = 8_000_000;
    const data = await deflate(new Uint8Array(count).fill(0x78));
    const [head, tail] = [
      `99 0 obj\n<< /Type /XRef /Length ${data.length} /Prev 50 /Size ${count} /W [0 1 0] /Filter /FlateDecode >>\nstream\n`,
      `\nendstream\nendobj\n${END.replace("$", "200")}`,
    ].map(bytesOf);
    const file = Buffer.concat([head ?? [], data, tail ?? []] as Uint8Array[]);
    expect(file.length).toBeLessThan(10_000);
    expect(await problem(file)).toBe("The cross-references have object 0, which is always free.");
  });
});

describe("end markers", () => {
  const at = (text: string) => endMarkerAt(bytesOf(text), 0);
  test.each([
    ["startxref\n12\n%%EOF", 18],
    ["startxref\r\n12\r\n%%EOF\r\n", 22],
    ["startxref 12 %%EOF\r", 19],
    ["startxref\n12\n%%EOF\n\n", 19],
  ])("the end marker in %j ends at %i", (text, end) => expect(at(text)).toEqual({ startXref: 12, end }));
  test.each([
    "startxref\n%%EOF",
    "startxref12\n%%EOF",
    "startxref\n+12\n%%EOF",
    "startxref\n12%%EOF",
    "startxref\n12\n",
    "xref",
  ])("no end marker is found in %j", (text) => expect(at(text)).toBeUndefined());
});
