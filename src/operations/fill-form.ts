import { z } from "zod";
import { openPdf } from "../engines/pdf/document/document.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { fillForm as fillFields } from "../engines/pdf/forms/fill.ts";
import { flatten as flattenPages } from "../engines/pdf/forms/flatten.ts";
import { resolveFilling } from "../engines/pdf/forms/resolve-values.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { defineOperation, type ResultHeaders, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { booleanIn, formBoolean, jsonField, jsonMap, jsonText } from "./definition/values.ts";

const value = z.union([jsonText(), z.boolean(), z.array(jsonText()), z.null()], {
  error: "must be a string, a boolean, an array of strings, or null",
});
const values = jsonMap(z.string(), value).meta({ "x-form-values": true });

/** Maximum size in bytes of the header that lists unknown fields. */
const NAMES_BYTES = 4_096;

export const fillForm = defineOperation({
  name: "fill-form",
  summary: "Fill in a form",
  group: "Edit",
  keywords: "acroform form fields populate fill in values",
  guidance:
    "To fill in a PDF that has form fields. Get their names from `metadata` first. A form that is only drawn or scanned has none.",
  description: `Fills AcroForm fields by their full names (\`person.city\`); \`metadata\` with \`action=get\` lists them. Text fields accept a string, check
boxes \`true\`, \`false\`, or the name of a state, radio buttons, drop-downs, and lists the export value or label of an option, and multiple-choice lists an
array. Editable drop-downs accept any string. \`null\` clears a field, and fields you leave out keep their values. If a field does not
accept a value, the request fails with 400 and \`details.options\` lists the values it accepts. Read-only fields can be filled. Scripts do not run: calculated fields keep
their values, and format scripts are not applied. Password fields show asterisks.

Filled fields get an appearance that all viewers show, in the font of the form or, for characters it does not have, in another one. Characters that no
font has fail with \`unsupported_text\`. XFA data is removed so that no viewer shows outdated values. Names that the form does not have are listed in
\`X-Unknown-Fields\`; with \`strict\`, they fail with 422.

With \`flatten\`, fields become part of the pages; other annotations stay. Signed documents are updated incrementally so that their signatures stay valid.
\`X-Signature-Invalidated\` is set if a signature does not allow the change, or if the form was flattened.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile("The PDF with the form."),
    values: text(
      jsonField(values).meta({ examples: [{ name: "Ada", agree: true, colors: ["red", "blue"] }] }),
      "The values by full field name.",
      { brief: "By full field name.", required: true },
    ),
    flatten: text(formBoolean(), "Makes the fields part of the pages, so that they can no longer be edited.", {
      brief: "",
    }),
    strict: text(formBoolean(), "Fails with 422 if `values` names fields that the form does not have.", {
      brief: "Unknown names are an error.",
      label: "Reject unknown fields",
    }),
  },
  example: {
    file: "form.pdf",
    values: '{"name":"Ada Lovelace","email":"ada@example.com","cards":"480","delivery":"rail","punched":true}',
  },
  memory: { readsRanges: true },
  errors: ["unsupported_text", "unknown_fields", "no_form", "unsupported_form"],
  headers: [
    "X-Page-Count",
    "X-Unknown-Fields",
    "X-Unknown-Fields-Count",
    "X-Input-Repaired",
    "X-Signature-Invalidated",
    "X-Conformance-Lost",
  ],

  async run({ file, values, flatten, strict }, { pdf, loadFont }) {
    using open = await openPdf(pdf, file, { validateFor: "save" });
    const filling = await resolveFilling(open, values, { strict, booleanIn });
    // Flattening also removes the fields of signatures.
    const isRemoved = flatten && (await hasIntactSignature(open));
    await fillFields(open, loadFont, filling, flatten);
    if (flatten) await flattenPages(open, { forms: true, annotations: false });
    const saved = await saveChanges(open, { rewrite: true });
    const signatureInvalidated = isRemoved || saved.signatureInvalidated;
    const headers = {
      ...resultHeadersOf([open], { pageCount: open.pageCount, signatureInvalidated }),
      ...unknownFields(filling.unknown),
    };
    return { kind: "pdf", bytes: saved.bytes, headers };
  },
});

function unknownFields(names: readonly string[]): ResultHeaders {
  if (names.length === 0) return {};
  let list = "";
  for (const name of names) {
    const encoded = encodeURIComponent(name.toWellFormed());
    if (list.length + encoded.length + 1 > NAMES_BYTES) break;
    list += list === "" ? encoded : `,${encoded}`;
  }
  return { "X-Unknown-Fields": list, "X-Unknown-Fields-Count": String(names.length) };
}
