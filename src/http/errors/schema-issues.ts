import { z } from "zod";
import { unknownIssue } from "./invalid-fields.ts";
import { MOST_ISSUES } from "../../operations/definition/values.ts";

/** A problem that a schema found. */
export interface SchemaIssue {
  /** Path within the value; empty for the value itself. */
  readonly path: readonly PropertyKey[];
  /** The problem without its subject: `must be a number`. */
  readonly message: string;
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const list = new Intl.ListFormat("en-US", { type: "disjunction" });
const count = (number: number | bigint): string => number.toLocaleString("en-US");

/** `png, jpeg, or webp`. */
export const oneOf = (values: readonly unknown[]): string => list.format(values.map(String));

/** Problems that the schema finds with a value, in the service's own words: all of them up to `MOST_ISSUES`. */
export function check<T>(schema: z.ZodType<T>, value: unknown): { value?: T; issues: readonly SchemaIssue[] } {
  // The members that an object has, by the list of those that are unknown.
  const members = new Map<readonly string[], readonly string[]>();
  const result = schema.safeParse(value, {
    error(issue) {
      if (issue.code === "unrecognized_keys") members.set(issue.keys, membersOf(issue.inst));
      return wordsFor(issue);
    },
  });
  if (result.success) return { value: result.data, issues: [] };
  const issues = result.error.issues.slice(0, MOST_ISSUES).flatMap((issue): SchemaIssue[] => {
    const { path, message } = issue;
    if (issue.code !== "unrecognized_keys" || message !== UNKNOWN) return [{ path, message }];
    const known = members.get(issue.keys) ?? [];
    return issue.keys
      .slice(0, MOST_ISSUES)
      .map((key) => ({ path: [...path, key], message: unknownIssue(message, key, known) }));
  });
  return { issues: issues.slice(0, MOST_ISSUES) };
}

const UNKNOWN = "is not a known parameter";

const membersOf = (schema: unknown): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape as object) : [];

/** The message for a problem for which the schema has none. zod's own would name its types, not the client's. */
function wordsFor(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${typeWords(issue.expected)}`;
    case "invalid_value":
      return issue.input === undefined ? "is required" : `must be ${oneOf(issue.values)}`;
    case "too_small":
      return `must ${sizeWords("at least", issue.origin, issue.minimum)}`;
    case "too_big":
      return `must ${sizeWords("at most", issue.origin, issue.maximum)}`;
    case "unrecognized_keys":
      return UNKNOWN;
    case "invalid_key":
      return issue.issues[0]?.message ?? "must have another name";
    default:
      return "is not valid";
  }
}

const types: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  map: "an object",
  null: "null",
};
const typeWords = (expected: string): string => types[expected] ?? "of another type";

function sizeWords(bound: string, origin: string, size: number | bigint): string {
  if (origin === "string") return `have ${bound} ${count(size)} ${size === 1 ? "character" : "characters"}`;
  if (origin === "array") return `have ${bound} ${count(size)} ${size === 1 ? "item" : "items"}`;
  return `be ${bound} ${count(size)}`;
}
