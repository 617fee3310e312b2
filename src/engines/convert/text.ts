/** Plain text, as HTML. */
import type { Work } from "../work.ts";
import { escapedText } from "./source/markup.ts";

/** Lines of a block. A page is drawn from all lines of the blocks on it. */
const BLOCK_LINES = 50;

/** The lines as they are, in blocks that follow each other like lines. */
export async function textBody(work: Work, text: string): Promise<string> {
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
