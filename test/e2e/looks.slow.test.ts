/** The looks of `npm run corpus` pass what is right, and find what a wrong response loses, leaves out or covers. */
import { createCanvas } from "@napi-rs/canvas";
import { beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { readInput, survivalCases, type Case, type Input } from "../harness/compare/cases.ts";
import { post, type ApiResponse } from "../harness/requests/client.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { FormDraft } from "../harness/fixtures/form-fixtures.ts";
import { lookAt, type Look } from "../harness/compare/looks.ts";

const { baseUrl, liveKey } = ownServer();

/** A page of four lines of small text, a pale drawing and nothing else. */
const PARTS: readonly string[] = [
  ...["Invoice for the month", "Twelve boxes of paper", "Delivered on Tuesday", "Please pay within days"].map(
    (line, index) => `BT /F1 9 Tf 30 ${160 - index * 30} Td (${line}) Tj ET`,
  ),
  "0.8 0.9 1 rg 300 30 60 40 re f",
];
const TURNED = "/Rotate 90";

const page = (parts: readonly string[], entries = ""): Uint8Array =>
  drawing({ width: 400, height: 200, content: parts.join("\n"), entries });
const intact = page(PARTS);
const without = (index: number): Uint8Array => page(PARTS.filter((_, part) => part !== index));

/** A response with a document that nobody made of the request. */
const pretended = (body: Uint8Array): ApiResponse => ({
  status: 200,
  code: undefined,
  message: undefined,
  headers: new Headers({ "Content-Type": "application/pdf" }),
  body,
});

let input: Input;
let cases: readonly Case[];
beforeAll(async () => {
  input = await readInput(intact, "document.pdf");
  cases = survivalCases(input, input);
});

function caseOf(name: string, among = cases): Case {
  const one = among.find((other) => other.name === name);
  if (!one) throw new Error(`no case ${name}`);
  return one;
}

const served = async (one: Case): Promise<ApiResponse> => post({ baseUrl, key: liveKey }, one.operation, one.parts);

const problemsOf = async (name: string, body: Uint8Array): Promise<string> =>
  (await lookAt(pretended(body), caseOf(name), true)).problems.join("\n");

describe("valid outputs", () => {
  test.each(
    (
      "merge-self split-ranges extract-last protect-aes-256 rotate compress compress-grayscale numbers watermark sign text ocr " +
      "to-images to-images-jpeg metadata-set"
    ).split(" "),
  )("the output of %s passes", async (name) => {
    const response = await served(caseOf(name));
    expect(response.status).toBe(200);
    expect((await lookAt(response, caseOf(name), true)).problems).toEqual([]);
  });
});

describe("missing parts", () => {
  test.each(
    ["metadata-set", "compress", "merge-self", "ocr"].flatMap((name) =>
      PARTS.map((_, index) => [name, index] as const),
    ),
  )("a missing part of the page is found by both engines: %s, part %i", async (name, index) => {
    const problems = await problemsOf(name, without(index));
    expect(problems).toMatch(/PDFium: \d+ of \d+ blocks differ/);
    expect(problems).toMatch(/pdf\.js: \d+ of \d+ blocks differ/);
  });

  test("lost words are counted", async () => {
    const look = await lookAt(pretended(without(1)), caseOf("metadata-set"), true);
    expect(look).toMatchObject({ lost: 4, won: 0 });
    expect(look.problems).toContainEqual(expect.stringContaining("4 words lost: Twelve boxes of paper"));
  });
});

describe("unchanged documents", () => {
  test.each([
    ["numbers", /nothing was drawn where the stamp should be/],
    ["watermark", /"Confidential" is not in its text/],
    ["sign", /nothing was drawn where the stamp should be/],
    ["rotate", /blocks differ/],
  ])("an unchanged document is found: %s", async (name, expected) => {
    expect(await problemsOf(name, intact)).toMatch(expected);
  });
});

test("a page that is turned the wrong way is found", async () => {
  expect(await problemsOf("rotate", page(PARTS, "/Rotate 180"))).toBe("");
  expect(await problemsOf("rotate", page(PARTS, TURNED))).toMatch(/pixels expected|blocks differ/);
});

describe("stamps", () => {
  /** The watermark's own gray at 0.3 over the middle of the page. */
  const mark = "/W gs 0.533 g BT /F1 40 Tf 80 90 Td (Confidential) Tj ET";
  const stamped = (parts: readonly string[], opacity = 0.3): Uint8Array =>
    drawing({
      width: 400,
      height: 200,
      content: [...parts, mark].join("\n"),
      resources: `/ExtGState << /W << /ca ${opacity} >> >>`,
    });

  test("the right stamp passes", async () => {
    expect(await problemsOf("watermark", stamped(PARTS))).toBe("");
  });

  test("a stamp that hides text under it is found", async () => {
    expect(await problemsOf("watermark", stamped(PARTS.filter((_, part) => part !== 2)))).toMatch(/blocks differ/);
  });

  test("a stamp that removes text elsewhere is found", async () => {
    expect(await problemsOf("watermark", stamped(PARTS.filter((_, part) => part !== 0)))).toMatch(/blocks differ/);
  });

  test("a stamp that is too dark is found", async () => {
    expect(await problemsOf("watermark", stamped(PARTS, 1))).toMatch(/blocks differ/);
  });
});

describe("sheets of n-up", () => {
  const five = (order: readonly number[], parts = PARTS): Uint8Array =>
    drawing(
      ...order.map((number) => ({
        width: 400,
        height: 200,
        content: `${parts.join("\n")} 0.${number} g ${number * 60} 10 30 20 re f`,
      })),
    );
  const bytes = five([1, 2, 3, 4, 5]);
  let nUp: Case;
  beforeAll(async () => {
    const own = await readInput(bytes, "five.pdf");
    nUp = caseOf("n-up", survivalCases(own, own));
  });
  const problemsWith = async (sent: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<string> => {
    const file = { bytes: sent, fileName: "other.pdf" };
    const response = await served({ ...nUp, parts: { ...nUp.parts, file, ...fields } });
    expect(response.status, response.code).toBe(200);
    return (await lookAt(response, nUp, true)).problems.join("\n");
  };

  test("valid sheets pass", async () => {
    expect(await problemsWith(bytes)).toBe("");
  });

  test.each([
    ["other cells", five([1, 3, 2, 4, 5]), {}, /page 2 on sheet 1, drawn by PDFium: \d+ of \d+ blocks differ/],
    ["cells that are too small", bytes, { marginPt: "6" }, /page 1 on sheet 1, drawn by pdf\.js: .* blocks differ/],
    ["a last page that differs", five([1, 2, 3, 4, 6]), {}, /page 5 on sheet 2, drawn by PDFium: .* blocks differ/],
    ["too few sheets", bytes, { pagesPerSheet: "6" }, /2 sheets expected, got 1/],
    ["words that are lost", five([1, 2, 3, 4, 5], PARTS.slice(1)), {}, /16 words lost: Invoice/],
  ])("a problem of sheets is found: %s", async (_name, sent, fields, expected) => {
    expect(await problemsWith(sent, fields)).toMatch(expected);
  });
});

describe("forms", () => {
  const draft = new FormDraft();
  draft.own("name", "/FT /Tx /DA (/Helv 12 Tf 0 g)");
  const bytes = draft.bytes();
  let fill: Case;
  beforeAll(async () => {
    const form = await readInput(bytes, "form.pdf");
    fill = caseOf("fill-form-flatten", survivalCases(form, form));
  });

  test("a written value passes", async () => {
    const response = await served(fill);
    expect(response.status).toBe(200);
    expect((await lookAt(response, fill, true)).problems).toEqual([]);
  });

  test("a value missing in the output is found", async () => {
    const { problems } = await lookAt(pretended(bytes), fill, true);
    expect(problems).toContainEqual(expect.stringContaining('"4711" is not in its text'));
  });
});

test("text without a line is found", async () => {
  const look = (text: string): Promise<Look> => {
    const body = new TextEncoder().encode(JSON.stringify({ text, pages: [{ pageNumber: 1, text }] }));
    return lookAt({ ...pretended(body), headers: new Headers() }, caseOf("text"), true);
  };
  const lines = ["Invoice for the month", "Twelve boxes of paper", "Delivered on Tuesday", "Please pay within days"];
  expect(await look(lines.join("\n"))).toEqual({ problems: [], lost: 0, won: 0 });
  expect(await look(lines.slice(1).join("\n"))).toMatchObject({
    problems: [expect.stringContaining("Invoice")],
    lost: 4,
  });
});

describe("images of pages", () => {
  test.each([
    ["a line of text", PARTS.filter((_, part) => part !== 1), /blocks are empty/],
    ["all of it", ["0 g 50 50 90 90 re f"], /blocks differ/],
  ])("an image of a page without %s is found", async (_name, parts, expected) => {
    const file = { bytes: page(parts), fileName: "other.pdf" };
    const response = await served({ ...caseOf("to-images"), parts: { file, dpi: "36" } });
    expect(response.status, response.code).toBe(200);
    expect((await lookAt(response, caseOf("to-images"), true)).problems.join("\n")).toMatch(expected);
  });
});

describe("pages of images", () => {
  const image = (color: string): Uint8Array => {
    const canvas = createCanvas(90, 60);
    const context = canvas.getContext("2d");
    context.fillStyle = color;
    context.fillRect(10, 10, 30, 30);
    return new Uint8Array(canvas.toBuffer("image/png"));
  };

  test("the page of the image passes, and that of another is found", async () => {
    const [own, other] = await Promise.all(
      [image("#c00"), image("#00c")].map(async (bytes) => {
        const picture = await readInput(bytes, "picture.png");
        return caseOf("from-images", survivalCases(picture, picture));
      }),
    );
    if (!own || !other) throw new Error("no cases");
    const response = await served(own);
    expect(response.status, response.code).toBe(200);
    expect((await lookAt(response, own, true)).problems).toEqual([]);
    expect((await lookAt(response, other, true)).problems).toHaveLength(1);
  });
});
