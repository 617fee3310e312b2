import type { WebhookEvent } from "./generated.ts";

export interface VerifyOptions {
  /** The subscription's secret, `whsec_...`; while it rotates the old one is as good as the new. */
  readonly secret: string;
  /** Seconds by which the delivery's time may differ from ours; 300 where it is not given. */
  readonly toleranceSeconds?: number;
  /** Ours; the clock's where it is not given. */
  readonly now?: Date;
}

/** A delivery that is not the service's, or is not recent. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

const DEFAULT_TOLERANCE = 300;

/**
 * Verifies a delivery and returns its event (Standard Webhooks 1.0). `body` is the request's body exactly as it came. The same
 * `webhook-id` may come more than once: it names the event.
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | undefined>>,
  { secret, toleranceSeconds = DEFAULT_TOLERANCE, now = new Date() }: VerifyOptions,
): Promise<WebhookEvent & { readonly id: string }> {
  const read = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value === "string" && value !== "") return value;
    throw new WebhookVerificationError(`The delivery has no header ${name}.`);
  };
  const [id, timestamp, signatures] = [read("webhook-id"), read("webhook-timestamp"), read("webhook-signature")];
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError("webhook-timestamp is no time.");
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError("The delivery is not recent.");
  }
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const key = await crypto.subtle.importKey("raw", bytesOf(secret.replace(/^whsec_/, "")), HMAC, false, ["verify"]);
  // `verify` takes the same time for every wrong signature.
  const results = signatures
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .map((signature) => isSignature(key, signature.slice(3), signed));
  if (!(await Promise.all(results)).includes(true)) {
    throw new WebhookVerificationError("No signature of the delivery was made with this secret.");
  }
  return { id, ...(JSON.parse(text) as WebhookEvent) };
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
