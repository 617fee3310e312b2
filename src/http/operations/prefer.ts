import { limits } from "../../limits.ts";

/** What a request prefers (RFC 7240). */
export interface Preference {
  /** Whether the work may go on after the response. */
  readonly isAsync: boolean;
  /** How long the response may be held back for its end, in seconds. */
  readonly waitSeconds: number;
}

/** Reads `Prefer`. Preferences that are unknown or malformed are ignored, as RFC 7240 says, and the first of a kind counts. */
export function preferenceOf(header: string | undefined): Preference {
  const named = new Map<string, string>();
  for (const preference of (header ?? "").split(",")) {
    const [, name = "", value = ""] = /^\s*([\w-]+)\s*(?:=\s*"?([^";]*)"?)?\s*(?:;.*)?$/.exec(preference) ?? [];
    const key = name.toLowerCase();
    if (!named.has(key)) named.set(key, value.trim());
  }
  const wait = named.get("wait") ?? "";
  return {
    isAsync: named.has("respond-async"),
    waitSeconds: /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), limits.jobs.waitSeconds) : 0,
  };
}
