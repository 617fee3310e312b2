/** E-books of EPUB 2 and 3. */
import { readEpub } from "../epub/read.ts";
import type { PackageFormat } from "./format.ts";

export const epub: PackageFormat = {
  kind: "package",
  name: "epub",
  title: "EPUB",
  keeps:
    "the chapters in the order of the spine, each as XHTML is, with its style sheets and images (PNG, JPEG, GIF, BMP, TIFF), links between chapters, headings as bookmarks, title and author",
  drops: "as HTML, `chapters` (of another type than XHTML or an image, such as SVG)",
  detect: ({ names, mediaType }) =>
    mediaType?.trim() === "application/epub+zip" || names.includes("META-INF/container.xml") ? "certain" : undefined,
  read: readEpub,
};
