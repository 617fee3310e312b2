import type { IssuerService } from "../../engines/services.ts";
import type { IssuerSettings } from "../../env.ts";
import { limits } from "../../limits.ts";
import { publicUrlIssue } from "../../public-url.ts";
import { type SmallRequest, smallResponse } from "./small-response.ts";
import { hostNotAllowed, urlNotPublic } from "../../engines/cms/problems.ts";

/**
 * The issuers of certificates over HTTP, for OCSP (RFC 6960, appendix A), lists, and certificates. The sender of a certificate chooses its URLs, so
 * they are checked like those of documents. They may be `http`, as most are, because the responses are signed. `client`: aborted when the client
 * disconnects, which ends the waiting.
 */
export function issuerServiceOf({ urls, hosts }: IssuerSettings, client: AbortSignal): IssuerService {
  const send = async (url: string, request: Pick<SmallRequest, "method" | "body" | "headers" | "bytes">) => {
    if (publicUrlIssue(url, urls) !== undefined) throw urlNotPublic();
    if (hosts !== undefined && !hosts.includes(new URL(url).hostname)) throw hostNotAllowed();
    return smallResponse(url, {
      ...request,
      purpose: "certificates",
      client,
      milliseconds: limits.revocation.milliseconds,
    });
  };
  return {
    get: (url, type, bytes) => send(url, { method: "GET", headers: { Accept: type }, bytes }),
    post: (url, { request, response }, body, bytes) =>
      send(url, { method: "POST", body, headers: { "Content-Type": request, Accept: response }, bytes }),
  };
}
