import type { z } from "zod";
import { ApiError } from "../errors.ts";
import { limits } from "../../limits.ts";
import type { FieldIssue } from "../../operations/fields.ts";

/** Names of a caller are shown in errors up to this length. */
const SHOWN_NAME = 100;

const shown = (name: string): string => (name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name);

/** What a schema found, by member: `name`, `scopes.0`. */
export function issuesOf(error: z.ZodError): FieldIssue[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ name: [...issue.path, key].join("."), issue: "is not a member of this body" }));
    }
    return [{ name: issue.path.join("."), issue: issue.message }];
  });
}

/** The 400 for a request's parameters, all problems in one. */
export function invalidParameters(issues: readonly FieldIssue[]): ApiError {
  const fields = issues.slice(0, limits.json.issues).map(({ name, issue }) => ({ name: shown(name), issue }));
  const [first] = fields;
  const message =
    issues.length === 1 && first !== undefined
      ? `\`${first.name}\` ${first.issue}.`
      : `${issues.length} problems with the request's parameters; see details.fields.`;
  return new ApiError("invalid_parameters", message, { details: { fields } });
}
