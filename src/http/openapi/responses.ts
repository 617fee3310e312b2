import { z } from "zod";
import { errorsOf, isOfAllOperations } from "./operation-errors.ts";
import { type ErrorCode, errorRows } from "../errors/error-table.ts";
import { responseHeaders } from "../exchange/headers.ts";
import type { Operation } from "../../operations/definition/define.ts";

export type Json = Readonly<Record<string, unknown>>;
type Row = (typeof errorRows)[number][1];
type Access = "authenticated" | "public";

/** Headers of every response. */
export const everyHeaders = ["X-Request-Id", "traceparent"];
/** Headers of every response to an authenticated request. */
export const rateHeaders = ["RateLimit-Policy", "RateLimit"];
/** Headers that only errors carry, by status. */
const errorHeaders: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  409: ["Retry-After"],
  416: ["Accept-Ranges", "Content-Range"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};
export const describedHeaders: Readonly<Record<string, string>> = {
  ...responseHeaders,
  "WWW-Authenticate": "`Bearer`: the authentication scheme.",
  Allow: "The methods that the path supports.",
};

/** A JSON response. `headers`: those that it has beside those of every response. */
export const jsonResponse = (text: string, schema: Json, headers: readonly string[] = []): Json => ({
  description: text,
  headers: headerRefs([...everyHeaders, ...headers]),
  content: { "application/json": { schema } },
});

/** One response per status, with the codes it can carry, named by prefix and status. `access`: whether they need an API key. */
export function errorResponses(prefix: string, access: Access, applies: (row: Row) => boolean): Json {
  const responses = Object.entries(
    responsesOf(
      errorRows.filter(([, row]) => applies(row)),
      access,
    ),
  );
  return Object.fromEntries(responses.map(([status, response]) => [`${prefix}${status}`, response]));
}

/** The error responses of a route by status: authentication plus the given codes. */
export function routeErrors(codes: readonly ErrorCode[]): Json {
  return responsesOf(
    errorRows.filter(([code, { from }]) => from === "authenticated" || codes.includes(code)),
    "authenticated",
  );
}

/** The error responses of an operation by status. Those shared by all operations are defined once. */
export function operationErrors(operation: Operation): Json {
  const codes = errorsOf(operation);
  const own = Map.groupBy(
    errorRows.filter(([code]) => codes.includes(code)),
    ([, { status }]) => status,
  );
  return Object.fromEntries(
    Array.from(own, ([status, rows]) => {
      const shared = rows.every(([, row]) => isOfAllOperations(row));
      return [
        status,
        shared ? { $ref: `#/components/responses/Operation${status}` } : errorResponse(status, rows, "authenticated"),
      ];
    }),
  );
}

function responsesOf(rows: typeof errorRows, access: Access): Json {
  const byStatus = Map.groupBy(rows, ([, row]) => row.status);
  return Object.fromEntries(Array.from(byStatus, ([status, same]) => [status, errorResponse(status, same, access)]));
}

function errorResponse(status: number, rows: typeof errorRows, access: Access): Json {
  // Without a valid key, there is no account whose requests are counted.
  const isCounted = access === "authenticated" && status !== 401;
  return {
    description: rows.map(([code, row]) => `\`${code}\`: ${row.title}. ${row.when}${detailsOf(row)}`).join("\n\n"),
    headers: headerRefs([...everyHeaders, ...(errorHeaders[status] ?? []), ...(isCounted ? rateHeaders : [])]),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(
          rows.map(([code, row]) => [code, { value: { error: { code, message: `${row.title}.` } } }]),
        ),
      },
    },
  };
}

const detailsOf = ({ details }: Row): string =>
  details === undefined ? "" : ` \`details\`: ${details.map((member) => `\`${member}\``).join(", ")}.`;

export function responseRefs(prefix: string, applies: (row: Row) => boolean): Json {
  const statuses = new Set(errorRows.filter(([, row]) => applies(row)).map(([, row]) => row.status));
  return Object.fromEntries(
    Array.from(statuses, (status) => [String(status), { $ref: `#/components/responses/${prefix}${status}` }]),
  );
}

export function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "output" });
  return rest;
}
