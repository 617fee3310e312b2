import { z } from "zod";
import { openPdf } from "../engines/pdf/document.ts";
import { isSigned } from "../engines/pdf/form-fields.ts";
import { fillForm as fillFields } from "../engines/pdf/form-fill.ts";
import { flattenForm } from "../engines/pdf/form-flatten.ts";
import { planFilling } from "../engines/pdf/form-plan.ts";
import { rewritePdf } from "../engines/pdf/save.ts";
import { saveSigned } from "../engines/pdf/save-signed.ts";
import { allowsFilling } from "../engines/pdf/signature-permissions.ts";
import { defineOperation, type ResultHeaders } from "./define.ts";
import { pdfFile, text } from "./fields.ts";
import { notes } from "./notes.ts";
import { formBoolean, jsonField } from "./values.ts";

const value = z.union([z.string(), z.boolean(), z.array(z.string()), z.null()], {
  error: "must be a string, a boolean, an array of strings, or null",
});
const values = z.record(z.string(), value);

/** Bytes of the header that names unknown fields. */
const NAMES_BYTES = 4_096;

export const fillForm = defineOperation({
  name: "fill-form",
  summary: "Fill in the fields of a form",
  description: `Fills AcroForm fields by their full names (\`person.city\`), as \`metadata\` with \`action=get\` lists them. Text fields take
a text, check boxes \`true\` or \`false\` (or the name of a state), radio groups, drop-downs and lists an option's export value or its
label, lists of several choices an array; drop-downs that can be edited take any text. \`null\` clears a field. Fields that are not named
stay as they are. A value that its field cannot take is 400, with the values it takes in \`details.options\`; so is a text longer than the
field's limit, a line feed where there is one line, and any value for a push button or a signature field. Fields that are read-only, which binds
the person at the viewer, are filled. No script runs: calculated fields keep what they have unless a value is given for them, and what a
field's format script would do to the look of a value is not done. A password field holds its value and shows asterisks.

Every field that is filled gets an appearance, so that all viewers show the value: in the form's own font where that has the characters,
else in one that has them, in every script; a character that none has is \`unsupported_text\`. A form that leaves drawing to its viewer
(NeedAppearances) is drawn as a whole. XFA beside the fields is dropped, so that no viewer shows old values. Names that the form does
not have are told in \`X-Unknown-Fields\`, or are 422 under \`strict\`.

With \`flatten\` fields become part of the pages and nothing interactive remains; other annotations stay. Signed documents are
saved as an incremental update, so that their signatures stay verifiable; \`X-Signature-Invalidated\` tells where one breaks all the
same: it forbids the change, or the form was flattened.`,
  credits: 1,
  scope: "pdf:write",
  fields: {
    file: pdfFile("The PDF with the form."),
    values: text(
      jsonField(values),
      'The values by full field name: `{"name": "Ada", "agree": true, "colors": ["red", "blue"]}`.',
      { required: true },
    ),
    flatten: text(formBoolean(), "Makes the fields part of the pages, so that they can no longer be edited."),
    strict: text(formBoolean(), "Fails with 422 if `values` names fields that the form does not have."),
  },
  example: {
    file: "form.pdf",
    values: '{"name":"Ada Lovelace","email":"ada@example.com","cards":"480","delivery":"rail","punched":true}',
  },
  produces: ["application/pdf"],
  headers: [
    "X-Page-Count",
    "X-Unknown-Fields",
    "X-Unknown-Fields-Count",
    "X-Input-Repaired",
    "X-Signature-Invalidated",
  ],

  async run({ file, values, flatten, strict }, { pdf, loadFont }) {
    using open = await openPdf(pdf, file, { whole: "written" });
    const filling = await planFilling(open, new Map(Object.entries(values)), strict);
    const root = open.document.getTrailer().get("Root");
    const signed = isSigned(root);
    const names = filling.fields.map(({ node }) => node.name);
    const allowed = !signed || allowsFilling(root, filling.nodes, names, filling.texts);
    await fillFields(open, loadFont, filling, flatten);
    if (flatten) await flattenForm(open);
    const { bytes, broken } = flatten
      ? { bytes: await rewritePdf(open), broken: signed }
      : await saveSigned(open, { allowed });
    const headers = {
      ...notes([open], { pageCount: open.pageCount, signed: broken }),
      ...unknownFields(filling.unknown),
    };
    return { kind: "pdf", bytes, headers };
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
