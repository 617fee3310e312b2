/** Plain text. It is read as HTML. */
import type { Work } from "../../work.ts";
import { escapedText, htmlDocument } from "../source/markup.ts";
import type { TextFormat } from "./format.ts";

export const text: TextFormat = {
  kind: "text",
  name: "text",
  title: "Text",
  keeps: "lines as they are, wrapped at the margins",
  drops: "",
  detect: () => "likely",

  async read(source, parts) {
    const html = htmlDocument({ body: await textBody(parts.work, source) });
    return { parts: [await parts.ofHtml(html)], notConverted: new Set() };
  },
};

/** Lines of a block. A page is drawn from all lines of the blocks on it. */
const BLOCK_LINES = 50;

/** The unchanged lines, in blocks that follow each other like lines. */
async function textBody(work: Work, text: string): Promise<string> {
  const html: string[] = [];
  let block: string[] = [];
  const end = async (): Promise<void> => {
    if (block.length === 0) return;
    html.push(BLOCK, await escapedText(work, block.join("\n")), "</div>");
    block = [];
  };
  for (const line of text.split(/\r\n?|\n/)) {
    block.push(line);
    // An empty line at the end of a block would not be shown.
    if (block.length >= BLOCK_LINES && line.trim() !== "") await end();
  }
  await end();
  return html.join("");
}

const BLOCK = '<div style="white-space:pre-wrap;line-height:1.25">';
