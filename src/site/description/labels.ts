import type { Operation } from "./description.ts";
import { searchIn } from "./search.ts";
import { wordsForOperation } from "./synonyms.ts";

/** Parameters that their name does not explain to people. */
const LABELS: Readonly<Record<string, string>> = {
  expiresIn: "Keep a job's result for (seconds)",
  auto: "Crop to the content",
  blocks: "Blocks, such as headings and tables",
  dpi: "Resolution (dpi)",
  dryRun: "Only list the matches",
  fill: "Color of the boxes",
  furniture: "Keep headers, footers, and page numbers",
  imageMaxDpi: "Highest resolution of images (dpi)",
  onPageError: "If a page of a job fails",
  field: "Box",
  kind: "Type",
  label: "Text in the boxes",
  level: "Compression level",
  ocr: "Pages without text",
  range: "Pages, in order",
  ranges: "Parts",
  chunkSize: "Pages per part",
  remove: "Remove what is cut off",
  startAt: "First number",
  strict: "Reject unknown fields",
  stripMetadata: "Remove metadata",
  tile: "Repeat across the page",
  url: "URL",
  what: "What to flatten",
  words: "Positions of words",
};

/** The name of a parameter for people: `fontSize` is "Font size", and `marginPt` "Margin (points)". */
export function labelOf(name: string): string {
  const known = LABELS[name];
  if (known !== undefined) return known;
  const words = name
    .replace(/Pt$/, " (points)")
    .replace(/([a-z])([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Where people look for an operation. Those that are in no group come last. */
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ["Organize", ["merge", "split", "extract-pages", "delete-pages", "rotate", "crop", "n-up", "outline"]],
  ["Convert", ["to-pdf", "to-images", "from-images", "extract-text", "ocr"]],
  [
    "Edit",
    [
      "watermark",
      "add-page-numbers",
      "sign",
      "seal",
      "verify-signatures",
      "fill-form",
      "flatten",
      "metadata",
      "attachments",
    ],
  ],
  ["Protect", ["protect", "unlock", "redact"]],
  ["Improve", ["compress", "repair"]],
];

export interface OperationGroup {
  readonly name: string;
  readonly operations: readonly Operation[];
}

export function grouped(operations: readonly Operation[]): OperationGroup[] {
  const named = GROUPS.map(([name, names]) => ({
    name,
    operations: names.flatMap((one) => operations.find((operation) => operation.name === one) ?? []),
  }));
  const others = operations.filter((one) => !named.some((group) => group.operations.includes(one)));
  return [...named, { name: "More", operations: others }].filter((group) => group.operations.length > 0);
}

/** The operations that somebody may look for, best first. */
export function operationSearch(operations: readonly Operation[]): (query: string) => Operation[] {
  const search = searchIn(
    operations.map(({ name, summary, description }) => {
      const title = `${name} ${summary}`;
      return { name: title, words: wordsForOperation(name), place: "", text: description, weight: 1 };
    }),
  );
  return (query) => search(query).flatMap((at) => operations[at] ?? []);
}
