import type { WebhookEvent } from "./generated.ts";

export interface VerifyOptions {
  /** The secret of the webhook, `whsec_...`. For 24 hours after a rotation, the old and the new one both work. */
  readonly secret: string;
  /** How many seconds the time of the delivery may differ from `now`. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Default: the current time. */
  readonly now?: Date;
}

/** The delivery was not sent by the service, or is not recent. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

const DEFAULT_TOLERANCE = 300;

/**
 * Verifies a delivery and returns its event (Standard Webhooks 1.0). `body` is the body of the request, unchanged: best its bytes. The same
 * `webhook-id` can arrive more than once: it is the ID of the event.
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  { secret, toleranceSeconds = DEFAULT_TOLERANCE, now = new Date() }: VerifyOptions,
): Promise<WebhookEvent & { readonly id: string }> {
  const read = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value === "string" && value !== "") return value;
    throw new WebhookVerificationError(`The delivery has no ${name} header.`);
  };
  const [id, timestamp, signatures] = [read("webhook-id"), read("webhook-timestamp"), read("webhook-signature")];
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError("The webhook-timestamp header is invalid.");
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError("The delivery is too old or too new.");
  }
  const encoder = new TextEncoder();
  const content = typeof body === "string" ? encoder.encode(body) : body;
  const prefix = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + content.length);
  signed.set(prefix);
  signed.set(content, prefix.length);
  const key = await crypto.subtle.importKey("raw", bytesOf(secret.replace(/^whsec_/, "")), HMAC, false, ["verify"]);
  // `verify` takes the same time for every wrong signature.
  const results = signatures
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .map((signature) => isSignature(key, signature.slice(3), signed));
  if (!(await Promise.all(results)).includes(true)) {
    throw new WebhookVerificationError("The signature does not match the secret.");
  }
  return { id, ...(JSON.parse(new TextDecoder().decode(content)) as WebhookEvent) };
}

const HMAC = { name: "HMAC", hash: "SHA-256" };

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

async function isSignature(key: Key, base64: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    return await crypto.subtle.verify("HMAC", key, bytesOf(base64), signed);
  } catch {
    return false;
  }
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
