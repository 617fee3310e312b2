import type { CallToolResult } from "@modelcontextprotocol/server";
import { isObject, type Json } from "./tool.ts";
import type { ApiError } from "../http/errors/api-error.ts";

/** What a caller of a tool may need to correct its parameters. */
export interface ToolHints {
  /** The schema of its parameters, by name. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Parameters that work. */
  readonly example?: Json | undefined;
  /** The name of the parameter that a form field comes from: `files[2]` for `file2`. */
  nameOf(field: string): string;
}

/** An error as the result of a tool, with the problem, the allowed values, and a working example, so that a model can correct its call. */
export function failure(error: ApiError, hints?: ToolHints): CallToolResult {
  const { code, headers } = error;
  const details = hints === undefined ? error.details : renamed(error.details, hints);
  const fields = (Array.isArray(details?.["fields"]) ? details["fields"] : []).filter(isObject);
  const named = fields.map((field) => String(field["name"]));
  const lines = [
    // The fields have the same facts, under the names of the parameters.
    `${code}: ${fields.length > 0 ? "The parameters are invalid." : error.message}`,
    ...fields.map(({ name, issue, step }) => `- \`${name}\`${step === undefined ? "" : ` of step ${step}`} ${issue}.`),
    ...allowed(named, hints),
    ...(code === "invalid_parameters" && hints?.example ? [`Example: ${JSON.stringify(hints.example)}`] : []),
    ...(headers["Retry-After"] ? [`Retry after ${headers["Retry-After"]} seconds.`] : []),
    ...(headers["X-Request-Id"] ? [`Request ID: ${headers["X-Request-Id"]}`] : []),
  ];
  return {
    isError: true,
    content: [{ type: "text", text: lines.join("\n") }],
    _meta: { error: { code, message: error.message, ...(details && { details }) } },
  };
}

/** The schemas of the parameters that are wrong, once each. */
function allowed(named: readonly string[], hints: ToolHints | undefined): string[] {
  const names = new Set(named.map((name) => name.replace(/\[.*$/, "")));
  return Array.from(names).flatMap((name) => {
    if (hints === undefined || !Object.hasOwn(hints.properties, name)) return [];
    return [`\`${name}\` takes ${JSON.stringify(hints.properties[name])}`];
  });
}

/** Details with the names of parameters where the API has those of form fields. */
function renamed(details: ApiError["details"], { nameOf }: ToolHints): ApiError["details"] {
  if (details === undefined) return undefined;
  const { fields } = details;
  return {
    ...details,
    ...Object.fromEntries(
      ["field", "input"].flatMap((key) => (typeof details[key] === "string" ? [[key, nameOf(details[key])]] : [])),
    ),
    ...(Array.isArray(fields) && {
      fields: fields.map((field: unknown) =>
        isObject(field) && typeof field["name"] === "string" ? { ...field, name: nameOf(field["name"]) } : field,
      ),
    }),
  };
}
