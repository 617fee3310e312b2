import { csv } from "./csv.ts";
import { docx } from "./docx.ts";
import { epub } from "./epub.ts";
import { fb2 } from "./fb2.ts";
import type { SourceFormat } from "./format.ts";
import { html, xhtml } from "./html.ts";
import { markdown } from "./markdown.ts";
import { ods } from "./ods.ts";
import { odt } from "./odt.ts";
import { rtf } from "./rtf.ts";
import { svg } from "./svg.ts";
import { text } from "./text.ts";
import { xlsx } from "./xlsx.ts";

/** The formats that are converted. Detection asks them in this order; every text is `text`, so that it is the last of its kind. */
export const formats: readonly SourceFormat[] = [
  svg,
  html,
  xhtml,
  fb2,
  csv,
  markdown,
  text,
  docx,
  xlsx,
  ods,
  epub,
  odt,
  rtf,
];
