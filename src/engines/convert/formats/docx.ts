/** Word documents. */
import { readDocx } from "../docx/read.ts";
import type { PackageFormat } from "./format.ts";
import { detectOffice } from "./office.ts";

export const docx: PackageFormat = {
  kind: "package",
  name: "docx",
  title: "DOCX",
  keeps:
    "text with its styles, headings, numbered lists, tables, images, links, sections with their page size and margins, headers and footers (of the first page, even pages, and each section) with page numbers in all formats, tabs, tables, and images, borders and shading of paragraphs, footnotes and endnotes (at the end), text boxes (at their place of the page, or after their paragraph), watermarks (not rotated), states and chosen entries of form fields and content controls, WordArt as plain text, readings of ruby in parentheses, the result of tracked changes",
  drops: `\`headers\` and \`footers\` (the part that would leave no room for text), \`comments\`, \`tracked-changes\`, \`charts\`, \`diagrams\`, \`shapes\`, \`ink\`, \`media\`, \`formulas\` (as plain text), \`fields\` (without a stored result), \`form-fields\` (ActiveX), \`embedded-objects\`, \`embedded-documents\`, \`external-images\`, \`unsupported-images\` (EMF, WMF, SVG), \`unknown-elements\``,

  detect: detectOffice({
    entry: "word/document.xml",
    folder: "word/",
    type: /(?:wordprocessingml\.(?:document|template)|ms-word\.(?:document|template)\.macroEnabled(?:Template)?)\.main\+xml/,
  }),

  read: (archive, parts) =>
    readDocx(parts.work, archive, {
      page: (own) => parts.page({}, own),
      fontSize: parts.options.fontSize,
      css: parts.options.css,
    }),
};
