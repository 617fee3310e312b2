import type { z } from "zod";
import type { Caller } from "../../accounts/caller.ts";
import type { Scope } from "../../accounts/scopes.ts";
import type { Env } from "../../env.ts";
import type { ErrorCode } from "../errors/error-table.ts";
import type { Announce } from "../../events/outbox.ts";

/** The names in braces of a path: `id` of `/keys/{id}`. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown;

/** One call of an endpoint, its parameters checked. */
export interface Call<Path extends string, Query, Body> {
  readonly caller: Caller;
  readonly db: Env["databases"][number];
  readonly webhooks: Env["webhooks"];
  readonly now: Date;
  /** Takes the deliveries that a verb's batch has made of its events. */
  readonly announce: Announce;
  readonly params: ParamsOf<Path>;
  readonly query: Query;
  readonly body: Body;
}

/** A route that takes and answers JSON: what an account does with its own things. */
export interface Endpoint<Path extends string = string, Query = unknown, Body = unknown, Answer = unknown> {
  /** For the reference and for generated clients, such as `createKey`. */
  readonly name: string;
  /** The section of the reference. */
  readonly tag: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below `/api/v1`, ids in braces: `/keys/{id}`. */
  readonly path: Path;
  /** One line for the reference. */
  readonly summary: string;
  /** A paragraph for the reference (Markdown). */
  readonly description: string;
  readonly scope: Scope;
  readonly status: 200 | 201;
  /** What takes the query parameters, each a string or undefined; none are taken where it is not given. */
  readonly query?: z.ZodType<Query>;
  /** What takes the JSON body; an absent body counts as `{}`. */
  readonly body?: z.ZodType<Body>;
  /** What the answer looks like. Members that it does not name are never sent. */
  readonly answer: z.ZodType<Answer>;
  /** Errors beside those that follow from authentication, query and body. */
  readonly errors: readonly ErrorCode[];
  /** Calls a business verb and shapes its result; holds no SQL. */
  handle(call: Call<Path, Query, Body>): Promise<Answer>;
}

export function defineEndpoint<const Path extends string, Query, Body, Answer>(
  endpoint: Endpoint<Path, Query, Body, Answer>,
): Endpoint<Path, Query, Body, Answer> {
  return endpoint;
}
