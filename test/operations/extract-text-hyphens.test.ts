import { expect, test } from "vitest";
import { layoutDocument, lines } from "../harness/fixtures/layout-fixtures.ts";
import { extract } from "./text-service.ts";

/** A page on which a line ends in the middle of what is read, with other lines before it. */
const page = (before: string, end: string, start: string): string =>
  lines([before, `The third of these lines is long enough and ends in ${end}`, `${start} goes on from here.`], 60, 700);

test.each([
  ["a word is joined", "Nothing else of it is anywhere in the text, not a bit", "infor-", "mation", "information"],
  [
    "a compound that the text has stays one",
    "It is a well-known fact of the trade, as we all agree",
    "well-",
    "known",
    "well-known",
  ],
  [
    "a compound of words that the text has stays one",
    "What is known to be open has a source, and a known one",
    "open-",
    "source",
    "open-source",
  ],
  [
    "a word that the text has is joined, whatever its halves are",
    "They understand that they stand under it, and understand",
    "under-",
    "stand",
    "understand",
  ],
  [
    "a prefix that the text has with a hyphen keeps it",
    "The non-trivial ones are formal and the others are not",
    "non-",
    "formal",
    "non-formal",
  ],
  [
    "halves that are short words are no compound",
    "So it is for all of the ward, and forever until the end",
    "for-",
    "ward",
    "forward",
  ],
])("a hyphen at the end of a line is resolved: %s", async (_, before, end, start, expected) => {
  const { pages } = await extract(layoutDocument([page(before, end, start)]), { markdown: "true" });
  expect(pages[0]?.markdown).toBe(
    `${before} The third of these lines is long enough and ends in ${expected} goes on from here.`,
  );
});

test("words of other pages resolve a hyphen", async () => {
  const told = lines(["A second page has the well-known word within a line of its own."], 60, 700);
  const { pages } = await extract(layoutDocument([page("Nothing is to be seen here", "well-", "known"), told]), {
    markdown: "true",
  });
  expect(pages[0]?.markdown).toContain("ends in well-known goes on");
});

test("a soft hyphen is removed, even between two words of the text", async () => {
  const soft = `BT /F1 10 Tf 60 688 Td (The third of these lines is long enough and ends in open) Tj /Span << /ActualText <FEFF00AD> >> BDC (-) Tj EMC ET\n`;
  const first = lines(["What is known to be open has a source, and a known one"], 60, 700);
  const last = lines(["source goes on from here."], 60, 676);
  const { pages } = await extract(layoutDocument([first + soft + last]), { markdown: "true" });
  expect(pages[0]?.markdown).toContain("ends in opensource goes on");
});
