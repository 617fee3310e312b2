import type { Context } from "hono";
import { z } from "zod";
import type { ErrorCode } from "../errors/error-table.ts";
import type { AppEnv } from "../exchange/exchange.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Scope } from "../../accounts/scopes.ts";
import type { Env } from "../../env.ts";
import type { Enqueue } from "../../events/outbox.ts";

/** The names in braces of a path: `id` of `/keys/{id}`. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown;

/** One request to an endpoint, its parameters checked. */
export interface Call<Path extends string, Query, Body> {
  readonly caller: Caller;
  readonly db: Env["databases"][number];
  readonly webhooks: Env["webhooks"];
  readonly files: Env["files"];
  readonly now: Date;
  /** Enqueues the deliveries of the events that a verb emits. */
  readonly enqueue: Enqueue;
  readonly params: ParamsOf<Path>;
  readonly query: Query;
  readonly body: Body;
  /** For an endpoint that reads a body other than JSON, or sends a file. */
  readonly context: Context<AppEnv>;
}

/** A body other than JSON, which `handle` reads itself. */
export interface Upload {
  /** Bytes are accepted whatever their type. */
  readonly type: "multipart/form-data" | "application/octet-stream";
  readonly description: string;
  /** The fields of a form besides `file`. */
  readonly fields?: z.ZodObject;
}

/** The `response` of an endpoint that sends a stored file. */
export const fileResponse = z.instanceof(Response);

/** The `response` of an endpoint that sends what an operation would have sent. */
export const resultResponse = z.instanceof(Response);

/** A route for managing an account's own objects. Bodies are JSON by default. */
export interface Endpoint<Path extends string = string, Query = unknown, Body = unknown, Result = unknown> {
  /** For the reference and for generated clients, such as `createKey`. */
  readonly name: string;
  /** The section of the reference. */
  readonly tag: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/v1`, ids in braces: `/keys/{id}`. */
  readonly path: Path;
  /** One line for the reference. */
  readonly summary: string;
  /** A paragraph for the reference (Markdown). */
  readonly description: string;
  /** The scope of the key, or several of which it needs one. */
  readonly scope: Scope | readonly [Scope, ...Scope[]];
  readonly status: 200 | 201 | 202;
  /** The schema of the query parameters, each a string or undefined. Without it, the endpoint has none. */
  readonly query?: z.ZodType<Query>;
  /** The schema of the JSON body; a missing body counts as `{}`. */
  readonly body?: z.ZodType<Body>;
  /** With `body`: the other type that it takes. `body` is then undefined if a request has that type. */
  readonly upload?: Upload;
  /** The response body. Members that are not in the schema are never sent. */
  readonly response: z.ZodType<Result>;
  /** Errors in addition to those implied by authentication, query and body. */
  readonly errors: readonly ErrorCode[];
  /** Calls a business verb and shapes its result; contains no SQL. */
  handle(call: Call<Path, Query, Body>): Promise<Result>;
}

/** The scopes of which a key needs one. */
export const scopesOfEndpoint = ({ scope }: Pick<Endpoint, "scope">): readonly [Scope, ...Scope[]] =>
  typeof scope === "string" ? [scope] : scope;

export function defineEndpoint<const Path extends string, Query, Body, Result>(
  endpoint: Endpoint<Path, Query, Body, Result>,
): Endpoint<Path, Query, Body, Result> {
  return endpoint;
}
