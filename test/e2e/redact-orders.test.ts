import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { differingPixels } from "../harness/compare/compare-pictures.ts";
import { readAll, whoFinds } from "../harness/redaction/find-secret.ts";
import { cutLine, paintedDocument, type PaintedPiece, shuffled } from "../harness/fixtures/painted-pieces.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { Random } from "../harness/fuzz/random.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

interface Redacted {
  /** `X-Redactions`. */
  readonly count: number;
  readonly body: Uint8Array;
  /** The texts that `dryRun` lists. */
  readonly found: readonly string[];
}

async function redact(file: Uint8Array, fields: Readonly<Record<string, string>>, about = ""): Promise<Redacted> {
  const request = { file: pdfPart(file), ...fields };
  const { status, message, headers, body } = await post(service, "redact", request);
  expect([status, message], about).toEqual([200, undefined]);
  const dry = await post(service, "redact", { ...request, dryRun: "true" });
  const { matches, elsewhere } = JSON.parse(new TextDecoder().decode(dry.body)) as {
    matches: { text: string }[];
    elsewhere: number;
  };
  const count = Number(headers.get("X-Redactions"));
  expect(matches.length + elsewhere, about).toBe(count);
  return { count, body, found: matches.map(({ text }) => text) };
}

/** Text at a place; in braces, what has to go. */
const at = (x: number, y: number, text: string): PaintedPiece => ({ text, x, y });

const sorted = (text: string): string => [...text.replaceAll(/\s/g, "")].toSorted().join("");

describe("painting orders", () => {
  test.each<[string, string, readonly PaintedPiece[], (readonly PaintedPiece[])?]>([
    [
      "words of a line from right to left",
      "Jane Roe",
      [at(148, 300, "{Roe}"), at(112, 300, "{Jane}"), at(70, 300, "Dear")],
    ],
    [
      "a gap that is filled last",
      "Jane Roe",
      [at(70, 300, "Dear"), at(130, 300, "{Roe}, welcome"), at(70, 270, "below"), at(100, 300, "{Jane}")],
    ],
    [
      "a template with an overlay",
      "Total: 12.50 EUR",
      [at(112, 300, "{12.50 EUR}"), at(112, 280, "Jane Roe")],
      [at(70, 280, "Name:"), at(70, 300, "{Total:}")],
    ],
    [
      "labels that are painted after the values",
      "Street: Main Street 5",
      [at(120, 300, "{Main Street 5}"), at(120, 280, "12345 Town"), at(70, 280, "City:"), at(70, 300, "{Street:}")],
    ],
    [
      "an address in two parts",
      "Main Street 5 12345 Town",
      [
        at(70, 288, "{12345}"),
        at(142, 300, "{5}"),
        at(106, 288, "{Town}"),
        at(70, 300, "{Main Street}"),
        at(300, 300, "kept"),
      ],
    ],
    [
      "a phrase whose lower line is painted first",
      "Jane Roe",
      [at(70, 270, "{Roe} lives here"), at(70, 300, "we know that {Jane}")],
    ],
    [
      "a divided word whose lower line is painted first",
      "Zanzibar",
      [at(70, 288, "{zibar} is far"), at(70, 300, "we go to {Zan-}")],
    ],
    [
      "a phrase over the lines of a column, painted line by line across columns",
      "Jane Roe",
      [
        at(50, 300, "this is the text of one column"),
        at(310, 300, "and this the text of another"),
        at(50, 288, "in which the name of our {Jane}"),
        at(310, 288, "column that stands beside it"),
        at(50, 276, "{Roe} is divided by a line end,"),
        at(310, 276, "with lines of its own, which"),
        at(50, 264, "and all else is left alone by"),
        at(310, 264, "are read one after the other"),
      ].toReversed(),
    ],
    [
      "two lines of a cell",
      "Jane Roe",
      [at(300, 288, "and 6"), at(200, 288, "{Roe}"), at(300, 300, "5"), at(70, 300, "Name"), at(200, 300, "{Jane}")],
    ],
  ])("a text is found in any order of its parts: %s", async (_, term, pieces, form = []) => {
    const painted = ({ text, ...place }: PaintedPiece): PaintedPiece => ({
      ...place,
      text: text.replaceAll(/[{}]/g, ""),
    });
    const file = paintedDocument(pieces.map(painted), form.map(painted));
    const { count, body } = await redact(file, { terms: JSON.stringify([term]) });
    expect(count).toBe(1);
    const kept = [...pieces, ...form].map(({ text }) => text.replaceAll(/\{[^}]*\}/g, "")).join("");
    expect(sorted((await readAll(body)).pdfjs)).toBe(sorted(kept));
  });

  test("text drawn twice for bold type is one match in any order, and is removed with its shadow", async () => {
    const twice = [at(70, 300, "Jane"), at(100, 300, "Roe"), at(130, 300, "stays")].flatMap((piece) => [
      piece,
      { ...piece, x: piece.x + 0.4 },
    ]);
    const { count, body } = await redact(paintedDocument(twice.toReversed()), { terms: '["Jane Roe"]' });
    expect(count).toBe(1);
    expect(sorted((await readAll(body)).pdfjs)).toBe(sorted("staysstays"));
  });
});

describe("text beside gaps", () => {
  test.each<[string, Readonly<Record<string, string>>, readonly PaintedPiece[], string]>([
    [
      "the end of a line before a gap, and the beginning of the next line",
      { terms: '["the"]' },
      [at(82, 360, "with {the} changes of new rules"), at(40, 360, "pace"), at(40, 348, "each one")],
      "pacewithchangesofnewruleseachone",
    ],
    [
      "two words with a gap between them",
      { patterns: '[{"regex":"Jane Roe|7+"}]' },
      [at(40, 360, "Jane{777}Roe and {7}Jane{7}Roe")],
      "JaneRoeandJaneRoe",
    ],
    [
      "cells whose matches share letters with those of others",
      { patterns: '[{"regex":"[A-Z][a-z]+ [A-Z]"}]' },
      [
        at(40, 360, "the {Pos}"),
        at(140, 360, "{Beschreibung}"),
        at(240, 360, "{Nettopreis}"),
        at(340, 360, "{M}enge"),
        at(40, 348, "10"),
        at(140, 348, "{W}are"),
      ],
      "theenge10are",
    ],
  ])("text beside a gap is not redacted: %s", async (_, fields, pieces, kept) => {
    const file = paintedDocument(
      pieces.map(({ text, ...place }) => ({ ...place, text: text.replaceAll(/[{}]/g, "") })),
    );
    const { body } = await redact(file, fields);
    expect(sorted((await readAll(body)).pdfjs)).toBe(sorted(kept));
  });
});

const lines = (...texts: readonly string[]): PaintedPiece[] => texts.map((text, row) => at(40, 360 - 12 * row, text));

/** Text that fills the lines of its page but for the last one. */
const FILL = "this is a line of running text that goes on until it fills the measure";

describe("patterns", () => {
  test.each<[string, string, readonly PaintedPiece[], readonly string[]]>([
    [
      "end with the line of an address",
      "phone",
      lines("Jane Roe", "Tel. +49 30 1234567", "12345 Berlin", "3 rooms"),
      ["+49 30 1234567"],
    ],
    ["end with a cell", "phone", [at(40, 360, "+49 30 1234567"), at(160, 360, "12345 Berlin")], ["+49 30 1234567"]],
    [
      "end with a cell above another one",
      "credit-card",
      [...lines("4111 1111", "1111 1111"), at(160, 360, "x"), at(160, 348, "y")],
      [],
    ],
    ["do not join the lines of a list", "credit-card", lines("No. 4111 1111", "1111 1111"), []],
    [
      "go on where a text does",
      "credit-card",
      lines(`${FILL} of 4111 1111`, "1111 1111 and ends there"),
      ["4111 1111 1111 1111"],
    ],
    ["go on behind a hyphen", "email", lines("mail jane.roe@exam-", "ple.com today"), ["jane.roe@exam- ple.com"]],
    ["go on where they are not complete", "phone", lines("call +49 30", "1234567 today"), ["+49 30 1234567"]],
    [
      "go on where an address is broken",
      "url",
      lines(`${FILL} https://example.com/`, "a/page.html is it"),
      ["https://example.com/ a/page.html"],
    ],
    [
      "find what stands alone in each line",
      "phone",
      lines("030 1234567", "030 7654321"),
      ["030 1234567", "030 7654321"],
    ],
  ])("preset patterns are found across lines: %s", async (_, preset, pieces, expected) => {
    const { found } = await redact(paintedDocument(pieces.toReversed()), { patterns: JSON.stringify([preset]) });
    expect(found.toSorted()).toEqual(expected);
  });

  test("patterns of a request end with a complete line, and otherwise continue", async () => {
    const file = paintedDocument(lines("INV 12", "34", "No INV", "56 is it"));
    const { found } = await redact(file, { patterns: '[{"regex":"INV \\\\d+( \\\\d+)?"}]' });
    expect(found).toEqual(["INV 12", "INV 56"]);
  });
});

/** How many pages the property is tried on. */
const COUNT = 4;

const letters = [..."abcdefghijklmnop"];
const SECRET = "Zanzibar Quest";

/** Lines of random words in one to three columns, with the secret in some of them, or over the ends of two; and how often it is there. */
function randomPage(random: Random): { lines: PaintedPiece[]; count: number } {
  const columns = 1 + random.below(3);
  const [width, gutter] = [Math.floor(84 / columns) - 4, 4];
  const word = (): string => Array.from({ length: 2 + random.below(8) }, () => random.pick(letters)).join("");
  const lines: PaintedPiece[] = [];
  let count = 0;
  for (let column = 0; column < columns; column++) {
    const words: string[] = [];
    const size = 12 + random.below(10);
    // Not at the end of a column: what comes next there, the order of painting tells.
    const secrets = new Set([2 + random.below(20), 40]);
    for (let index = 0; index < 5 * size; index++) {
      words.push(...(secrets.has(index) ? SECRET.split(" ") : [word()]));
    }
    let line = "";
    let row = 0;
    for (const next of words) {
      if (line.length + next.length + 1 > width) {
        lines.push({ text: line, x: 40 + column * (width + gutter) * 6, y: 370 - 12 * row++ });
        line = "";
        if (row >= size) break;
      }
      line += line === "" ? next : ` ${next}`;
    }
  }
  const text = lines.map((line) => line.text).join(" ");
  count = text.split(SECRET).length - 1;
  return { lines, count };
}

test("the result is the same for any order of painting", async () => {
  for (let seed = 0; seed < COUNT; seed++) {
    const random = new Random(seed, 7);
    const { lines, count } = randomPage(random);
    const reference = await redact(paintedDocument(lines), { terms: JSON.stringify([SECRET]) }, `seed ${seed}`);
    expect(reference.count, `seed ${seed}`).toBe(count);
    const size = { width: 600, height: 400 };
    const expected = await readPdfiumPage(reference.body, 0, size);
    const expectedLetters = sorted((await readAll(reference.body)).pdfjs);
    for (const part of ["pieces", "lines"]) {
      const about = `seed ${seed}, ${part}`;
      const pieces = part === "lines" ? lines : lines.flatMap((line) => cutLine(line, random));
      const { count, body } = await redact(
        paintedDocument(shuffled(pieces, random)),
        { terms: JSON.stringify([SECRET]) },
        about,
      );
      expect(count, about).toBe(reference.count);
      const after = await readAll(body);
      expect(whoFinds(after, "Zanzibar"), about).toEqual([]);
      expect(sorted(after.pdfjs), about).toBe(expectedLetters);
      expect(differingPixels(expected.picture, (await readPdfiumPage(body, 0, size)).picture), about).toBe(0);
    }
  }
});
