import type { Hono, MiddlewareHandler } from "hono";
import type { McpTool } from "./tool.ts";
import { identify } from "../http/auth/authorize.ts";
import type { Endpoint } from "../http/endpoints/define.ts";
import { addPath, type AppEnv, cors } from "../http/exchange/exchange.ts";
import { readEnv } from "../env.ts";
import type { Operation } from "../operations/definition/define.ts";
import { originNotAccepted } from "./errors.ts";

/**
 * Mounts the MCP server: Streamable HTTP, stateless. A tool sends its requests to `app` itself, so that keys, scopes, rates, credits,
 * memory, and errors are those of the API.
 */
export function mountMcp(app: Hono<AppEnv>, operations: readonly Operation[], endpoints: readonly Endpoint[]): void {
  let tools: readonly McpTool[] | undefined;
  const route: MiddlewareHandler<AppEnv> = async (c) => {
    // Not with the Worker: its start would wait for 90 ms of CPU time, in which the SDK compiles its schemas.
    const { serve, toolsOf } = await import("./serve.ts");
    tools ??= toolsOf(operations, endpoints);
    return serve(c, app, tools);
  };
  app.use("/mcp", cors);
  addPath(app, "/mcp", { POST: [checkOrigin, identify, route] });
}

/**
 * Rejects requests of pages that a name server could have pointed here (DNS rebinding): such a page has an http origin of its own,
 * because it has no certificate for this host. Clients other than browsers send no Origin.
 */
const checkOrigin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const origin = c.req.header("Origin");
  if (origin !== undefined && !isTrusted(origin, readEnv(c.env).baseUrl)) throw originNotAccepted();
  await next();
};

function isTrusted(origin: string, baseUrl: string): boolean {
  const url = URL.parse(origin);
  if (url === null) return false;
  if (url.protocol !== "http:") return true;
  return url.origin === new URL(baseUrl).origin || ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
}
