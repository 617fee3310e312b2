/** Where a content is, and what gives its colors their meaning. */
import type { ColorPlace } from "./color-spaces.ts";

export interface ContentPlace extends ColorPlace {
  /** Contents that this one is within. */
  readonly depth: number;
}
