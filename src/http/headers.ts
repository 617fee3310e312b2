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
