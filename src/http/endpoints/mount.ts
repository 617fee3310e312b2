import type { Context, Hono, MiddlewareHandler } from "hono";
import type { z } from "zod";
import { type Endpoint, scopesOfEndpoint } from "./define.ts";
import { checkInto, invalidParameters } from "./issues.ts";
import { readJson } from "./json-body.ts";
import { authorize } from "../auth/authorize.ts";
import { enqueuerOf } from "../exchange/enqueue-deliveries.ts";
import { addPath, type AppEnv } from "../exchange/exchange.ts";
import { boundaryOf } from "../multipart/multipart.ts";
import { readEnv } from "../../env.ts";
import type { FieldIssue } from "../../operations/definition/fields.ts";

/** Mounts every endpoint of the registry, grouping the methods of a path. */
export function mountEndpoints(app: Hono<AppEnv>, endpoints: readonly Endpoint[]): void {
  for (const [path, methods] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const handlers = methods.map((endpoint) => [
      endpoint.method,
      [...authorize(...scopesOfEndpoint(endpoint)), route(endpoint)],
    ]);
    addPath(app, `/api/v1${path}`, Object.fromEntries(handlers));
  }
}

function route(endpoint: Endpoint): MiddlewareHandler<AppEnv> {
  return async (c) => {
    const { webhooks, files } = readEnv(c.env);
    const issues: FieldIssue[] = [];
    const query = readQuery(c, endpoint, issues);
    const body = takesJson(c, endpoint) ? await readJson(c, endpoint.body, issues) : undefined;
    if (issues.length > 0) throw invalidParameters(issues);
    const handled = endpoint.handle({
      caller: c.get("caller"),
      db: c.get("database"),
      webhooks,
      files,
      now: new Date(),
      enqueue: enqueuerOf(c),
      params: c.req.param(),
      query,
      body,
      context: c,
    });
    // If the client disconnects in the middle of its body, the runtime stops everything outside `waitUntil`.
    if (endpoint.upload !== undefined) c.executionCtx.waitUntil(handled.catch(() => {}));
    const result = await handled;
    if (result instanceof Response) return result;
    // The schema drops undeclared members, so nothing undocumented is sent.
    return c.json(endpoint.response.parse(result), endpoint.status, { "Cache-Control": "no-store" });
  };
}

/** Whether to read the request's body as JSON, and not leave it to the endpoint. */
function takesJson<E extends Endpoint>(c: Context<AppEnv>, endpoint: E): endpoint is E & { body: z.ZodType } {
  const { body, upload } = endpoint;
  const isForm = boundaryOf(c.req.header("Content-Type") ?? null) !== undefined;
  return body !== undefined && !(isForm && upload?.type === "multipart/form-data");
}

function readQuery(c: Context<AppEnv>, { query }: Endpoint, issues: FieldIssue[]): unknown {
  const known = query !== undefined && "shape" in query ? Object.keys(query.shape as object) : [];
  const values: Record<string, string> = {};
  // Others are ignored: proxies and clients add their own.
  for (const name of known) {
    const all = c.req.queries(name) ?? [];
    if (all.length > 1) issues.push({ name, issue: `was sent ${all.length} times` });
    else if (all[0] !== undefined) values[name] = all[0];
  }
  return query && checkInto(query, values, issues);
}
