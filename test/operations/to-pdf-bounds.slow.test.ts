/** Small documents that took seconds, or hundreds of megabytes; and next to each, large ones that are converted. */
import { describe, expect, test, vi } from "vitest";
import { docx, paragraph, xlsx } from "../harness/fixtures/office-fixtures.ts";
import { LONGEST_STRETCH, watchStretches } from "../harness/work/longest-stretch.ts";
import { operationService } from "./operation-service.ts";

const logged = vi.spyOn(console, "log").mockImplementation(() => {});
const convert = await operationService("to-pdf");
const encoder = new TextEncoder();
/** Up to two seconds. */
const MOST_FUEL = 700_000_000;

const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join("");
const page = (css: string, body: string): Uint8Array =>
  encoder.encode(`<html><head><style>${css}</style></head><body>${body}</body></html>`);
const sheet = (content: string): Uint8Array => xlsx([{ name: "Sheet", content }]);
const cell = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is></c></row></sheetData>';
const note = '<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>';
const notes = (length: number, count: number): Uint8Array =>
  docx(note.repeat(count), { footnotes: `<w:footnote w:id="1">${paragraph("word ".repeat(length / 5))}</w:footnote>` });
const sheets = (count: number): Uint8Array =>
  xlsx(Array.from({ length: count }, (_, index) => ({ name: `s${index}`, content: cell })));

async function outcome(file: Uint8Array, fields: Readonly<Record<string, string>> = {}) {
  logged.mockClear();
  using stretches = watchStretches();
  const response = await convert(file, fields);
  const { work } = JSON.parse(String(logged.mock.lastCall?.[0])) as { work: number };
  const error = response.status === 200 ? undefined : ((await response.json()) as { error: Record<string, unknown> });
  const { code, details } = error?.error ?? {};
  const { limit } = (details ?? error?.error ?? {}) as { limit?: unknown };
  return {
    status: response.status,
    code,
    limit,
    pages: response.headers.get("X-Page-Count"),
    work,
    longest: stretches.longest,
  };
}

const html = { format: "html" };
const refused: readonly (readonly [string, () => Uint8Array, number, Readonly<Record<string, string>>?])[] = [
  [
    "18,000 rules for 6,000 elements",
    () =>
      page(
        many(18_000, (index) => `.c${index % 6000}{color:red}`),
        many(6_000, (index) => `<p class="c${index}">x</p>`),
      ),
    8_000_000,
    html,
  ],
  ["a rule of 200,000 selectors", () => page(`${"b,".repeat(200_000)}p{color:red}`, "<p>x</p>"), 100_000, html],
  [
    "20,000 rules of an attribute",
    () => page('[a="y"]{color:red}'.repeat(20_000), '<p a="x">x</p>'.repeat(2_000)),
    8_000_000,
    html,
  ],
  ["a word of 3.9 million letters", () => encoder.encode(`<p>${"x".repeat(3_900_000)}`), 100_000, html],
  ["a word of 3.9 million letters in text", () => encoder.encode("x".repeat(3_900_000)), 100_000, { format: "text" }],
  ["a letter with a million marks", () => encoder.encode(`<p>a${"\u0301".repeat(1_000_000)}`), 100_000, html],
  ["a letter with 1,000 marks", () => encoder.encode(`<p>a${"\u0301".repeat(1_000)}`), 100, html],
  ["1.2 million joined letters", () => encoder.encode(`<p>${"\u0644\u0627".repeat(600_000)}`), 100_000, html],
  ["an element of 2,000 attributes", () => page("", `<p ${many(2_000, (index) => `a${index}="x" `)}>x`), 1_000, html],
  ["a footnote of 30,000 characters 9,900 times", () => notes(30_000, 9_900), 8_000_000],
  ["a footnote of 60,000 characters 9,900 times", () => notes(60_000, 9_900), 8_000_000],
  ["4,000 sheets", () => sheets(4_000), 1_000],
  ["600,000 attributes of a tag", () => docx(`<w:p ${many(600_000, (index) => `a${index}="x" `)}/>`), 1_000],
  ["a paragraph of 6,000 marks", () => encoder.encode("*a_".repeat(3_000)), 600, { format: "markdown" }],
  ["an address of 9,800 characters", () => encoder.encode(`${"a.".repeat(4_900)}@`), 4_000, { format: "markdown" }],
  ["four million quotes", () => encoder.encode('"'.repeat(4_000_000)), 100_000, { format: "csv" }],
];

test.each(refused.map(([name, file, limit, fields]) => [name, { file, limit, fields }] as const))(
  "%s are refused with the limit, before much work",
  async (_, { file, limit, fields }) => {
    const { longest, work, ...found } = await outcome(file(), fields);
    expect(found).toMatchObject({ status: 413, code: "limit_exceeded", limit });
    expect(work).toBeLessThan(MOST_FUEL / 2);
    expect(longest).toBeLessThan(LONGEST_STRETCH);
  },
);

test("text that a small DOCX repeats without end is refused by the fuel for its own text", async () => {
  const { status, code, limit, work } = await outcome(notes(10_000, 200));
  expect([status, code, limit]).toEqual([413, "limit_exceeded", "work"]);
  expect(work).toBeLessThan(1.5 * MOST_FUEL);
});

const sentence = "The quick brown fox jumps over the lazy dog, and writes a longer sentence about it. ";
const converted: readonly (readonly [string, () => Uint8Array, Readonly<Record<string, string>>?])[] = [
  [
    "99,000 ranges of merged cells",
    () => sheet(`${cell}<mergeCells>${'<mergeCell ref="A1:J1000"/>'.repeat(99_000)}</mergeCells>`),
  ],
  [
    "99,000 ranges of columns",
    () => sheet(`<cols>${'<col min="1" max="16384" width="9"/>'.repeat(99_000)}</cols>${cell}`),
  ],
  [
    "10,000 rules, of which 500 match one of 500 elements each",
    () =>
      page(
        many(10_000, (index) => `.c${index},.c${index}:hover{color:red;margin:0}`),
        many(500, (index) => `<p class="c${index}">x</p>`),
      ),
    html,
  ],
  [
    "18,000 rules that match none of 6,000 elements",
    () =>
      page(
        many(18_000, (index) => `.a${index}>b{color:red}`),
        "<b>x</b> ".repeat(6_000),
      ),
    html,
  ],
  [
    "400 rules of a style sheet with 5,000 elements",
    () =>
      page(
        many(400, (index) => `.body h${(index % 6) + 1},.body .k${index}{margin:0}`),
        `<div class="body">${"<b>x</b> ".repeat(5_000)}</div>`,
      ),
    html,
  ],
  ["words of 500 letters", () => encoder.encode(`<p>${`${"x".repeat(500)} `.repeat(100)}`), html],
  ["a word of 50,000 letters", () => encoder.encode(`<p>${"x".repeat(50_000)}`), html],
  ["letters with 20 marks", () => encoder.encode(`<p>${`a${"\u0301".repeat(20)} `.repeat(200)}`), html],
  ["a footnote of 500 characters 20 times", () => notes(500, 20)],
  ["200 sheets", () => sheets(200)],
];

describe("large inputs within the bounds", () => {
  test.each(converted.map(([name, file, fields]) => [name, { file, fields }] as const))(
    "a large input is converted: %s",
    async (_, { file, fields }) => {
      const { longest, work, status, code, limit } = await outcome(file(), fields);
      expect([status, code, limit]).toEqual([200, undefined, undefined]);
      expect(work).toBeLessThan(MOST_FUEL);
      expect(longest).toBeLessThan(LONGEST_STRETCH);
    },
  );

  test("HTML of 400 pages and 20 rules is converted", async () => {
    const rules = many(20, (index) => `.k${index}{page-break-after:always}`);
    const body = many(400, (index) => `<p class="k${index % 20}">${sentence.repeat(3)}</p>`);
    expect(await outcome(page(rules, body), html)).toMatchObject({ status: 200, pages: "400" });
  });

  test("text is converted with fuel in proportion to its length", async () => {
    const text = (lines: number): Uint8Array => encoder.encode(`${sentence}\n`.repeat(lines));
    const [one, four] = [
      await outcome(text(1_000), { format: "text" }),
      await outcome(text(4_000), { format: "text" }),
    ];
    expect([one.status, four.status]).toEqual([200, 200]);
    expect(four.work).toBeLessThan(6 * one.work);
  });
});
