import { type ErrorCode, errorRows, type ErrorRow } from "../errors/error-table.ts";
import { PageRange } from "../../engines/pdf/document/ranges.ts";
import type { Operation } from "../../operations/definition/define.ts";

/** Whether every operation can respond with this error. 405 is the response of its path to other methods. */
export const isOfAllOperations = ({ from, status }: ErrorRow): boolean =>
  (from === "every route" && status !== 405) || from === "authenticated" || from === "operations";

/** The errors that an operation can respond with: those shared by all, those of its kinds of fields, and its own. */
export function errorsOf({ fields, errors = [], steps = [] }: Operation): ErrorCode[] {
  const all = Object.values(fields);
  const takesPdf = all.some((field) => field.kind !== "text" && field.accept.includes("pdf"));
  // Parsing "1" shows whether the field is a page range.
  const hasRange = all.some(
    (field) => field.kind === "text" && [field.schema.safeParse("1").data].flat()[0] instanceof PageRange,
  );
  const own: readonly ErrorCode[] = [...errors, ...steps.flatMap(errorsOf)];
  const applies = (code: ErrorCode, row: ErrorRow): boolean =>
    isOfAllOperations(row) ||
    (row.from === "PDF inputs" && takesPdf) ||
    (row.from === "page ranges" && hasRange) ||
    own.includes(code);
  return errorRows.filter(([code, row]) => applies(code, row)).map(([code]) => code);
}
