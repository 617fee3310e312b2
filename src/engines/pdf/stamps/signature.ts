/** What a person puts in a box of one page: a signature, and lines of text below it. */
import { Refusal } from "../../errors.ts";
import type { OpenPdf } from "../document/document.ts";
import type { Box } from "../document/page-facts.ts";
import { MARK_SIZE } from "./ink.ts";
import type { Mark } from "./mark.ts";
import { type StampPage, StampPages } from "../content/page-content.ts";
import { type NameResource, numbers } from "../content/operands.ts";

/** Points of the page as it is shown. */
export interface SignatureField {
  /** From 1. */
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The corner of the page that `x` and `y` are measured from, to the same corner of the box. */
  readonly origin: "top-left" | "bottom-left";
}

/** The font size of the footer where it has room, in points, and the part of the box's height that it takes at most. */
const FOOTER_SIZE = 8;
const FOOTER_PART = 0.4;
/** Between signature and footer, in parts of the footer's height. */
const GAP = 0.15;
/** Points that a box may stand out by: page sizes are told with two decimals. */
const TOLERANCE = 0.01;

/** The page that a field names, and the box there: left, bottom, right, top in points, upwards. */
export interface SignaturePlace {
  readonly pages: StampPages;
  readonly page: StampPage;
  readonly box: Box;
}

/** What is wrong with the page of a field, or undefined. */
export function pageIssue({ page }: SignatureField, pageCount: number): string | undefined {
  return page > pageCount ? `is invalid: \`page\` must be at most ${pageCount}, the last page` : undefined;
}

/**
 * Finds where a signature belongs.
 * @throws Refusal `invalid_parameters` where the document has no such page or the box does not lie on it; `limit_exceeded`
 * where the page's contents are too large to be read
 */
export async function signaturePlace(open: OpenPdf, field: SignatureField): Promise<SignaturePlace> {
  const issue = pageIssue(field, open.pageCount);
  if (issue !== undefined) throw refused(issue);
  const pages = await StampPages.of(open, [field.page - 1], "over");
  const [page] = pages.pages;
  if (!page) throw new Error("the page of the signature is missing");
  const { x, y, width, height, origin } = field;
  const outside =
    Math.min(x, y) < -TOLERANCE || x + width > page.width + TOLERANCE || y + height > page.height + TOLERANCE;
  if (outside) {
    const size = `${round(page.width)} x ${round(page.height)} points`;
    const given = `x ${x}, y ${y}, width ${width}, height ${height}`;
    throw refused(`is invalid: the box (${given}) must lie on page ${field.page} (${size})`);
  }
  const bottom = origin === "bottom-left" ? y : page.height - y - height;
  return { pages, page, box: [x, bottom, x + width, bottom + height] };
}

/** A mark of text with the room that hairlines need: its ink is found in pixels, which may miss their ends. */
export function withHairlines({ form, ink: [left, bottom, right, top] }: Mark): Mark {
  const room = Math.max(3, (right - left) / 500);
  return { form, ink: [left - room, bottom - room, right + room, top + room] };
}

/** Draws a signature as large as its box holds it, the footer at the bottom of the box. */
export function stampSignature({ pages, page, box }: SignaturePlace, signature: Mark, footer: Mark | undefined): void {
  const [left, bottom, right, top] = box;
  const lowest = footer ? bottom + FOOTER_PART * (top - bottom) : bottom;
  const below = footer && contained(footer, [left, bottom, right, lowest], FOOTER_SIZE / MARK_SIZE, "bottom");
  const floor = below ? bottom + (1 + GAP) * below.height : bottom;
  const above = contained(signature, [left, floor, right, top]);
  pages.draw(page, "over", (name) =>
    [
      `${numbers(...page.toPage)} cm`,
      // Whatever the ink's box should miss must not stand outside.
      `${numbers(left, bottom, right - left, top - bottom)} re W n`,
      show(signature, above, name),
      ...(footer && below ? [show(footer, below, name)] : []),
    ].join(" "),
  );
}

interface Contained {
  readonly scale: number;
  /** Where the origin of the form comes to stand. */
  readonly x: number;
  readonly y: number;
  /** Points. */
  readonly height: number;
}

/** As large as the box allows, in the middle of it or at its bottom. */
function contained({ ink }: Mark, box: Box, largest = Infinity, vertical: "middle" | "bottom" = "middle"): Contained {
  const [width, height] = [ink[2] - ink[0], ink[3] - ink[1]];
  const scale = Math.min((box[2] - box[0]) / width, (box[3] - box[1]) / height, largest);
  const room = vertical === "bottom" ? 0 : (box[3] - box[1] - height * scale) / 2;
  const x = (box[0] + box[2] - (ink[0] + ink[2]) * scale) / 2;
  return { scale, x, y: box[1] + room - ink[1] * scale, height: height * scale };
}

function show({ form }: Mark, { scale, x, y }: Contained, name: NameResource): string {
  // A long line is thousands of units wide: four decimals of its scale would move its end.
  const factor = scale.toFixed(8);
  return `q 1 0 0 1 ${numbers(x, y)} cm ${factor} 0 0 ${factor} 0 0 cm /${name("XObject", form)} Do Q`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

const refused = (issue: string): Refusal =>
  new Refusal("invalid_parameters", `\`field\` ${issue}.`, { fields: [{ name: "field", issue }] });
