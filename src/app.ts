import { Hono } from "hono";
import { telemetryIn } from "./http/admission/telemetry.ts";
import { cachedDocument } from "./http/exchange/cached-document.ts";
import { endpoints } from "./http/endpoints/index.ts";
import { ready } from "./http/endpoints/ready.ts";
import { limitsOf } from "./http/endpoints/server-limits.ts";
import { mountEndpoints } from "./http/endpoints/mount.ts";
import { addPath, respondWithError, type AppEnv, cors, exchange } from "./http/exchange/exchange.ts";
import { mountOperations } from "./http/operations/mount.ts";
import { mountMcp } from "./mcp/index.ts";
import { describeApi } from "./http/openapi/openapi.ts";
import type { Operation } from "./operations/definition/define.ts";
import { pipelineOf } from "./operations/pipeline.ts";
import { missingPage, mountSite } from "./site/index.ts";
import { version } from "./version.ts";
import { noSuchPath } from "./http/errors/request-errors.ts";

/** Builds the service from a registry of operations: its middleware in order, then its routes. */
export function createApp(operations: readonly Operation[]): Hono<AppEnv> {
  // A slash at the end of a path makes no difference.
  const app = new Hono<AppEnv>({ strict: false });
  app.onError(respondWithError);
  app.notFound(async (c) => (await missingPage(c)) ?? respondWithError(noSuchPath(), c));

  app.use(exchange(telemetryIn));
  app.use("/api/*", cors);

  addPath(app, "/api/v1/health", { GET: [async (c) => c.json({ status: "ok", version })] });
  addPath(app, "/api/v1/ready", { GET: [ready] });
  const all = [...operations, pipelineOf(operations)];
  const describe = (baseUrl: string) => describeApi(all, endpoints, baseUrl);
  const description = cachedDocument("application/json", ({ baseUrl }) => JSON.stringify(describe(baseUrl)));
  addPath(app, "/api/v1/openapi.json", { GET: [(c) => description(c)] });
  const figures = cachedDocument("application/json", (env) => JSON.stringify(limitsOf(all, env)));
  addPath(app, "/api/v1/limits", { GET: [(c) => figures(c)] });
  mountOperations(app, all);
  mountEndpoints(app, endpoints);
  mountMcp(app, all, endpoints);
  mountSite(app, describe);
  return app;
}
