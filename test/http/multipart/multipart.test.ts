import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/http/errors/api-error.ts";
import { boundaryOf, type FieldKind, type FormPart, MultipartParser } from "../../../src/http/multipart/multipart.ts";
import { limits } from "../../../src/limits.ts";
import { heapArena } from "../../harness/work/heap-arena.ts";

const encoder = new TextEncoder();
const latin1 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

/** What a test looks at of a part: a file's bytes as latin-1. */
function plain(part: FormPart): object {
  if (part.kind === "text") return { name: part.field, value: part.value };
  if (part.kind === "unreadable") return { name: part.field, issue: part.issue };
  const { field, filename, bytes } = part;
  return { name: field, filename, content: bytes && latin1(bytes.view(0, bytes.length)) };
}

const kinds = new Map<string, FieldKind>([
  ["document", "file or reference"],
  ["upload", "file"],
  ["json", "text"],
]);

function parserFor(boundary: string, capacity?: number): MultipartParser {
  return new MultipartParser({
    ...limits.form,
    boundary,
    arena: heapArena(capacity),
    kindOf: (name) => kinds.get(name),
    wantsFile: (name) => name !== "unwanted",
  });
}

/** Parses chunks as the body reader does: what is left over stands before the next chunk. */
function parse(chunks: readonly Uint8Array[], boundary = "XX"): object[] {
  const parser = parserFor(boundary);
  let rest = new Uint8Array(0);
  for (const chunk of chunks) {
    const window = new Uint8Array(rest.length + chunk.length);
    window.set(rest);
    window.set(chunk, rest.length);
    rest = window.slice(parser.read(window));
  }
  return parser.finish().map(plain);
}

const parseText = (text: string, boundary?: string): object[] => parse([encoder.encode(text)], boundary);

function refusal(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const disposition = (value: string): object | undefined =>
  parseText(`--XX\r\nContent-Disposition: form-data; ${value}\r\n\r\nv\r\n--XX--`)[0];

describe("parts", () => {
  it("reads texts and files, in their order", () => {
    const body =
      '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n' +
      '--XX\r\nContent-Disposition: form-data; name="file"; filename="f.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n\r\n--XX--\r\n';
    expect(parseText(body)).toEqual([
      { name: "a", value: "one" },
      { name: "file", filename: "f.pdf", content: "%PDF\r\n" },
    ]);
  });

  it("passes over preamble, epilogue and white space after a boundary", () => {
    const body =
      'hello\r\n--XXnot\r\n--XX \t\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--XX--\r\n--XX\r\nrest';
    expect(parseText(body)).toEqual([{ name: "a", value: "1" }]);
  });

  it("reads text that resembles a boundary as content", () => {
    const content = "--XX\r\n-XX--\r\n--XX1\r\n--X\r--XX\n--XX\n\r\r\n--X";
    const body = `--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n1${content}\r\n--XX--`;
    expect(parseText(body)).toEqual([{ name: "a", value: `1${content}` }]);
  });

  it("reads an empty part, with and without its blank line", () => {
    const head = '--XX\r\nContent-Disposition: form-data; name="a"\r\n';
    expect(parseText(`${head}\r\n\r\n--XX--`)).toEqual([{ name: "a", value: "" }]);
    expect(parseText(`${head}\r\n--XX--`)).toEqual([{ name: "a", value: "" }]);
  });

  it("reads a body whose lines end in LF", () => {
    const body =
      '--XX\nContent-Disposition: form-data; name="a"\n\n1\n2\n--XX\nContent-Disposition: form-data; name="b"\n\n\n--XX--\n';
    expect(parseText(body)).toEqual([
      { name: "a", value: "1\n2" },
      { name: "b", value: "" },
    ]);
  });

  const part = (head: string, content: string): string =>
    `--XX\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n--XX--`;

  it.each([
    ["a file without a name is a file", 'name="document"', "%PDF-1.7\n%%EOF", undefined],
    ["a short one, too", 'name="document"', "%P", undefined],
    ["an empty one, too", 'name="document"', "", undefined],
    ["the ID of a stored file is a text", 'name="document"', "file_123", "file_123"],
    ["a URL is a text", 'name="document"', "HTTPS://example.com/a.pdf", "HTTPS://example.com/a.pdf"],
    ["not where no reference is taken", 'name="upload"', "https://example.com", undefined],
    ["a text that has a file name is a text", 'name="json"; filename="blob"', '{"a":1}', '{"a":1}'],
  ])("the kind of a part follows its name, file name, and content: %s", (_, head, content, text) => {
    const name = /"(\w+)"/.exec(head)?.[1];
    const expected = text === undefined ? { name, filename: "", content } : { name, value: text };
    expect(parseText(part(head, content))).toEqual([expected]);
    // As slowly as a body can arrive.
    expect(parse(Array.from(encoder.encode(part(head, content)), (byte) => Uint8Array.of(byte)))).toEqual([expected]);
  });

  it("skips the charset of the form", () => {
    const charset = '--XX\r\nContent-Disposition: form-data; name="_charset_"\r\n\r\nutf-8\r\n';
    expect(parseText(charset + part('name="a"', "1"))).toEqual([{ name: "a", value: "1" }]);
  });

  it.each([
    ["UTF-8 without a charset", "", [0x63, 0xc3, 0xa9], "cé"],
    ["Latin-1", "\r\nContent-Type: text/plain; charset=iso-8859-1", [0x63, 0xe9], "cé"],
    ["a quoted charset", '\r\ncontent-type: text/plain; format=flowed; charset="Shift_JIS"', [0x93, 0xfa], "日"],
    ["UTF-16", "\r\nContent-Type: text/plain; charset=utf-16le", [0x63, 0, 0xe9, 0], "cé"],
  ])("text is decoded in its charset: %s", (_, type, bytes, value) => {
    const head = encoder.encode(`--XX\r\nContent-Disposition: form-data; name="a"${type}\r\n\r\n`);
    const body = [...head, ...bytes, ...encoder.encode("\r\n--XX--")];
    const expected = [{ name: "a", value }];
    expect(parse([Uint8Array.from(body)])).toEqual(expected);
    expect(parse(body.map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it.each([
    ["", [0xe9], "is not valid UTF-8: send UTF-8, or name the charset in the part's Content-Type"],
    ["", [0xc3], "is not valid UTF-8: send UTF-8, or name the charset in the part's Content-Type"],
    ["\r\nContent-Type: text/plain; charset=gbk", [0xff, 0xff], "is not valid GBK"],
    ["\r\nContent-Type: text/plain; charset=klingon", [0x41], "has an unknown charset: send UTF-8"],
  ])("explains why a text cannot be decoded%s: %j", (type, bytes, issue) => {
    const head = encoder.encode(`--XX\r\nContent-Disposition: form-data; name="a"${type}\r\n\r\n`);
    expect(parse([Uint8Array.from([...head, ...bytes, ...encoder.encode("\r\n--XX--")])])).toEqual([
      { name: "a", issue },
    ]);
  });

  it("keeps no bytes of an unwanted file", () => {
    expect(disposition('name="unwanted"; filename="x"')).toEqual({
      name: "unwanted",
      filename: "x",
      content: undefined,
    });
  });

  it("reads any form in any chunks", () => {
    const boundary = fc.constantFrom("XX", "----WebKitFormBoundary7MA4YWxkTrZu0gW", "-", "aXaXa");
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\r\n", "\r\n--", "\r\n--X", "\n--XX", "\r\n--XXX", "--"),
    );
    const file = fc.array(fc.oneof(fc.constantFrom(13, 10, 45, 88, 97), fc.nat(255)), { maxLength: 300 });
    const form = fc.array(
      fc.oneof(
        fc.array(text, { maxLength: 8 }).map((pieces) => pieces.join("")),
        file,
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(boundary, form, fc.infiniteStream(fc.integer({ min: 1, max: 90 })), (mark, values, sizes) => {
        const pieces: Uint8Array[] = [];
        const expected = values.map((value, index) => {
          const content = typeof value === "string" ? encoder.encode(value) : Uint8Array.from(value);
          const filename = typeof value === "string" ? "" : '; filename="f"';
          pieces.push(
            encoder.encode(`--${mark}\r\nContent-Disposition: form-data; name="p${index}"${filename}\r\n\r\n`),
          );
          pieces.push(content, encoder.encode("\r\n"));
          return latin1(content);
        });
        pieces.push(encoder.encode(`--${mark}--\r\n`));
        // A content that holds the very boundary is no valid form.
        fc.pre(
          expected.every(
            (content) => !`\r\n${content}`.slice(1).includes(`\r\n--${mark}`) && !content.startsWith(`--${mark}`),
          ),
        );
        const body = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
        let at = 0;
        for (const piece of pieces) {
          body.set(piece, at);
          at += piece.length;
        }
        const chunks: Uint8Array[] = [];
        for (let start = 0; start < body.length;) {
          const size = sizes.next().value;
          chunks.push(body.subarray(start, start + size));
          start += size;
        }
        const parts = parse(chunks, mark) as { value?: string; content?: string }[];
        expect(parts.map(({ value, content }) => content ?? latin1(encoder.encode(value)))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe("file names", () => {
  it.each([
    ['name="a"; filename="C:\\dir\\x.pdf"', "C:\\dir\\x.pdf"],
    ['name="a"; filename="say \\"hi\\".pdf"', 'say "hi".pdf'],
    ['name="a"; filename="say %22hi%22.pdf"', 'say "hi".pdf'],
    ['name="a"; filename="a;b=c.pdf"', "a;b=c.pdf"],
    ['name="a"; filename="Übersicht 年.pdf"', "Übersicht 年.pdf"],
    ["name=a; filename=plain.pdf", "plain.pdf"],
    ['name="a"; filename="x.pdf"; filename*=UTF-8\'\'na%C3%AFve.pdf', "naïve.pdf"],
    ['name="a"; filename="x.pdf"; filename*=UTF-8\'\'%FF.pdf', "x.pdf"],
    ['name="a"; filename=""', ""],
  ])("a file name is decoded: %s", (value, filename) => {
    expect(disposition(value)).toEqual({ name: "a", filename, content: "v" });
  });

  it("reads a folded header and other letter cases", () => {
    const body = '--XX\r\ncontent-disposition : FORM-DATA;\r\n name="a"\r\n\r\n1\r\n--XX--';
    expect(parseText(body)).toEqual([{ name: "a", value: "1" }]);
  });

  it("reads a malicious name in linear time", () => {
    // A pattern that tries every way to read it would not end within the time of a test.
    expect(refusal(() => disposition(`name="${"\\\\".repeat(4000)}`)).code).toBe("invalid_parameters");
  });

  it("finds the boundary of a Content-Type", () => {
    expect(boundaryOf('multipart/form-data; boundary="a b"; charset=utf-8')).toBe("a b");
    expect(boundaryOf("Multipart/Form-Data;boundary=--x=y")).toBe("--x=y");
    expect(boundaryOf("multipart/form-data")).toBe("");
    expect(boundaryOf(`multipart/form-data; boundary=${"x".repeat(71)}`)).toBe("");
    expect(boundaryOf("multipart/mixed; boundary=x")).toBeUndefined();
    expect(boundaryOf("application/json")).toBeUndefined();
    expect(boundaryOf(null)).toBeUndefined();
  });
});

describe("malformed forms", () => {
  const part = '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
  it.each([
    ["", "does not occur"],
    ["no boundary in sight", "does not occur"],
    [part, "final boundary"],
    [`${part}--XX`, "final boundary"],
    [`${part}--XX-`, "final boundary"],
    ["--XX\r\nContent-Type: text/plain\r\n\r\n1\r\n--XX--", "no `Content-Disposition"],
    ["--XX\r\n\r\n1\r\n--XX--", "no `Content-Disposition"],
  ])("the form %j is refused", (body, message) => {
    const error = refusal(() => parseText(body));
    expect(error.code).toBe("invalid_parameters");
    expect(error.message).toContain(message);
  });

  it("refuses the first excess part as soon as it arrives", () => {
    const error = refusal(() => parseText(part.repeat(limits.form.fields + 1)));
    expect(error).toMatchObject({ code: "limit_exceeded", details: { limit: 1_000, actual: 1_001 } });
  });

  it("refuses a long text, many long texts and long headers", () => {
    const text = (bytes: number): string => part.replace("1\r\n", `${"x".repeat(bytes)}\r\n`);
    const { textBytes } = limits.form;
    expect(parseText(`${text(textBytes)}--XX--`)).toHaveLength(1);
    expect(refusal(() => parseText(`${text(textBytes + 1)}--XX--`)).details).toMatchObject({ limit: textBytes });
    expect(refusal(() => parseText(text(textBytes).repeat(5))).details).toMatchObject({
      limit: limits.form.allTextBytes,
    });
    expect(refusal(() => parseText(`--XX\r\nX: ${"y".repeat(20_000)}`)).code).toBe("limit_exceeded");
  });
});
