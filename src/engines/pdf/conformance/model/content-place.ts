/** Where a content is, and what gives its colors their meaning. */
import { type Plain, PlainName } from "../../objects/plain-values.ts";
import type { ColorPlace } from "./color-spaces.ts";

/** The color spaces in which a content paints until it sets others. */
export interface InitialSpaces {
  readonly fill: Plain;
  readonly stroke: Plain;
}

const GRAY = new PlainName("DeviceGray");
/** Of a page, an appearance, or a pattern. A form and a glyph have those of the content that shows them. */
export const INITIAL_SPACES: InitialSpaces = { fill: GRAY, stroke: GRAY };

export interface ContentPlace extends ColorPlace {
  /** Contents that this one is within. */
  readonly depth: number;
  readonly initial: InitialSpaces;
  /** `StructParents` of the page or form. */
  readonly structParents: number | undefined;
}
