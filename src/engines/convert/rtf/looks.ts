/** The looks of runs and paragraphs of Rich Text. */

export interface RunLook {
  readonly b: boolean;
  readonly i: boolean;
  readonly ul: boolean;
  readonly strike: boolean;
  readonly caps: boolean;
  readonly hidden: boolean;
  readonly position: "sub" | "sup" | undefined;
  /** In points. */
  readonly size: number | undefined;
  /** Its number in the table of fonts. */
  readonly font: number | undefined;
  readonly family: string | undefined;
  readonly color: string | undefined;
  readonly background: string | undefined;
  readonly link: string | undefined;
}

export const PLAIN_RUN: RunLook = {
  b: false,
  i: false,
  ul: false,
  strike: false,
  caps: false,
  hidden: false,
  position: undefined,
  size: undefined,
  font: undefined,
  family: undefined,
  color: undefined,
  background: undefined,
  link: undefined,
};

/** Lengths in points. */
export interface ParagraphLook {
  readonly align: string | undefined;
  readonly left: number;
  readonly right: number;
  readonly first: number;
  readonly before: number;
  readonly after: number;
  readonly heading: number | undefined;
  readonly inTable: boolean;
  readonly rightToLeft: boolean;
}

export const PLAIN_PARAGRAPH: ParagraphLook = {
  align: undefined,
  left: 0,
  right: 0,
  first: 0,
  before: 0,
  after: 0,
  heading: undefined,
  inTable: false,
  rightToLeft: false,
};
