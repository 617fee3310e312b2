import { describe, expect, test } from "vitest";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { tokens } from "../../../src/engines/pdf/syntax/tokens.ts";

/** Each token as its kind and its text, `%` before it where a comment precedes it. */
function read(text: string, from = 0): string[] {
  const next = tokens(bytesOf(text), from);
  const found: string[] = [];
  while (next.next() !== undefined) found.push(`${next.followsComment ? "% " : ""}${next.kind} ${next.text()}`);
  return found;
}

test("an object is split into tokens, with or without spaces", () => {
  expect(read("5 0 obj<</A[1 2 R(x)]/B<41>>>endobj")).toEqual([
    "integer 5",
    "integer 0",
    "word obj",
    "<< <<",
    "name /A",
    "[ [",
    "integer 1",
    "integer 2",
    "word R",
    "literal (x)",
    "] ]",
    "name /B",
    "hex <41>",
    ">> >>",
    "word endobj",
  ]);
});

test("positions of tokens count bytes", () => {
  const next = tokens(bytesOf("xx \0\t\n\f\r 12/A"), 2);
  next.next();
  expect([next.kind, next.start, next.end]).toEqual(["integer", 9, 11]);
  next.next();
  expect([next.kind, next.start, next.end]).toEqual(["name", 11, 13]);
  next.next();
  expect([next.kind, next.start, next.end]).toEqual([undefined, 13, 13]);
});

test("a comment ends with its line, at any kind of line end, and is reported", () => {
  expect(read("1%(\n2 %\r3%<<\r\n4")).toEqual(["integer 1", "% integer 2", "% integer 3", "% integer 4"]);
  expect(read("1 % no end")).toEqual(["integer 1"]);
});

describe("numbers", () => {
  test.each(["0", "007", "+5", "-5"])("%s is read as an integer", (text) =>
    expect(read(text)).toEqual([`integer ${text}`]),
  );
  test.each(["1.5", "-.5", "4.", "+0.0"])("%s is read as a real number", (text) =>
    expect(read(text)).toEqual([`real ${text}`]),
  );
  test.each(["--5", "+-5", "5-3", "1.2.3", ".", "+", "-", "1e3", "0x1F", "16#FF", "5R", "9".repeat(65)])(
    "%s is an ambiguous number",
    (text) => expect(read(text)).toEqual([`malformed ${text}`]),
  );
});

describe("names", () => {
  test.each(["/A", "/A#42", "/#20", "/a.b-c*d", "/\xe4", "/1"])("the name %s is one token", (text) =>
    expect(read(text)).toEqual([`name ${text}`]),
  );
  test.each(["/", "/A#", "/A#4", "/A#4G", "/A#00", "/A\x01", "/A\x7f", "/A\x0bB"])("the name %j is ambiguous", (text) =>
    expect(read(text)).toEqual([`malformed ${text}`]),
  );
});

describe("strings", () => {
  test.each([
    String.raw`()`,
    String.raw`(a(b)c)`,
    String.raw`(\)\()`,
    String.raw`(\\)`,
    String.raw`(\377\0\1012)`,
    "(a\\\r\nb)",
    "(endobj % stream)",
  ])("%j is read as a literal string", (text) => expect(read(text)).toEqual([`literal ${text}`]));
  test.each([String.raw`(\777)`, "(", "(a(b)", String.raw`(\)`])("the literal string %j is ambiguous", (text) =>
    expect(read(text)).toEqual([`malformed ${text}`]),
  );
  test.each(["<>", "<4>", "<41 4a\n4F>"])("%j is read as a hexadecimal string", (text) =>
    expect(read(text)).toEqual([`hex ${text}`]),
  );
  test.each(["<4", "<4G>", "<(>"])("the hexadecimal string %j is ambiguous", (text) =>
    expect(read(text)).toEqual([`malformed ${text}`]),
  );
});

test("stray delimiters are malformed, and the next token is found", () => {
  expect(read("}1)2{3>4")).toEqual([
    "malformed }",
    "integer 1",
    "malformed )",
    "integer 2",
    "malformed {",
    "integer 3",
    "malformed >",
    "integer 4",
  ]);
});

test("keywords consist of letters only", () => {
  expect(read("true endobj5 obj_ R")).toEqual(["word true", "malformed endobj5", "malformed obj_", "word R"]);
});
