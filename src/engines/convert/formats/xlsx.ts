/** Excel documents. */
import { readXlsx } from "../xlsx/read.ts";
import type { PackageFormat } from "./format.ts";
import { detectOffice } from "./office.ts";

export const xlsx: PackageFormat = {
  kind: "package",
  name: "xlsx",
  title: "XLSX",
  keeps: "all visible sheets with visible rows and columns: values in their number formats, merged cells, fills, links",
  drops: `\`formula-results\` (not stored: the formula is shown), \`number-formats\` (not valid), \`conditional-formats\`, \`table-styles\`, \`charts\`, \`sparklines\`, \`slicers\`, \`images\`, \`background-images\`, \`diagrams\`, \`shapes\`, \`ink\`, \`comments\`, \`headers\`, \`text-boxes\`, \`form-fields\`, \`embedded-objects\`, \`other-sheets\` (dialogs and macros), \`unknown-elements\``,

  detect: detectOffice({
    entry: "xl/workbook.xml",
    folder: "xl/",
    type: /(?:spreadsheetml\.(?:sheet|template)|ms-excel\.(?:sheet|template)\.macroEnabled)\.main\+xml/,
  }),

  async read(archive, parts) {
    const { sheets, ...book } = await readXlsx(parts.work, archive);
    return { ...book, parts: await parts.ofSheets(sheets) };
  },
};
