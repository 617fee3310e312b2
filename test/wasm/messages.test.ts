import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MESSAGES } from "../../src/engines/pdf/mupdf/messages.ts";

const binary = readFileSync(new URL("../../wasm/generated/mupdf.wasm", import.meta.url));
const cases = Object.entries(MESSAGES).flatMap(([meaning, messages]) =>
  messages.flatMap((parts) => parts.map((part) => [part, meaning] as const)),
);

test.each(cases)("MuPDF still says %j (%s)", (part) => {
  expect(binary.includes(part)).toBe(true);
});
