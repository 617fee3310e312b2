import { resultHeaders } from "../../operations/definition/define.ts";

/**
 * Every response header that a client may want to read. Listed once: CORS exposes exactly these, and openapi.json describes
 * them.
 */
export const responseHeaders: Readonly<Record<string, string>> = {
  "X-Request-Id": "The ID of the request. Include it when you report a problem.",
  traceparent:
    "The place of the request in a trace (W3C Trace Context), if the request had a `traceparent` or the operator records traces.",
  "Content-Disposition": "The file name, from that of the first input: `<input>-<operation>.<extension>`.",
  "Content-Length": "The size of the body in bytes, if it is known before the response starts.",
  ETag: "The version of the file, for `If-None-Match` and `If-Range`.",
  "Accept-Ranges": "`bytes`: a `Range` of the file can be requested.",
  "Content-Range": "The part of the file in the body, and the size of the file: `bytes 0-1023/146515`.",
  Location: "The path of the job.",
  "Preference-Applied": "What has been done of what the request preferred in `Prefer`.",
  "Retry-After": "The number of seconds to wait before you retry.",
  "RateLimit-Policy":
    'The number of requests per minute in your plan: `"default";q=60;w=60`. Absent if the plan has no limit.',
  RateLimit:
    'The number of requests left in this minute, and the seconds until it ends: `"default";r=50;t=30`. Absent if the plan has no limit.',
  "X-Credits-Charged": "The credits charged for this request.",
  "X-Credits-Remaining": "The credits left this month, for keys of this mode. Absent if the plan has no limit.",
  "Idempotency-Replayed":
    "`true` if the request was not charged because an earlier one with the same Idempotency-Key was.",
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
