/** Formats page numbers. */
import { numberedText, numberIssue, type NumberStyle } from "../../../page-numbers.ts";
import { invalidParameter } from "../../errors.ts";

/**
 * The text of a page number by its template.
 * @throws Refusal `invalid_parameters` naming `startAt` if a number cannot be written in the style
 */
export function pageNumber(template: string, style: NumberStyle, number: number, total: number): string {
  const issue = numberIssue(template, style, number);
  if (issue !== undefined) throw invalidParameter("startAt", issue);
  return numberedText(template, style, number, total);
}
