import { concat } from "../../bytes/concat.ts";
import { Unusable } from "../../engines/cms/refusal.ts";
import { didNotRespond, notReached, respondedWithStatus, sentTooMuch } from "../../engines/cms/problems.ts";
import { version } from "../../version.ts";

export interface SmallRequest {
  readonly method: "GET" | "POST";
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
  /** The purpose of the request, for the User-Agent. */
  readonly purpose: string;
  /** How long the server has, in milliseconds, and the most bytes that are read. */
  readonly milliseconds: number;
  readonly bytes: number;
  /** Aborted when nobody waits for the response anymore. */
  readonly client: AbortSignal;
}

/**
 * Asks a service, and reads its response in one piece. Redirects are not followed: a service that moved is another service.
 * @throws Unusable with the end of a sentence about the service, and the reason of `client`
 */
export async function smallResponse(url: string, request: SmallRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { method, body, headers, purpose, milliseconds, bytes, client } = request;
  const late = AbortSignal.timeout(milliseconds);
  try {
    const response = await fetch(url, {
      method,
      ...(body && { body }),
      redirect: "manual",
      headers: { ...headers, "User-Agent": `pdf-service/${version} (${purpose})` },
      signal: AbortSignal.any([late, client]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw respondedWithStatus(response.status);
    }
    return await read(response, bytes);
  } catch (cause) {
    client.throwIfAborted();
    if (cause instanceof Unusable) throw cause;
    throw late.aborted ? didNotRespond(milliseconds, cause) : notReached(cause);
  }
}

async function read({ body }: Response, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body ?? []) {
    total += chunk.length;
    if (total > most) throw sentTooMuch(most);
    chunks.push(chunk);
  }
  return concat(chunks);
}
