/** Text documents of OpenDocument. */
import { readOdt } from "../odt/read.ts";
import type { PackageFormat } from "./format.ts";

export const odt: PackageFormat = {
  kind: "package",
  name: "odt",
  title: "ODT",
  keeps:
    "paragraphs and runs with their styles, headings as bookmarks, numbered lists, tables with merged cells, links, images (PNG, JPEG, GIF, BMP, TIFF), footnotes and endnotes (at the end), text boxes (after their paragraph), stored values of fields, indexes, page size and margins, title and author",
  drops:
    "`headers`, `footers`, `comments`, `tracked-changes`, `shapes`, `form-fields`, `embedded-objects`, `scripts`, `external-images`, `unsupported-images` (EMF, WMF, SVG), `unknown-elements`",
  detect: ({ mediaType }) =>
    /^application\/vnd\.oasis\.opendocument\.text(?:-template|-master)?$/.test(mediaType?.trim() ?? "")
      ? "certain"
      : undefined,
  read: readOdt,
};
