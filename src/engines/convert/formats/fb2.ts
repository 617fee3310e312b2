/** E-books of FictionBook 2. */
import { readFb2 } from "../fb2/read.ts";
import type { TextFormat } from "./format.ts";

export const fb2: TextFormat = {
  kind: "text",
  name: "fb2",
  title: "FB2",
  keeps:
    "the cover, sections with their titles as bookmarks, epigraphs, poems, citations, tables, emphasis, images (PNG, JPEG, GIF, BMP, TIFF), links, notes (at the end), title and author",
  drops: "`external-images`, `unsupported-images`, `style-sheets`, `unknown-elements`",
  detect: ({ start }) => (/^<(?:\w+:)?FictionBook[\s>]/.test(start) ? "certain" : undefined),
  read: readFb2,
};
