import { expect, test } from "vitest";
import { bytesOf, latin1 } from "../../src/bytes/latin1.ts";
import { ownBytes } from "../../src/engines/memory/joined-bytes.ts";
import { revision5View } from "../../src/engines/pdf/encryption/revision5-view.ts";

function viewOf(file: string): string | undefined {
  const view = revision5View(ownBytes(bytesOf(file)));
  return view && latin1(view.view(0, view.length));
}

const DICTIONARY = "<</Filter/Standard/V 5/R 6/U(u)/UE(ue)/Perms(p)>>";

test("only the revision of the last encryption dictionary is another one", () => {
  const between = " ".repeat(3000);
  const file = `%PDF-2.0\n<</UE 1/R 6/Perms 2>>${between}${DICTIONARY}${between}<</R 6>>`;
  expect(viewOf(file)).toBe(file.replace(DICTIONARY, DICTIONARY.replace("/R 6", "/R 5")));
});

test("a dictionary across the border of what is searched at once is found", () => {
  const before = "x".repeat(256 * 1024 - DICTIONARY.indexOf("/Perms") - 2);
  expect(viewOf(before + DICTIONARY)).toBe(before + DICTIONARY.replace("/R 6", "/R 5"));
});

test("a file of another revision has no view", () => {
  expect(viewOf("%PDF-1.7\n<</Filter/Standard/V 4/R 4/U(u)>>")).toBeUndefined();
  expect(viewOf(DICTIONARY.replace("/R 6", "/R 5"))).toBeUndefined();
});
