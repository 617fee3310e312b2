/** Blocks as the API returns them. */
import type { VisibleBox as Box } from "../../geometry.ts";
import type { TableCell } from "./blocks.ts";
import type { Block } from "./document.ts";
import { plainText } from "./spans.ts";

export const blockTypes = ["heading", "paragraph", "list-item", "table", "code", "figure", "caption"] as const;

export interface ShownBlock {
  readonly type: (typeof blockTypes)[number];
  readonly level?: number;
  readonly marker?: string;
  readonly text: string;
  readonly bbox: Box;
  readonly rows?: readonly (readonly TableCell[])[];
}

export function shownBlock(block: Block): ShownBlock {
  const { type, bbox } = block;
  const text = textOf(block);
  if (block.type === "heading") return { type, level: block.level, text, bbox };
  if (block.type === "list-item") return { type, marker: block.marker, text, bbox };
  if (block.type !== "table") return { type, text, bbox };
  const cells = Map.groupBy(block.cells, (cell) => cell.row);
  const rows = Array.from({ length: block.rows }, (_, row) => cells.get(row) ?? []);
  return { type, text, bbox, rows };
}

/** The text of a block without markup. In a table, tabs separate cells. */
function textOf(block: Block): string {
  if (block.type === "code") return block.lines.join("\n");
  if (block.type === "figure") return block.text;
  if (block.type !== "table") return plainText(block.spans);
  const lines: string[][] = Array.from({ length: block.rows }, () => []);
  for (const { row, text } of block.cells) lines[row]?.push(text);
  return lines.map((cells) => cells.join("\t")).join("\n");
}
