import type { Context, Hono, MiddlewareHandler } from "hono";
import type { Endpoint } from "./define.ts";
import { checkInto, invalidParameters } from "./issues.ts";
import { readJson } from "./json-body.ts";
import { authorize } from "../auth/authorize.ts";
import { enqueuerOf } from "../exchange/enqueue-deliveries.ts";
import { addPath, type AppEnv } from "../exchange/exchange.ts";
import { readEnv } from "../../env.ts";
import type { FieldIssue } from "../../operations/fields.ts";

/** Mounts every endpoint of the registry, grouping the methods of a path. */
export function mountEndpoints(app: Hono<AppEnv>, endpoints: readonly Endpoint[]): void {
  for (const [path, methods] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const handlers = methods.map((endpoint) => [endpoint.method, [...authorize(endpoint.scope), route(endpoint)]]);
    addPath(app, `/api/v1${path}`, Object.fromEntries(handlers));
  }
}

function route(endpoint: Endpoint): MiddlewareHandler<AppEnv> {
  return async (c) => {
    const issues: FieldIssue[] = [];
    const query = readQuery(c, endpoint, issues);
    const body = endpoint.body === undefined ? undefined : await readJson(c, endpoint.body, issues);
    if (issues.length > 0) throw invalidParameters(issues);
    const result = await endpoint.handle({
      caller: c.get("caller"),
      db: c.get("database"),
      webhooks: readEnv(c.env).webhooks,
      now: new Date(),
      enqueue: enqueuerOf(c),
      params: c.req.param(),
      query,
      body,
    });
    // The schema drops undeclared members, so nothing undocumented is sent.
    return c.json(endpoint.response.parse(result), endpoint.status, { "Cache-Control": "no-store" });
  };
}

function readQuery(c: Context<AppEnv>, { query }: Endpoint, issues: FieldIssue[]): unknown {
  const given = c.req.queries();
  const known = query !== undefined && "shape" in query ? Object.keys(query.shape as object) : [];
  const values: Record<string, string> = {};
  for (const [name, all] of Object.entries(given)) {
    if (!known.includes(name)) issues.push({ name, issue: "is not a known query parameter" });
    else if (all.length > 1) issues.push({ name, issue: `was sent ${all.length} times` });
    else values[name] = all[0] ?? "";
  }
  return query && checkInto(query, values, issues);
}
