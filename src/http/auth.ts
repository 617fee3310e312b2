import type { MiddlewareHandler } from "hono";
import { ApiError } from "./errors.ts";
import type { AppEnv } from "./exchange.ts";
import { type Caller, findKey, type Rejection } from "../accounts/keys.ts";
import type { Scope } from "../accounts/scopes.ts";
import { readEnv } from "../env.ts";

const rejections: Record<Rejection | "missing", string> = {
  missing: "Send your API key: `Authorization: Bearer sk_live_...`.",
  bad: "There is no such API key.",
  revoked: "The API key was revoked.",
  expired: "The API key has expired.",
};

function unauthenticated(reason: keyof typeof rejections): ApiError {
  return new ApiError("unauthenticated", rejections[reason], { headers: { "WWW-Authenticate": "Bearer" } });
}

/** Bearer authentication (RFC 6750, the header only): sets `caller` or answers 401. */
export const authenticate: MiddlewareHandler<AppEnv> = async (c, next) => {
  const token = /^Bearer +([^\s]+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (token === undefined) throw unauthenticated("missing");
  const result = await findKey(readEnv(c.env).db, token, new Date());
  if (!result.ok) throw unauthenticated(result.reason);
  const log = c.get("log");
  log.key = result.caller.key;
  log.account = result.caller.account;
  c.set("caller", result.caller);
  await next();
};

/** 403 unless the key has one of the scopes. */
export function requireScope(...scopes: readonly [Scope, ...Scope[]]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    checkScope(c.get("caller"), ...scopes);
    await next();
  };
}

/** Throws `forbidden` unless the caller has one of the scopes. */
export function checkScope(caller: Caller, ...scopes: readonly [Scope, ...Scope[]]): void {
  if (scopes.some((scope) => caller.scopes.includes(scope))) return;
  throw new ApiError("forbidden", `The API key lacks the scope ${scopes.join(" or ")}.`, {
    details: { requiredScope: scopes[0] },
  });
}
