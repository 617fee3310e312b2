import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { concat } from "../../../src/bytes/concat.ts";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { ownBytes } from "../../../src/engines/memory/joined-bytes.ts";
import { readWritten, type WrittenFile } from "../../../src/engines/pdf/write/written-file.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

interface Parts {
  /** The number of the page in the object stream. */
  readonly packedNumber?: number;
  /** How far the row of the catalog is from it. */
  readonly shift?: number;
  /** Changes the object stream. */
  readonly spoil?: (data: Uint8Array) => Uint8Array;
  readonly trailer?: string;
}

/** A catalog by itself, the page tree and a page in an object stream, and cross-references with rows of four bytes. */
function fileOf({ packedNumber = 3, shift = 0, spoil = (data) => data, trailer = "" }: Parts = {}): Uint8Array {
  const objects = [
    "<</Type/Pages/Kids[3 0 R]/Count 1/Rotate 90>>",
    "<</Type/Page/Parent 2 0 R/Note(a\\)b)/Name/A#20b>>",
  ];
  const pairs = `2 0 ${packedNumber} ${objects[0]?.length} `;
  const packed = spoil(deflateSync(bytesOf(pairs + objects.join(""))));
  const pieces: Uint8Array[] = [];
  const at: number[] = [];
  let length = 0;
  const add = (...added: (string | Uint8Array)[]): void => {
    at.push(length);
    for (const piece of added.map((one) => (typeof one === "string" ? bytesOf(one) : one))) {
      pieces.push(piece);
      length += piece.length;
    }
  };
  add("%PDF-1.7\n");
  add("1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n");
  add(
    `4 0 obj\n<</Type/ObjStm/N 2/First ${pairs.length}/Length ${packed.length}/Filter/FlateDecode>>\nstream\n`,
    packed,
    "\nendstream\nendobj\n",
  );
  const [, catalog = 0, stream = 0] = at;
  const rows = [
    [0, 0, 0],
    [1, catalog + shift, 0],
    [2, 4, 0],
    [2, 4, 1],
    [1, stream, 0],
    [1, length, 0],
  ].flatMap(([type = 0, second = 0, third = 0]) => [type, second >> 8, second & 255, third]);
  const start = length;
  add(
    `5 0 obj\n<</Type/XRef/Size 6/W[1 2 1]/Root 1 0 R${trailer}/Length ${rows.length}>>\nstream\n`,
    Uint8Array.from(rows),
    `\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`,
  );
  return concat(pieces);
}

const read = (file: Uint8Array): Promise<WrittenFile | undefined> => readWritten(unlimitedWork(), ownBytes(file));

describe("a written file with object streams", () => {
  test("objects are found by their cross-references, within object streams and outside of them", async () => {
    const root = (await read(fileOf()))?.trailer.get("Root");
    const page = root?.get("Pages").get("Kids").get(0);
    expect(root?.get("Type").asName()).toBe("Catalog");
    expect(page?.getInheritable("Rotate").asNumber()).toBe(90);
    expect(page?.get("Note").asByteString()).toEqual(bytesOf("a)b"));
    expect(page?.get("Name").asName()).toBe("A b");
    expect([page?.isDictionary(), page?.isStream(), page?.get("Absent").isName()]).toEqual([true, false, false]);
  });

  test("a stream is told from a dictionary", async () => {
    const file = await read(fileOf({ trailer: "/Own 5 0 R" }));
    expect(file?.trailer.get("Own").isStream()).toBe(true);
    expect(file?.trailer.get("Root").isStream()).toBe(false);
  });

  const damages: readonly (readonly [string, Uint8Array])[] = [
    ["whose row leads beside its object", fileOf({ shift: 1 })],
    ["whose object stream has another object than its row says", fileOf({ packedNumber: 7 })],
    [
      "whose object stream has one wrong bit",
      fileOf({ spoil: (data) => data.with(data.length - 1, data.at(-1)! ^ 1) }),
    ],
    ["whose object stream is cut off", fileOf({ spoil: (data) => data.slice(0, -12) })],
    ["that is encrypted", fileOf({ trailer: "/Encrypt 9 0 R" })],
    ["that continues another", fileOf({ trailer: "/Prev 9" })],
    ["that is cut off", fileOf().slice(0, -10)],
    ["that is empty", new Uint8Array()],
  ];
  test.for(damages)("a file %s is not read", async ([, file]) => {
    expect(await read(file)).toBeUndefined();
  });
});
