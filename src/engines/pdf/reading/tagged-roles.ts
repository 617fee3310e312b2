/** How structure elements are read (ISO 32000-2, 14.8.4). */
import type { Tag } from "../tags/tag.ts";

/** Elements with a text of their own, separate from the text before and after it. */
const TEXTS = new Set(["P", "H", "Title", "Caption", "Note", "FENote", "TOCI", "Code"]);
/** Elements that hold such. */
const GROUPS = new Set([
  "Document",
  "DocumentFragment",
  "Part",
  "Art",
  "Sect",
  "Div",
  "Aside",
  "BlockQuote",
  "TOC",
  "Index",
  "L",
  "LI",
  "LBody",
  "Table",
  "THead",
  "TBody",
  "TFoot",
  "TR",
  "TD",
  "TH",
  "Figure",
]);
const HEADING = /^H([1-9]\d?)$/;
const DEEPEST = 6;

/** The level of a heading; undefined for any other element. `depth`: of the sections that it is in. */
export function levelOf({ role }: Tag, depth: number): number | undefined {
  if (role === "Title") return 1;
  if (role === "H") return Math.min(Math.max(depth, 1), DEEPEST);
  const level = HEADING.exec(role)?.[1];
  return level === undefined ? undefined : Math.min(Number(level), DEEPEST);
}

export const isSection = ({ role }: Tag): boolean => role === "Part" || role === "Art" || role === "Sect";

/** Whether an element has a text separate from its surroundings. Others are part of a line, unless they contain such elements. */
export const isBlock = (tag: Tag): boolean =>
  TEXTS.has(tag.role) ||
  GROUPS.has(tag.role) ||
  HEADING.test(tag.role) ||
  tag.kids.some((kid) => isTag(kid) && isBlock(kid));

export const isTextTag = ({ role }: Tag): boolean => (TEXTS.has(role) && role !== "Code") || HEADING.test(role);

export const isTag = (kid: Tag | number): kid is Tag => typeof kid !== "number";

/** Roles that describe more of a page than the beginnings of paragraphs. */
const TELLING = /^(?:H\d*|Title|L|Table|TOC|Code)$/;

/** Whether tags mark only the beginnings of paragraphs: a page that resembles a table may have one. */
export const isBare = ({ role, kids }: Tag): boolean =>
  !TELLING.test(role) && kids.every((kid) => !isTag(kid) || isBare(kid));
