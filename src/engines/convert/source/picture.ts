/** The pictures of documents as HTML. */
import type { Work } from "../../work.ts";
import { imageUri } from "./html.ts";
import { escaped, escapedAttribute } from "./markup.ts";
import type { ShownBudget } from "./shown.ts";

export interface PictureContext {
  readonly work: Work;
  readonly shown: ShownBudget;
  readonly notConverted: Set<string>;
}

export interface PictureFacts {
  /** The text for readers who do not see it. */
  readonly alt?: string;
  /** In points. The picture has a size of its own otherwise. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The widest picture in points. */
const WIDEST = 14_400;

/**
 * An `img`. A picture that MuPDF does not decode is replaced by its text, and reported.
 * @throws Refusal `limit_exceeded` (bytes of pictures)
 */
export function pictureHtml(
  { work, shown, notConverted }: PictureContext,
  bytes: Uint8Array,
  { alt = "", width, height }: PictureFacts = {},
): string {
  shown.picture(bytes.length);
  const uri = imageUri(bytes);
  if (uri === undefined) {
    notConverted.add("unsupported-images");
    return shown.added(escaped(alt));
  }
  work.spend(uri.length);
  const fits = width !== undefined && height !== undefined && width > 0 && height > 0 && width < WIDEST;
  return `<img src="${uri}" alt="${escapedAttribute(alt)}"${fits ? ` style="width:${width.toFixed(1)}pt;height:${height.toFixed(1)}pt"` : ""}>`;
}
