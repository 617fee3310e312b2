import { nearest } from "../../../client/src/nearest.ts";
import { ApiError } from "./api-error.ts";
import type { FieldIssue } from "../../operations/definition/fields.ts";

/** Longest client-supplied name shown in an error, in characters. */
const SHOWN_NAME = 100;

export const shownName = (name: string): string => (name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name);

/** `issue` of an unknown name, with the one of `names` that may be meant. */
export function unknownIssue(issue: string, name: string, names: readonly string[]): string {
  const near = nearest(shownName(name), names);
  return near === undefined ? issue : `${issue}. Did you mean \`${near}\`?`;
}

/** The 400 for invalid parameters: the message has the first problem, `details.fields` has all of them. */
export function invalidFields(fields: readonly FieldIssue[]): ApiError {
  const [first] = fields;
  const more = fields.length - 1;
  const rest = more > 0 ? ` See \`details.fields\` for ${more} more ${more === 1 ? "problem" : "problems"}.` : "";
  const step = first?.step === undefined ? "" : `Step ${first.step}: `;
  const end = first?.issue.endsWith("?") ? "" : ".";
  const message = first === undefined ? undefined : `${step}\`${first.name}\` ${first.issue}${end}${rest}`;
  return new ApiError("invalid_parameters", message, { details: { fields } });
}
