import { describe, expect, test } from "vitest";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { ContentLexer } from "../../../src/engines/pdf/content/lexer.ts";
import { type Reading, Tokens } from "../../../src/engines/pdf/syntax/tokens.ts";

/** Each token of chunks as its kind and its text, which may begin in an earlier chunk. */
function read(reading: Reading, ...chunks: readonly string[]): string[] {
  const next = reading === "content" ? new ContentLexer() : new Tokens(new Uint8Array(), { reading });
  const found: string[] = [];
  let before = "";
  for (const chunk of chunks) {
    next.feed(bytesOf(chunk));
    const text = before + chunk;
    while (next.next() !== undefined)
      found.push(`${next.kind} ${text.slice(next.start + before.length, next.end + before.length)}`);
    before = text;
  }
  return found;
}

describe("tokens of content", () => {
  test.each<[string, readonly string[]]>([
    ["1 0 0 1rg", ["number 1", "number 0", "number 0", "number 1", "word rg"]],
    ["-.5 +5 1-2 --1 .", ["number -.5", "number +5", "number 1-2", "number --1", "number ."]],
    ["T* ' \" d0", ["word T*", "word '", 'word "', "word d0"]],
    ["/F#31 12Tf", ["name /F#31", "number 12", "word Tf"]],
    ["/ /1.5", ["name /", "name /1.5"]],
    ["[(a\\)(b))-5<4 1g>]TJ", ["[ [", "literal (a\\)(b))", "number -5", "hex <4 1g>", "] ]", "word TJ"]],
    ["<</MCID 1>>BDC", ["<< <<", "name /MCID", "number 1", ">> >>", "word BDC"]],
    ["{1}", ["{ {", "number 1", "} }"]],
    ["1)2>3", ["number 1", "stray )", "number 2", ">> >", "number 3"]],
    ["1 %(2\n3%4\r5", ["number 1", "number 3", "number 5"]],
    ["true\0false\fnull", ["word true", "word false", "word null"]],
    [String.raw`(\777)`, [String.raw`literal (\777)`]],
  ])("content is split into tokens: %s", (text, tokens) => {
    expect(read("content", text)).toEqual(tokens);
  });

  test("a word ends with its stream, but a string and a comment do not", () => {
    expect(read("content", "1 2", "3 r", "g")).toEqual(["number 1", "number 2", "number 3", "word r", "word g"]);
    expect(read("content", "(a", "", "b)q")).toEqual(["literal (a", "literal b)", "word q"]);
    expect(read("content", "(a(", ")", ")q")).toEqual(["literal (a(", "literal )", "literal )", "word q"]);
    expect(read("content", "(a\\", ")q")).toEqual(["literal (a\\", "literal )", "word q"]);
    expect(read("content", "<4", "1>q")).toEqual(["hex <4", "hex 1>", "word q"]);
    expect(read("content", "q%a", "b\nQ")).toEqual(["word q", "word Q"]);
    expect(read("content", "<", "<A")).toEqual(["hex <", "hex <A"]);
  });

  test("an inline image ends in the stream that has its EI", () => {
    const lexer = new ContentLexer(bytesOf("ID a EI b"));
    lexer.next();
    expect(lexer.image()).toEqual({ start: 3, end: 4 });
    expect([lexer.end, lexer.unfinished, lexer.next(), lexer.text()]).toEqual([7, undefined, "word", "b"]);

    lexer.feed(bytesOf("ID \x80\x81"));
    lexer.next();
    expect(lexer.image()).toEqual({ start: 3, end: 5 });
    expect([lexer.unfinished, lexer.next()]).toEqual(["image", undefined]);
    lexer.feed(bytesOf("\x82\x83"));
    expect(lexer.next()).toBe(undefined);
    lexer.feed(bytesOf("\x84 EI Q"));
    expect([lexer.next(), lexer.end, lexer.next(), lexer.text()]).toEqual(["image", 4, "word", "Q"]);
  });
});

describe("tokens of objects", () => {
  test.each<[string, readonly string[]]>([
    ["<</A 1 0 R/B[2a)>]>> ", ["<< <<", "name /A", "number 1", "number 0", "word R", "name /B"]],
    ["1rg 0R 5 ", ["number 1rg", "number 0R", "number 5"]],
    ["/A#4 <4G> (\\777) ", ["name /A#4", "hex <4G>", "literal (\\777)"]],
    ["}) ", ["} }", "stray )"]],
  ])("objects are split into tokens: %s", (text, tokens) => {
    expect(read("objects", text).slice(0, tokens.length)).toEqual(tokens);
  });

  test("a token continues in the next chunk, wherever that begins", () => {
    const text = "<</A#42 -1.5/B(a\\)\\\\(\\()c)%com>ment\r/C<4 1>[true 12 0 R>] {}>>endobj\n";
    const whole = read("objects", text);
    expect(whole).toHaveLength(18);
    for (let at = 0; at <= text.length; at++) {
      expect(read("objects", text.slice(0, at), text.slice(at))).toEqual(whole);
    }
    expect(read("objects", ...text)).toEqual(whole);
  });

  test("an unfinished token at the end of a chunk is known, with its length", () => {
    const next = new Tokens(bytesOf("1 (abc"), { reading: "objects" });
    expect([next.next(), next.next(), next.unfinished, next.end - next.start]).toEqual([
      "number",
      undefined,
      "literal",
      4,
    ]);
    next.feed(bytesOf("de"));
    expect([next.next(), next.unfinished, next.end - next.start]).toEqual([undefined, "literal", 6]);
    next.feed(bytesOf("xx) "), 2);
    expect([next.next(), next.start, next.end]).toEqual(["literal", -4, 3]);
    next.reset();
    next.feed(bytesOf("%ab"));
    expect([next.next(), next.unfinished, next.comment]).toEqual([undefined, "comment", 3]);
    next.feed(bytesOf("c\n%d\n5 "));
    expect([next.next(), next.text(), next.comment]).toEqual(["number", "5", 4]);
  });

  test("a keyword is recognized wherever a chunk ends in it", () => {
    for (let at = 0; at <= 8; at++) {
      const next = new Tokens(bytesOf("endobj  ".slice(0, at)), { reading: "objects" });
      if (next.next() === undefined) {
        next.feed(bytesOf("endobj  ".slice(at)));
        next.next();
      }
      expect([next.isKeyword("endobj"), next.text()]).toEqual([true, "endobj"]);
    }
  });

  test("a reader begins at an offset, and anew after a reset", () => {
    const next = new Tokens(bytesOf("(a"), { reading: "objects" });
    next.next();
    next.reset();
    next.feed(bytesOf("a)/B 1"), 2);
    expect([next.next(), next.start, next.end]).toEqual(["name", 2, 4]);
  });
});
