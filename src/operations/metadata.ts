import { z } from "zod";
import { pdfDateOf } from "../engines/pdf/objects/dates.ts";
import { openPdf } from "../engines/pdf/document/document.ts";
import { fetchSchema } from "../engines/pdf/document/fetch-pages.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { readFormSchema } from "../engines/pdf/forms/schema.ts";
import { FIELD_TYPES } from "../engines/pdf/forms/tree.ts";
import {
  INFO_DATES,
  INFO_KEYS,
  INFO_TEXTS,
  type InfoChanges,
  readInfo,
  TRAPPED,
} from "../engines/pdf/metadata/info.ts";
import { changeMetadata, readInfoOfXmp } from "../engines/pdf/metadata/metadata.ts";
import { PERMISSIONS, readPageSizes, readPermissions, readVersion } from "../engines/pdf/document/page-facts.ts";
import { FormTexts } from "../engines/pdf/forms/options.ts";
import { limits, MiB } from "../limits.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF, returnsJson } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formBoolean, formChoice, jsonField, jsonMap, jsonObject, jsonText } from "./definition/values.ts";

/** Maximum length in bytes of a name that every reader accepts (ISO 32000-2, annex C). */
const LONGEST_NAME = limits.parameters.customNameBytes;

const infoText = jsonText(
  // XML does not allow other control characters, and readers end a text at NUL.
  z.string().refine((value) => value.isWellFormed() && !/[^\P{Cc}\t\n\r\u007f-\u009f]/u.test(value), {
    error: "must not contain control characters or unpaired surrogates",
  }),
).nullish();

const infoDate = z
  .string()
  .refine((value) => pdfDateOf(value) !== undefined, {
    error: "must be an ISO 8601 date such as 2026-01-02T03:04:05Z",
  })
  .nullish()
  .meta({ examples: ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05+01:00", "2026-01-02"] });

const customName = z.string().superRefine((name, context) => {
  const message = problemOfName(name);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const custom = jsonMap(
  customName,
  infoText,
  (entries) => ["True", "False", "Unknown"].includes(entries.get(TRAPPED) || "Unknown"),
  { error: "must be True, False, or Unknown", path: [TRAPPED] },
);

function problemOfName(name: string): string | undefined {
  if (INFO_KEYS.has(name)) return "is not a custom entry: set it outside `custom`";
  if (name === "" || !name.isWellFormed() || /\p{Cc}/u.test(name)) {
    return "must not be empty or contain control characters or unpaired surrogates";
  }
  return new TextEncoder().encode(name).length > LONGEST_NAME
    ? `must be at most ${LONGEST_NAME} bytes long`
    : undefined;
}

const readOnly = ["pageCount", "pdfVersion", "encrypted", "permissions", "pages", "formFields"];

/** The standard's name of an entry, which clients take from documents and other programs. */
const MODIFICATION_DATE = { moddate: "modificationDate" };

const changes = jsonObject(
  z.strictObject(
    {
      title: infoText,
      author: infoText,
      subject: infoText,
      keywords: infoText,
      creator: infoText,
      producer: infoText,
      creationDate: infoDate,
      modificationDate: infoDate,
      custom: custom.nullish(),
    },
    {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? `is invalid: ${issue.keys.slice(0, 10).map(unknownEntry).join("; ")}`
          : undefined,
    },
  ),
  MODIFICATION_DATE,
);

function unknownEntry(key: string): string {
  const name = changes.nameOf(key);
  if (name !== undefined) return `\`${key}\` is set twice: it is \`${name}\``;
  return `\`${key.slice(0, 100)}\` ${readOnly.includes(key) ? "is read-only" : "is not a metadata field"}`;
}

const date = z.string().nullable().describe("ISO 8601. Without an offset if the document has none.");
const facts = z.object({
  title: z.string().nullable(),
  author: z.string().nullable(),
  subject: z.string().nullable(),
  keywords: z.string().nullable(),
  creator: z.string().nullable().describe("The program that created the original document."),
  producer: z.string().nullable().describe("The program that created the PDF."),
  creationDate: date,
  modificationDate: date,
  custom: z.record(z.string(), z.string()).describe("All other entries of the Info dictionary."),
  pageCount: z.int(),
  pdfVersion: z.string().nullable(),
  encrypted: z.boolean(),
  permissions: z
    .array(z.enum(PERMISSIONS))
    .describe("What the document allows without its owner password. All permissions if it is not encrypted."),
  pages: z
    .array(z.object({ width: z.number(), height: z.number(), rotation: z.int() }))
    .describe("The size of the visible page in points, before rotation, and its rotation in degrees clockwise."),
  formFields: z.array(
    z.object({
      name: z.string(),
      type: z.enum(FIELD_TYPES),
      value: z.union([z.string(), z.boolean(), z.array(z.string())]).nullable(),
      options: z.array(z.string()).nullable(),
      page: z.int().nullable(),
      required: z.boolean(),
      readOnly: z.boolean(),
      maxLength: z.int().nullable(),
    }),
  ),
});

export const metadata = defineOperation({
  name: "metadata",
  summary: "Read or change metadata",
  group: "Edit",
  keywords: "properties info title author xmp page count size facts fields",
  guidance:
    "To learn facts about a PDF before you work on it: page count and sizes, title and author, encryption, form fields. Or, with `action` = `set`, to change its title, author, and so on.",
  description: `\`action=get\` returns facts about the document and its Info dictionary as JSON. Entries that only the XMP metadata has are included. \`action=set\` returns the PDF with the
entries in \`metadata\` changed. Entries that are null are removed; other entries stay, unless \`replace\` is true. Existing XMP metadata is updated as well, or
removed if it is not well-formed. The output keeps the encryption, passwords, and permissions of the input.

Old values do not remain in the file, with two exceptions: signed documents, so that their signatures stay valid, and stored documents over
${limits.references.heldBytes / MiB} MiB (by default: see \`GET /limits\`) are updated incrementally, and their earlier revision contains the old values. \`X-Signature-Invalidated\` is
set if a signature is no longer valid: the file was damaged, or it is certified with \`no-changes\`.`,
  credits: 1,
  modes: { by: "action", values: { get: returnsJson(facts), set: MAKES_PDF } },
  fields: {
    file: pdfFile(),
    action: text(formChoice("get", "set"), "`get` reads the metadata, `set` changes it.", {
      brief: "",
      required: true,
    }),
    metadata: text(
      jsonField(changes.schema).meta({ examples: [{ title: "Report", author: null, custom: { Reviewed: "yes" } }] }),
      `The entries to change. \`null\` removes an entry. Dates are ISO 8601. Names are accepted in any case, and as in the Info dictionary: \`ModDate\` is \`modificationDate\`.`,
      { brief: "`null` removes an entry.", required: true, when: { action: ["set"] } },
    ),
    replace: text(formBoolean(), "Removes all entries that `metadata` does not name.", {
      brief: "Removes other entries.",
      when: { action: ["set"] },
    }),
  },
  example: { file: "letter.pdf", action: "get" },
  furtherExamples: [{ file: "hundred-pages.pdf", action: "set", metadata: '{"title":"Load"}' }],
  memory: { readsRanges: true },
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  async run({ file, action, metadata, replace }, { pdf }) {
    using open = await openPdf(pdf, file, { validateFor: action === "set" ? "save" : undefined });
    const { document, pageCount, encrypted } = open;
    if (action === "get") {
      await fetchSchema(open);
      const texts = new FormTexts(pdf);
      const value: z.infer<typeof facts> = {
        ...readInfo(pdf, document, texts, await readInfoOfXmp(pdf, document)),
        pageCount,
        pdfVersion: readVersion(open),
        encrypted,
        permissions: readPermissions(open),
        pages: readPageSizes(open),
        formFields: await readFormSchema(open, texts),
      };
      return { kind: "json", value, headers: resultHeadersOf([open]) };
    }
    await changeMetadata(pdf, document, infoChanges(metadata ?? {}, replace));
    const { bytes, signatureInvalidated } = await saveChanges(open, { rewrite: true });
    return { kind: "pdf", bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});

/** By the keys of the Info dictionary. `custom: null` clears all custom entries. */
function infoChanges(
  { custom, creationDate, modificationDate, ...texts }: z.infer<typeof changes.schema>,
  replace: boolean,
): InfoChanges {
  const dates = { creationDate, modificationDate };
  const all = [
    ...Object.entries(texts).map(([name, value]) => [INFO_TEXTS[name as keyof typeof texts], value] as const),
    ...Object.entries(dates).map(([name, value]) => {
      return [INFO_DATES[name as keyof typeof dates], value ? pdfDateOf(value) : value] as const;
    }),
    ...(custom ?? []),
  ];
  return {
    entries: new Map(all.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
    clears: replace ? "all" : custom === null ? "custom" : "none",
  };
}
