/** Spreadsheets of OpenDocument. */
import { readOds } from "../ods/read.ts";
import type { PackageFormat } from "./format.ts";

export const ods: PackageFormat = {
  kind: "package",
  name: "ods",
  title: "ODS",
  keeps: "all visible sheets with visible rows and columns: values as they were shown, merged cells, fills, links",
  drops:
    "`conditional-formats`, `sparklines`, `images` (and charts), `shapes`, `comments`, `form-fields`, `tracked-changes`, `scripts`, `unknown-elements`",
  detect: ({ mediaType }) =>
    /^application\/vnd\.oasis\.opendocument\.spreadsheet(?:-template)?$/.test(mediaType?.trim() ?? "")
      ? "certain"
      : undefined,
  async read(archive, parts) {
    const { sheets, ...book } = await readOds(parts.work, archive);
    return { ...book, parts: await parts.ofSheets(sheets) };
  },
};
