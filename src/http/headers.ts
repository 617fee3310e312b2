import { resultHeaders } from "../operations/define.ts";

/**
 * Every header that an answer can carry and a caller may want to read. Listed once: CORS exposes exactly these, and
 * openapi.json describes them.
 */
export const responseHeaders: Readonly<Record<string, string>> = {
  "X-Request-Id": "Identifies the request in the service's log; name it when something is wrong.",
  "Content-Disposition": "Names the file after the first input: `<input>-<operation>.<extension>` (RFC 6266).",
  "Content-Length": "Bytes of the body, where they are known when the answer begins.",
  "Retry-After": "Seconds after which to try again.",
  "RateLimit-Policy":
    'The requests a minute that the plan allows: `"default";q=60;w=60` (draft-ietf-httpapi-ratelimit-headers).',
  RateLimit: 'The requests left in this minute, and the seconds to its end: `"default";r=50;t=30`.',
  "X-Credits-Charged": "Credits that the call cost.",
  "X-Credits-Remaining": "Credits that the account has left this month, for keys of this mode.",
  "Idempotency-Replayed": "`true` when the request was paid before, under the same Idempotency-Key.",
  ...resultHeaders,
};

/** RFC 6266: an ASCII name for old clients and, where it differs, the real one in UTF-8 (RFC 8187). */
export function attachment(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\]/g, "_");
  if (ascii === filename) return `attachment; filename="${ascii}"`;
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
