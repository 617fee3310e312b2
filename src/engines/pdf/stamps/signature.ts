/** A signature in a box on one page, with lines of text below it. */
import { invalidParameter } from "../../errors.ts";
import type { PageBox } from "../../geometry.ts";
import type { OpenPdf } from "../document/document.ts";
import { OwnColors } from "../conformance/own-colors.ts";
import { MARK_SIZE } from "./ink.ts";
import type { StampMark } from "./mark.ts";
import { type StampPage, StampPages } from "../content/page-content.ts";
import { boxOn, misplaced, pageIssue, type ShownBox, touches } from "../content/shown-box.ts";
import { type NameResource, numbers } from "../content/operands.ts";

/** Preferred font size of the footer in points, and the largest fraction of the box height it may take. */
const FOOTER_SIZE = 8;
const FOOTER_PART = 0.4;
/** Space between signature and footer, as a fraction of the footer's height. */
const GAP = 0.15;

/** The page of a field, and its box: left, bottom, right, top in points, y up. */
export interface SignaturePlace {
  readonly pages: StampPages;
  readonly page: StampPage;
  readonly box: PageBox;
}

/**
 * Locates a signature field.
 * @throws Refusal `invalid_parameters` if the document has no such page or the box does not touch it; `limit_exceeded` if the
 *   contents of the page are too large to read
 */
export async function signaturePlace(open: OpenPdf, field: ShownBox): Promise<SignaturePlace> {
  const issue = pageIssue(field, open.pageCount);
  if (issue !== undefined) throw invalidParameter("field", issue);
  const pages = await StampPages.of(open, [field.page - 1], "over");
  const [page] = pages.pages;
  if (!page) throw new Error("the page of the signature is missing");
  if (!touches(page, field)) throw misplaced("field", page, field);
  return { pages, page, box: boxOn(page, field) };
}

/** Adds room for hairlines to a text mark: its ink is measured in pixels, which may miss their ends. */
export function withHairlines({ form, ink: [left, bottom, right, top] }: StampMark): StampMark {
  const room = Math.max(3, (right - left) / 500);
  return { form, ink: [left - room, bottom - room, right + room, top + room] };
}

/** Draws a signature as large as fits in its box, with the footer at the bottom of the box. */
export async function stampSignature(
  open: OpenPdf,
  { pages, page, box }: SignaturePlace,
  signature: StampMark,
  footer: StampMark | undefined,
): Promise<void> {
  const [left, bottom, right, top] = box;
  const lowest = footer ? bottom + FOOTER_PART * (top - bottom) : bottom;
  const below = footer && contained(footer, [left, bottom, right, lowest], FOOTER_SIZE / MARK_SIZE, "bottom");
  const floor = below ? bottom + (1 + GAP) * below.height : bottom;
  const above = contained(signature, [left, floor, right, top]);
  if (signature.isBlended) (await OwnColors.of(open)).blend(page.object);
  await pages.draw(page, "over", (name) =>
    [
      `${numbers(...page.toPage)} cm`,
      // Clips anything the measured ink missed.
      `${numbers(left, bottom, right - left, top - bottom)} re W n`,
      show(signature, above, name),
      ...(footer && below ? [show(footer, below, name)] : []),
    ].join(" "),
  );
}

export interface Contained {
  readonly scale: number;
  /** Position of the form's origin. */
  readonly x: number;
  readonly y: number;
  /** Points. */
  readonly height: number;
}

/** Scaled to the box and placed in its center or at its bottom. */
export function contained(
  { ink }: StampMark,
  box: PageBox,
  largest = Infinity,
  vertical: "middle" | "bottom" = "middle",
): Contained {
  const [width, height] = [ink[2] - ink[0], ink[3] - ink[1]];
  const scale = Math.min((box[2] - box[0]) / width, (box[3] - box[1]) / height, largest);
  const room = vertical === "bottom" ? 0 : (box[3] - box[1] - height * scale) / 2;
  const x = (box[0] + box[2] - (ink[0] + ink[2]) * scale) / 2;
  return { scale, x, y: box[1] + room - ink[1] * scale, height: height * scale };
}

export function show({ form }: StampMark, { scale, x, y }: Contained, name: NameResource): string {
  // A long line is thousands of units wide, so four decimals of scale would shift its end.
  const factor = scale.toFixed(8);
  return `q 1 0 0 1 ${numbers(x, y)} cm ${factor} 0 0 ${factor} 0 0 cm /${name("XObject", form)} Do Q`;
}
