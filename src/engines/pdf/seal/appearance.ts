/** The appearance of a visible signature: a form as large as its box (ISO 32000-2, 12.5.5). */
import type { PDFObject } from "mupdf";
import type { Matrix, PageBox } from "../../geometry.ts";
import type { OpenPdf } from "../document/document.ts";
import { numbers } from "../content/operands.ts";
import { MARK_SIZE } from "../stamps/ink.ts";
import { makeForm, type StampMark } from "../stamps/mark.ts";
import { contained, show } from "../stamps/signature.ts";

/** Space around the contents, as a fraction of the shorter side. */
const PADDING = 0.06;
/** The part of the width that an image takes next to a text. */
const IMAGE_PART = 0.4;
/** Largest font size of the text, in points. */
const TEXT_SIZE = 14;

export interface SealLook {
  readonly text?: StampMark;
  readonly image?: StampMark;
}

/**
 * Draws the contents upright, as the page is shown.
 * @param size width and height of the box in points, as shown
 * @param toPage maps points as shown to units of the page; its translation does not matter
 */
export function sealAppearance(
  open: OpenPdf,
  [width, height]: readonly [number, number],
  [a, b, c, d]: Matrix,
  { text, image }: SealLook,
): PDFObject {
  const padding = PADDING * Math.min(width, height);
  const inner: PageBox = [padding, padding, width - padding, height - padding];
  const middle = padding + (width - 2 * padding) * IMAGE_PART;
  const both = text !== undefined && image !== undefined;
  const imageBox: PageBox = both ? [inner[0], inner[1], middle - padding / 2, inner[3]] : inner;
  const textBox: PageBox = both ? [middle + padding / 2, inner[1], inner[2], inner[3]] : inner;
  return makeForm(
    open,
    [0, 0, width, height],
    (name) =>
      [
        `0 0 ${numbers(width, height)} re W n`,
        ...(image ? [show(image, contained(image, imageBox), name)] : []),
        ...(text ? [show(text, contained(text, textBox, TEXT_SIZE / MARK_SIZE), name)] : []),
      ].join(" "),
    { Matrix: [a, b, c, d, 0, 0] },
  );
}
