/** One or more lines of text at the edge of each page, such as its number. */
import { multiply } from "../../geometry.ts";
import { limits } from "../../../limits.ts";
import { invalidParameter } from "../../errors.ts";
import { labelsTooLong, stampTooLong } from "../../limit-errors.ts";
import type { FontFace, LoadFont } from "../../fonts.ts";
import type { OpenPdf } from "../document/document.ts";
import { StampFonts } from "../typesetting/embedded-fonts.ts";
import { extentOf } from "./ink.ts";
import { Typesetter } from "../typesetting/typesetter.ts";
import { type StampPage, StampPages } from "../content/page-content.ts";
import { showLine } from "../typesetting/show-line.ts";
import { EM, LINE_HEIGHT, type TypesetLine } from "../typesetting/line.ts";
import { OwnColors } from "../conformance/own-colors.ts";
import type { Color, NameResource } from "../content/operands.ts";

export interface Labels {
  /** By page (0-based). Lines are separated by line feeds. */
  readonly labels: ReadonlyMap<number, string>;
  /** The client's text, for its length limit. */
  readonly template: string;
  readonly vertical: "top" | "bottom";
  readonly horizontal: "left" | "center" | "right";
  /** Points. */
  readonly size: number;
  /** Points between the edges of the page and the text. By default as much as the page has room for. */
  readonly margin: number | undefined;
  readonly color: Color;
  readonly face?: FontFace | undefined;
}

/**
 * Space for a line above and below its baseline, as a fraction of the font size; more if its ink needs it. Margins are
 * measured from there for all labels alike, so that their baselines align.
 */
const [ASCENT, DESCENT] = [0.78, 0.22];

/** The default margin in points, and its largest part of the shorter side of a page. */
const MARGIN = { points: 20, part: 0.25 };

/**
 * Writes labels on pages.
 * @throws Refusal `unsupported_text`, `limit_exceeded`, `invalid_parameters` if the margin leaves no room on a page
 */
export async function stampLabels(open: OpenPdf, loadFont: LoadFont, labels: Labels): Promise<void> {
  checkLength(labels.template);
  const texts = [...new Set([...labels.labels.values()].flatMap((label) => label.split("\n")))];
  checkWork(texts);
  const pages = await StampPages.of(open, [...labels.labels.keys()], "over");
  if (labels.margin !== undefined) for (const page of pages.pages) checkMargin(page, labels.margin);
  const set = await new Typesetter(open.engine, loadFont).setLines(texts, labels.face);
  const lines = new Map(texts.map((text, index) => [text, set[index]]));
  const { above, below } = extentOf(open.engine, set);
  const extent = { above: Math.max(ASCENT, above), below: Math.max(DESCENT, below) };
  const fonts = new StampFonts(open.engine, open.document);
  const colors = await OwnColors.of(open);
  for (const page of pages.pages) {
    const shown = labels.labels.get(page.index)?.split("\n") ?? [];
    await pages.draw(page, "over", (name) => {
      const rows = shown.map((text, row) => {
        const line = lines.get(text);
        return line && line.glyphs.length > 0 ? place(line, page, row, shown.length, labels, extent, fonts, name) : "";
      });
      return `${colors.fill(labels.color, name)} ${rows.join(" ")}`;
    });
  }
  await fonts.write();
}

function place(
  line: TypesetLine,
  page: StampPage,
  row: number,
  rows: number,
  { vertical, horizontal, size, ...labels }: Labels,
  { above, below }: { readonly above: number; readonly below: number },
  fonts: StampFonts,
  name: NameResource,
): string {
  const margin = labels.margin ?? Math.min(MARGIN.points, MARGIN.part * Math.min(page.width, page.height));
  const room = page.width - (line.width * size) / EM;
  const x = { left: margin, center: room / 2, right: room - margin }[horizontal];
  const lineHeight = (LINE_HEIGHT * size) / EM;
  const y =
    vertical === "top"
      ? page.height - margin - above * size - row * lineHeight
      : margin + below * size + (rows - 1 - row) * lineHeight;
  return showLine(line, size, multiply([1, 0, 0, 1, x, y], page.toPage), fonts, name);
}

/** @throws Refusal `limit_exceeded` */
export function checkLength(text: string): void {
  const actual = Array.from(text).length;
  if (actual > limits.stamps.characters) throw stampTooLong(actual);
}

function checkWork(texts: readonly string[]): void {
  const actual = texts.reduce((sum, { length }) => sum + length, 0);
  if (actual > limits.stamps.charactersSet) throw labelsTooLong(actual);
}

function checkMargin({ index, width, height }: StampPage, margin: number): void {
  const most = Math.min(width, height) / 2;
  if (margin < most) return;
  const issue = `must be less than half of page ${index + 1}: ${Math.floor(most)} points`;
  throw invalidParameter("marginPt", issue);
}
