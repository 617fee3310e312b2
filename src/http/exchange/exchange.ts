import type { Context, Hono, MiddlewareHandler } from "hono";
import { responseHeaders } from "./headers.ts";
import { observe, type TelemetryIn } from "./observe.ts";
import { RequestLog } from "./request-log.ts";
import { asApiError } from "../errors/api-error.ts";
import { oneOf } from "../errors/schema-issues.ts";
import { discardRest } from "../multipart/body.ts";
import type { CreditStanding, RateStanding } from "../../accounts/authentication.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Reservation } from "../../billing/reservation.ts";
import { hex } from "../../bytes/hex.ts";
import type { Env } from "../../env.ts";
import { BrokenBody, methodNotAllowed } from "../errors/request-errors.ts";

/** The context that Hono carries through a request. */
export interface AppEnv {
  Bindings: object;
  Variables: {
    log: RequestLog;
    /** Set by `authorize`, like those below. */
    caller: Caller;
    /** The database of the caller's account. */
    database: Env["databases"][number];
    rate: RateStanding;
    credits: CreditStanding;
    /** Credits that were reserved when the sender was identified, until they are used or released. */
    reservation: Reservation | undefined;
  };
}

const SUFFIX_BYTES = 16;

const newRequestId = (): string => `req_${hex(crypto.getRandomValues(new Uint8Array(SUFFIX_BYTES)))}`;

/** The outermost middleware: sets the request ID on every response and writes the request's log line. */
export const exchange =
  (telemetryIn: TelemetryIn): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const arrived = {
      traceparent: c.req.header("traceparent"),
      bindings: c.env,
      waitUntil: (promise: Promise<unknown>) => c.executionCtx.waitUntil(promise),
    };
    const log = new RequestLog(newRequestId(), c.req.method, observe(arrived, telemetryIn));
    c.set("log", log);
    await next();
    c.header("X-Request-Id", log.requestId);
    c.header("traceparent", log.traceparent);
    c.header("X-Content-Type-Options", "nosniff");
    if (log.streaming) return;
    const { raw } = c.req;
    log.end(c.res.status, c.error instanceof BrokenBody || raw.signal.aborted ? "aborted" : "complete");
    if (c.res.status >= 400) await discardRest(raw);
  };

/** Any origin may use the API: its credential is a header that only the client's own code can set, never a cookie. */
export const cors: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.req.method === "OPTIONS") {
    c.get("log").route = "preflight";
    c.res = new Response(null, {
      status: 204,
      headers: {
        "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
        "Access-Control-Allow-Headers":
          "Authorization, Content-Type, Content-Digest, Idempotency-Key, If-None-Match, If-Range, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Prefer, Range, traceparent",
        "Access-Control-Max-Age": "86400",
      },
    });
  } else {
    await next();
    c.header("Access-Control-Expose-Headers", Object.keys(responseHeaders).join(", "));
  }
  c.header("Access-Control-Allow-Origin", "*");
};

/** Responds with an error and keeps it for the log. */
export function respondWithError(thrown: unknown, c: Context<AppEnv>): Response {
  const error = asApiError(thrown);
  c.get("log").failed(error);
  return error.toResponse();
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Mounts all methods of a path such as `/keys/{id}`; other methods get 405 with `Allow`. GET includes HEAD. */
export function addPath(
  app: Hono<AppEnv>,
  path: string,
  methods: Partial<Record<Method, readonly MiddlewareHandler<AppEnv>[]>>,
): void {
  const noteRoute: MiddlewareHandler<AppEnv> = async (c, next) => {
    c.get("log").route = path;
    await next();
  };
  const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
  for (const [method, handlers] of Object.entries(methods)) app.on(method, pattern, noteRoute, ...handlers);
  const allowed = Object.keys(methods).flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allow = [...allowed, "OPTIONS"].join(", ");
  const use = oneOf(Object.keys(methods));
  app.all(pattern, noteRoute, (c) => {
    throw methodNotAllowed(c.req.method, use, allow);
  });
}
