import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MESSAGES } from "../../src/engines/pdf/mupdf/messages.ts";

/** What lies between zero bytes in the binary: its strings in C, among other things. */
const strings = readFileSync(new URL("../../wasm/generated/mupdf.wasm", import.meta.url))
  .toString("latin1")
  .split("\0");

/** Messages that MuPDF puts together, by their first part: the strings that it takes for them. */
const COMPOSED = new Map([
  ["library error: ", ["library", "%s error: %s"]],
  ["system error: ", ["system", "%s error: %s"]],
  ["openjpeg error: ", ["openjpeg error: %.*s", "Not enough memory to decode tile"]],
]);

const cases = Object.entries(MESSAGES).flatMap(([meaning, messages]) =>
  messages.map((parts) => [parts, meaning] as const),
);

test.each(cases)("MuPDF's binary still contains the message %j (%s)", (parts) => {
  const composed = COMPOSED.get(parts[0]);
  const missing = composed
    ? composed.filter((piece) => !strings.some((text) => text.trimEnd() === piece))
    : [parts].filter(() => !strings.some((text) => parts.every((part) => text.includes(part))));
  expect(missing).toEqual([]);
});
