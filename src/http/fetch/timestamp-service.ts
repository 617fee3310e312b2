import { oneOf } from "../errors/schema-issues.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import { timestampFailed } from "../../engines/cms/refusal.ts";
import { Refusal } from "../../engines/errors.ts";
import type { TimestampService } from "../../engines/lease/engines.ts";
import { concat } from "../../engines/bytes/concat.ts";
import { limits } from "../../limits.ts";
import type { TimestampSettings } from "../../env.ts";
import { publicUrlIssue } from "../../public-url.ts";
import { version } from "../../version.ts";

const REQUEST_TYPE = "application/timestamp-query";
const RESPONSE_TYPE = "application/timestamp-reply";

/**
 * Time-stamp services over HTTP (RFC 3161, 3.4).
 * The URLs that requests name are checked like those of documents; the operator's own is trusted.
 */
export function timestampServiceOf({ urls, hosts, defaultUrl }: TimestampSettings): TimestampService {
  return {
    hasDefault: defaultUrl !== undefined,
    async request(url, request) {
      const issue = url === undefined ? undefined : (publicUrlIssue(url, urls) ?? hostIssue(url, hosts));
      if (issue !== undefined) throw invalidFields([{ name: "timestampUrl", issue }]);
      const target = url ?? defaultUrl;
      if (target === undefined) throw invalidFields([{ name: "timestampUrl", issue: "is required" }]);
      return post(target, request);
    },
  };
}

const hostIssue = (url: string, hosts: TimestampSettings["hosts"]): string | undefined =>
  hosts === undefined || hosts.includes(new URL(url).hostname)
    ? undefined
    : `must be a service at ${oneOf(hosts)}, which the operator allows`;

async function post(url: string, body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const { milliseconds, bytes } = limits.timestamps;
  const signal = AbortSignal.timeout(milliseconds);
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      // A service that moved is another service.
      redirect: "manual",
      headers: {
        "Content-Type": REQUEST_TYPE,
        Accept: RESPONSE_TYPE,
        "User-Agent": `pdf-service/${version} (timestamps)`,
      },
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw timestampFailed(`responded with status ${response.status}`);
    }
    return await read(response, bytes);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw timestampFailed(
      signal.aborted ? `did not respond within ${milliseconds / 1000} seconds` : "could not be reached",
      error,
    );
  }
}

async function read({ body }: Response, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body ?? []) {
    total += chunk.length;
    if (total > most) throw timestampFailed(`sent more than ${most / 1024} KiB`);
    chunks.push(chunk);
  }
  return concat(chunks);
}
