import type { Context } from "hono";
import type { AppEnv } from "./exchange.ts";
import { hex } from "../../bytes/hex.ts";
import { type Env, readEnv } from "../../env.ts";

interface Made {
  readonly body: Uint8Array;
  readonly etag: string;
}

/**
 * Serves a document that depends only on the configuration: it is built once per isolate and configuration, and a client with a
 * current copy gets a 304.
 */
export function cachedDocument(contentType: string, make: (env: Env) => string | Promise<string>) {
  const known = new WeakMap<Env, Promise<Made>>();
  return async (c: Context<AppEnv>, headers: Readonly<Record<string, string>> = {}): Promise<Response> => {
    const env = readEnv(c.env);
    let making = known.get(env);
    if (making === undefined) {
      making = makeWhole(env, make);
      known.set(env, making);
      making.catch(() => known.delete(env));
    }
    const { body, etag } = await making;
    const all = { ...headers, "Cache-Control": "no-cache", ETag: etag };
    if (isKnown(c.req.header("If-None-Match"), etag)) return new Response(null, { status: 304, headers: all });
    const length = String(body.byteLength);
    return new Response(body, { headers: { ...all, "Content-Type": contentType, "Content-Length": length } });
  };
}

async function makeWhole(env: Env, make: (env: Env) => string | Promise<string>): Promise<Made> {
  const body = new TextEncoder().encode(await make(env));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return { body, etag: `"${hex(digest).slice(0, 32)}"` };
}

/** `If-None-Match` by weak comparison (RFC 9110, section 13.1.2), because the body may have been compressed in transit. */
export function isKnown(header: string | undefined, etag: string): boolean {
  const known = header?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  return known.includes("*") || known.includes(etag);
}
