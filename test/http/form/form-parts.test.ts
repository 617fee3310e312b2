/** Parts as clients write them that do not name files, or that name texts. */
import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { errorOf, newKey, senderTo } from "../echo-service.ts";
import { document } from "../../harness/fixtures/fixtures.ts";
import { operations } from "../../../src/operations/index.ts";

const send = senderTo(...operations);
const key = await newKey("business");
const pdf = document({ name: "letter", pages: 2 });
const encoder = new TextEncoder();

/** The headers of a part after `Content-Disposition: form-data; `, and its content. */
type Part = readonly [head: string, content: string | Uint8Array];

function bodyOf(parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(([head, content]) => [
    encoder.encode(`--XX\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    typeof content === "string" ? encoder.encode(content) : content,
    encoder.encode("\r\n"),
  ]);
  return new Uint8Array(Buffer.concat([...pieces, encoder.encode("--XX--\r\n")]));
}

/** `length`: whether the body is declared, and then kept in memory, or streamed into the engine. */
function post(operation: string, parts: readonly Part[], length: boolean): Promise<Response> {
  const body = bodyOf(parts);
  return send(`/api/v1/${operation}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "multipart/form-data; boundary=XX",
      ...(length && { "Content-Length": String(body.byteLength) }),
    },
    body: length ? body : new Blob([body]).stream(),
  });
}

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

const angles = async (response: Response): Promise<number[]> => {
  expect(response.status).toBe(200);
  const output = await PDFDocument.load(await response.arrayBuffer());
  return output.getPages().map((page) => page.getRotation().angle);
};

describe.each([true, false])("Content-Length: %s", (length) => {
  test("a PDF without a file name is read as the file", async () => {
    const parts: Part[] = [
      ['name="file"', pdf],
      ['name="angle"', "90"],
    ];
    expect(await angles(await post("rotate", parts, length))).toEqual([90, 90]);
    const typed: Part[] = [
      ['name="file"\r\nContent-Type: application/pdf', pdf],
      ['name="angle"', "90"],
    ];
    expect(await angles(await post("rotate", typed, length))).toEqual([90, 90]);
  });

  test("numbered files without file names are read as files", async () => {
    const merged = await post(
      "merge",
      [
        ['name="file1"', pdf],
        ['name="file0"', pdf],
      ],
      length,
    );
    expect(await angles(merged)).toHaveLength(4);
  });

  test("texts and JSON may have file names and types, and the form a charset", async () => {
    const parts: Part[] = [
      ['name="_charset_"', "UTF-8"],
      ['name="rotations"; filename="blob"\r\nContent-Type: application/json', '{"2": 180}'],
      ['name="file"; filename="a.pdf"', pdf],
      ['name="angle"; filename="angle.txt"', "90"],
    ];
    expect(await angles(await post("rotate", parts, length))).toEqual([90, 180]);
  });

  test("a text is read in the charset of its part", async () => {
    const parts: Part[] = [
      ['name="file"', pdf],
      ['name="action"', "set"],
      ['name="metadata"\r\nContent-Type: application/json; charset=windows-1252', latin1('{"title": "Caf\xe9 \x80"}')],
    ];
    const response = await post("metadata", parts, length);
    expect(response.status).toBe(200);
    const output = await PDFDocument.load(await response.arrayBuffer());
    expect(output.getTitle()).toBe("Café €");
  });

  test("texts that are not UTF-8 are listed with all other problems", async () => {
    const parts: Part[] = [
      ['name="file"', pdf],
      ['name="angle"', latin1("9\xe9")],
      ['name="pages"\r\nContent-Type: text/plain; charset=x', "1"],
      ['name="password"', latin1("caf\xe9")],
      ['name="expiresIn"', latin1("\xff")],
      ['name="typo"', "1"],
    ];
    const [status, code, details] = await errorOf(await post("rotate", parts, length));
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    const notUtf8 = "is not valid UTF-8: send UTF-8, or name the charset in the part's Content-Type";
    const { fields } = details as { fields: { name: string; issue: string }[] };
    expect(fields.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "angle", issue: notUtf8 },
      { name: "expiresIn", issue: notUtf8 },
      { name: "pages", issue: "has an unknown charset: send UTF-8" },
      { name: "password", issue: notUtf8 },
      { name: "typo", issue: expect.stringContaining("is not a parameter") as string },
    ]);
  });

  test("a file of any kind without a name is attached", async () => {
    const parts: Part[] = [
      ['name="file"', pdf],
      ['name="action"', "add"],
      ['name="name"', "note.txt"],
      ['name="attachment"', "just a text"],
    ];
    const added = new Uint8Array(await (await post("attachments", parts, length)).arrayBuffer());
    const listed = await post(
      "attachments",
      [
        ['name="file"', added],
        ['name="action"', "list"],
      ],
      length,
    );
    expect(await listed.json()).toMatchObject({ attachments: [{ name: "note.txt", size: 11 }] });
  });

  test("a text instead of a file is still reported, and so is another kind of file", async () => {
    const refused = async (content: string | Uint8Array) =>
      errorOf(
        await post(
          "rotate",
          [
            ['name="file"', content],
            ['name="angle"', "90"],
          ],
          length,
        ),
      );
    const issue = "must be a file, a `file_...` ID, or an https:// URL";
    expect(await refused("letter.pdf")).toEqual([400, "invalid_parameters", { fields: [{ name: "file", issue }] }]);
    expect(await refused("")).toMatchObject([400, "invalid_parameters", { fields: [{ issue: "is required" }] }]);
    expect(await refused(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0, 1, 2))).toMatchObject([
      415,
      "unsupported_format",
      {},
    ]);
  });

  test("a text beyond the limit of texts is refused as a text", async () => {
    const parts: Part[] = [
      ['name="angle"; filename="a"', "9".repeat(2 * 1024 * 1024)],
      ['name="file"', pdf],
    ];
    expect((await errorOf(await post("rotate", parts, length))).slice(0, 2)).toEqual([413, "limit_exceeded"]);
  });
});

test("a step of a pipeline takes a file without a name", async () => {
  const steps = JSON.stringify([
    { operation: "rotate", angle: 90 },
    { operation: "merge", file1: "part:more" },
  ]);
  const parts: Part[] = [
    ['name="file"', pdf],
    ['name="more"', pdf],
    ['name="steps"; filename="blob"', steps],
  ];
  expect(await angles(await post("pipeline", parts, true))).toEqual([90, 90, 0, 0]);
});
