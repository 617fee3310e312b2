import { csv } from "./csv.ts";
import { docx } from "./docx.ts";
import type { SourceFormat } from "./format.ts";
import { html, xhtml } from "./html.ts";
import { markdown } from "./markdown.ts";
import { text } from "./text.ts";
import { xlsx } from "./xlsx.ts";

/** The formats that are converted. Detection asks them in this order; every text is `text`, so that it is the last of its kind. */
export const formats: readonly SourceFormat[] = [html, xhtml, csv, markdown, text, docx, xlsx];
