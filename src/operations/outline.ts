import { z } from "zod";
import { openPdf } from "../engines/pdf/document/document.ts";
import { repairPageTree } from "../engines/pdf/document/page-tree.ts";
import { MAX_DEPTH } from "../engines/pdf/objects/objects.ts";
import { type OutlineEntry, outlineOf, setOutline, type View, VIEWS } from "../engines/pdf/outline/outline.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { fieldsInvalid } from "./definition/errors.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF, returnsJson } from "./definition/modes.ts";
import type { FieldIssue } from "./definition/fields.ts";
import { pdfFile, text } from "./definition/fields.ts";
import {
  checkItem,
  formChoice,
  hasMostIssues,
  jsonBoolean,
  jsonChoice,
  jsonColor,
  jsonField,
  jsonNumber,
  jsonText,
} from "./definition/values.ts";

const fits = Object.keys(VIEWS) as [keyof typeof VIEWS, ...(keyof typeof VIEWS)[]];

const view = z
  .tuple([jsonChoice(...fits)], jsonNumber().nullable())
  .refine(([fit, ...numbers]) => numbers.length === VIEWS[fit], {
    error: ({ input }) => {
      const [fit] = input as View;
      return `must have ${VIEWS[fit]} numbers after \`${fit}\``;
    },
  })
  .transform((given): View => given);

const members = {
  title: jsonText(
    z.string().refine((title) => title.isWellFormed() && !title.includes("\0"), {
      error: "must not contain NUL or unpaired surrogates",
    }),
  ),
  page: jsonNumber(z.int().min(1)).nullable().default(null),
  view: view.optional(),
  url: z.string().min(1).max(2_000).optional(),
  open: jsonBoolean().optional(),
  bold: jsonBoolean().optional(),
  italic: jsonBoolean().optional(),
  color: jsonColor().optional(),
};

const entry = z
  .strictObject({ ...members, children: z.array(z.unknown()).default([]) })
  .refine(({ page, url }) => page === null || url === undefined, { error: "cannot be sent with `page`", path: ["url"] })
  .refine(({ page, view }) => page !== null || view === undefined, { error: "requires `page`", path: ["view"] });

/** Reads the entries one by one: a recursive schema would nest as deep as the request. */
function readEntries(given: readonly unknown[], path: PropertyKey[], context: z.RefinementCtx): OutlineEntry[] {
  if (path.length > 2 * MAX_DEPTH) {
    context.addIssue({ code: "custom", message: `must be at most ${MAX_DEPTH} levels deep` });
    return [];
  }
  return given.flatMap((one, index) => {
    const found = hasMostIssues(context) ? undefined : checkItem(entry, one, [...path, index], context);
    if (found === undefined) return [];
    const { children, view, url, open, bold, italic, color, ...rest } = found.value;
    return [
      {
        ...rest,
        ...(view && { view }),
        ...(url !== undefined && { url }),
        ...(open && { open }),
        ...(bold && { bold }),
        ...(italic && { italic }),
        ...(color !== undefined && { color }),
        children: readEntries(children, [...path, index, "children"], context),
      },
    ];
  });
}

const described = z.object({
  title: z.string(),
  page: z.int().nullable().describe("From 1. Null if the entry does not lead to a page of the document."),
  view: z
    .array(z.union([z.string(), z.number()]).nullable())
    .optional()
    .describe(
      'How the page is shown (ISO 32000-2, table 149): `["XYZ", 72, 700, null]`, `["Fit"]`, and so on, in units of the page.',
    ),
  url: z.string().optional().describe("Where the entry leads, if that is a URL."),
  open: z.boolean().optional().describe("Whether its children are shown at first."),
  bold: z.boolean().optional(),
  italic: z.boolean().optional(),
  color: z.string().optional().describe("`#rrggbb`, if not black."),
  children: z.array(z.record(z.string(), z.unknown())).describe("Entries like this one."),
});
const { $schema: _, ...itemSchema } = z.toJSONSchema(described);

const entries = z
  .array(z.unknown(), { error: "must be an array" })
  .transform((given, context) => readEntries(given, [], context))
  .meta({ type: "array", items: { ...itemSchema, required: ["title"] } });

export const outline = defineOperation({
  name: "outline",
  summary: "Read or replace the outline",
  group: "Organize",
  keywords: "bookmarks toc table of contents navigation",
  guidance:
    "For the bookmarks in a viewer's sidebar: to read them, or to replace them all. To change some, get the outline, edit it, and set it again. To split a PDF at its bookmarks, use `split`.",
  description: `\`action=get\` returns the outline, "bookmarks", as JSON. \`action=set\` returns the PDF with a new outline in the same
format, so you can edit the result of \`get\` and send it back; \`[]\` removes the outline. Entries that run scripts or lead to other files are returned without a destination, and \`set\` removes
theirs.

Changes are appended to the file (an incremental update), unless it is damaged, so the earlier outline stays in the file. Signed bytes do not change, but signatures do not allow the change (\`X-Signature-Invalidated\`).`,
  credits: 1,
  modes: { by: "action", values: { get: returnsJson(z.object({ outline: z.array(described) })), set: MAKES_PDF } },
  fields: {
    file: pdfFile(),
    action: text(formChoice("get", "set"), "`get` reads the outline, `set` replaces it.", {
      brief: "",
      required: true,
    }),
    outline: text(
      jsonField(entries).meta({
        examples: [[{ title: "Chapter 1", page: 3, children: [{ title: "Section 1.1", page: 4 }] }]],
      }),
      "The entries. Only `title` is required; `page` is null for a heading.",
      { brief: "Only `title` is required.", required: true, when: { action: ["set"] } },
    ),
  },
  example: {
    file: "letter.pdf",
    action: "set",
    outline: '[{"title":"Letter","page":1},{"title":"Enclosures","page":2}]',
  },
  furtherExamples: [{ file: "hundred-pages.pdf", action: "get" }],
  memory: { readsRanges: true },
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  pageChecks: [({ outline: given }, pageCount) => pageIssues(given ?? [], pageCount)],

  async run({ file, action, outline: given }, { pdf }) {
    using open = await openPdf(pdf, file, { validateFor: action === "set" ? "save" : undefined });
    const { pageCount } = open;
    if (action === "get") {
      const value = { outline: await outlineOf(open) };
      return { kind: "json", value, headers: resultHeadersOf([open]) };
    }
    const fields = pageIssues(given ?? [], pageCount);
    const [first] = fields;
    if (first) throw fieldsInvalid(first, fields);
    await repairPageTree(open);
    await setOutline(open, given ?? []);
    const { bytes, signatureInvalidated } = await saveChanges(open, { keepsClaim: true });
    return { kind: "pdf", bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});

/** Most problems that are listed. */
const MOST_ISSUES = 10;

function pageIssues(list: readonly OutlineEntry[], pageCount: number): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const look = (level: readonly OutlineEntry[], path: string): void => {
    for (const [index, { page, children }] of level.entries()) {
      if (issues.length === MOST_ISSUES) return;
      if (page !== null && page > pageCount) {
        const issue = `is invalid: \`${path}${index}.page\` must be at most ${pageCount}, the last page`;
        issues.push({ name: "outline", issue });
      }
      look(children, `${path}${index}.children.`);
    }
  };
  look(list, "");
  return issues;
}
