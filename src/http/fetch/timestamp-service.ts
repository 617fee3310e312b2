import { oneOf } from "../errors/schema-issues.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import { Unusable } from "../../engines/cms/refusal.ts";
import type { TimestampService } from "../../engines/services.ts";
import { limits } from "../../limits.ts";
import type { TimestampSettings } from "../../env.ts";
import { publicUrlIssue } from "../../public-url.ts";
import { smallResponse } from "./small-response.ts";
import { timestampFailed } from "../../engines/signature-errors.ts";

/**
 * Time-stamp services over HTTP (RFC 3161, 3.4). The URLs that requests name are checked like those of documents; the operator's own is trusted.
 * `client`: aborted when the client disconnects, which ends the waiting.
 */
export function timestampServiceOf(
  { urls, hosts, defaultUrl }: TimestampSettings,
  client: AbortSignal,
): TimestampService {
  return {
    hasDefault: defaultUrl !== undefined,
    async request(url, body) {
      const issue = url === undefined ? undefined : (publicUrlIssue(url, urls) ?? hostIssue(url, hosts));
      if (issue !== undefined) throw invalidFields([{ name: "timestampUrl", issue }]);
      const target = url ?? defaultUrl;
      if (target === undefined) throw invalidFields([{ name: "timestampUrl", issue: "is required" }]);
      const headers = { "Content-Type": "application/timestamp-query", Accept: "application/timestamp-reply" };
      try {
        return await smallResponse(target, {
          method: "POST",
          body,
          headers,
          purpose: "timestamps",
          client,
          ...limits.timestamps,
        });
      } catch (error) {
        throw error instanceof Unusable ? timestampFailed(error.message, error.cause) : error;
      }
    },
  };
}

const hostIssue = (url: string, hosts: TimestampSettings["hosts"]): string | undefined =>
  hosts === undefined || hosts.includes(new URL(url).hostname)
    ? undefined
    : `must be a service at ${oneOf(hosts)}, which the operator allows`;
