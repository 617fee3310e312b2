import type { z } from "zod";
import type { ApiError } from "../errors/api-error.ts";
import { invalidFields, shownName } from "../errors/invalid-fields.ts";
import { check } from "../errors/schema-issues.ts";
import { ISSUES_LISTED } from "../../engines/errors.ts";
import type { FieldIssue } from "../../operations/definition/fields.ts";

/** Validates a value; problems are added to `issues` by member: `name`, `scopes.0`. */
export function checkInto<T>(schema: z.ZodType<T>, given: unknown, issues: FieldIssue[]): T | undefined {
  const { value, issues: found } = check(schema, given);
  issues.push(...found.map(({ path, message }) => ({ name: path.join("."), issue: message })));
  return value;
}

/** The 400 for invalid parameters, with all problems in one. */
export function invalidParameters(issues: readonly FieldIssue[]): ApiError {
  return invalidFields(issues.slice(0, ISSUES_LISTED).map(({ name, issue }) => ({ name: shownName(name), issue })));
}
