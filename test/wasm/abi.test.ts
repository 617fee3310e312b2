import { expect, test } from "vitest";
import * as abi from "../../src/engines/pdf/mupdf/abi.ts";
import { checkAbi } from "../../src/engines/pdf/mupdf/abi-check.ts";
import { unlimitedWork } from "../../src/engines/work.ts";
import { createEngine } from "../harness/fixtures/changed-document.ts";

/** Each offset that abi.ts has of a struct; bits, types and sizes of other things are not read from a struct. */
const STRUCTS: Record<string, Record<string, number>> = Object.fromEntries(
  Object.entries(abi).filter((entry): entry is [string, Record<string, number>] => /^(?:PDF|FZ)_/.test(entry[0])),
);
const FIELDS = Object.entries(STRUCTS).flatMap(([struct, fields]) =>
  Object.keys(fields)
    .filter((field) => field !== "KEY_SIZE")
    .map((field) => [struct, field] as const),
);

test.each(FIELDS)("a moved %s.%s is an error that names the struct", async (struct, field) => {
  const engine = await createEngine();
  const offsets = STRUCTS[struct] ?? {};
  const before = offsets[field] ?? 0;

  try {
    offsets[field] = before + 4;
    engine.begin(() => true, unlimitedWork());
    expect(() => checkAbi(engine)).toThrow(/MuPDF keeps (?:pdf|fz)_/);
  } finally {
    offsets[field] = before;
  }
});

test("the offsets are those of the installed binary", async () => {
  const engine = await createEngine();
  engine.begin(() => true, unlimitedWork());
  expect(() => checkAbi(engine)).not.toThrow();
});
