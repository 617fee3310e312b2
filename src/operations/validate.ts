import { z } from "zod";
import { PROFILES } from "../engines/pdf/conformance/model/profiles.ts";
import { claimedProfile, validate as validatePdf } from "../engines/pdf/conformance/validate.ts";
import { openPdf } from "../engines/pdf/document/document.ts";
import { notConforming } from "../engines/result-errors.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { returnsJson } from "./definition/modes.ts";
import { formBoolean, formChoice } from "./definition/values.ts";

const report = z.object({
  profile: z.enum(PROFILES).describe("The profile that the document was checked against."),
  conforms: z
    .boolean()
    .nullable()
    .describe("Whether no rule is broken. `null` if none is, but not all rules of the profile could be checked."),
  claimed: z
    .string()
    .nullable()
    .describe("The profile that the document claims in its metadata, such as `2b`; `null` if it claims none."),
  coverage: z
    .object({
      rules: z.int().describe("The rules that were checked."),
      of: z.int().describe("The rules of the profile that a program can check."),
    })
    .describe("How much of the profile was checked."),
  failures: z
    .array(
      z.object({
        clause: z.string().describe("The clause of the part of ISO 19005, such as `6.2.11.4.1`."),
        test: z.int().describe("The rule within its clause."),
        message: z.string().describe("What breaks the rule."),
        count: z.int().describe("How often it is broken."),
        first: z
          .object({
            object: z.int().describe("The number of the object; 0 for the file as a whole."),
            page: z.int().nullable().describe("The page that uses it, from 1; `null` if none does."),
            context: z.string().nullable().describe("What is there, such as the name of a font."),
          })
          .describe("Where it is broken first."),
      }),
    )
    .describe("The rules that are broken, in the order of their clauses."),
});

export const validate = defineOperation({
  name: "validate",
  summary: "Validate PDF/A",
  group: "Improve",
  keywords: "pdfa archive archival conformance compliance check verapdf preflight iso 19005 standard",
  guidance: "To learn whether a PDF conforms to PDF/A, and if not, which rules it breaks and where.",
  description: `Checks a document against a profile of PDF/A (ISO 19005), rule by rule, and returns a report as JSON. The document is not changed.

\`conforms\` is \`true\` only if all rules of the profile were checked and none is broken; \`coverage\` counts them. The levels \`a\` also ask for what only a person can judge, such as whether the tags fit the contents: that is not counted, and \`true\` leaves it open. Each broken rule has its clause and test, as the standard and other validators number them, how often it is
broken, and where first. A claim in the metadata is no proof: \`claimed\` says what the document claims.

With \`require=true\`, a document that does not conform is refused with 422 \`not_conforming\`. As a step of a pipeline, \`validate\` then stops it, and otherwise passes its document on to the next step unchanged.`,
  credits: 1,
  modes: { ...returnsJson(report), passesOn: true },
  fields: {
    file: pdfFile(),
    profile: text(
      formChoice(...PROFILES),
      "The profile to check against. By default the one that the document claims, or `2b` if it claims none.",
      { brief: "Default: the claimed one, or `2b`." },
    ),
    require: text(formBoolean(false), "Whether a document that does not conform is an error.", {
      brief: "If it does not conform: an error.",
    }),
  },
  example: { file: "letter.pdf", profile: "2b" },
  errors: ["not_conforming"],
  headers: ["X-Page-Count"],

  async run({ file, profile, require }, { pdf, work }) {
    return pdf.scope(async () => {
      using open = await openPdf(pdf, file);
      const headers = resultHeadersOf([open], { pageCount: open.pageCount });
      // The rules are about the bytes of the file, which the engine's heap may move.
      const { length } = file.bytes;
      pdf.claim(length);
      const bytes = file.bytes.view(0, length).slice();
      const against = profile ?? (await claimedProfile(open)) ?? "2b";
      const found: z.infer<typeof report> = await validatePdf(open, bytes, against, work);
      if (require && found.conforms !== true) throw notConforming(found.profile, found.failures);
      return { kind: "json", value: found, headers };
    });
  },
});
