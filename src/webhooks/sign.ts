import { base64 } from "../bytes/base64.ts";

/** Bytes of a signing secret. */
const SECRET_BYTES = 32;

export const newSecret = (): Uint8Array => crypto.getRandomValues(new Uint8Array(SECRET_BYTES));

/** A signing secret as shown to its owner: `whsec_` and the bytes in base64 (Standard Webhooks 1.0, "Secret"). */
export const secretText = (secret: Uint8Array): string => `whsec_${base64(secret)}`;

/** The part of a secret that stays readable. */
export const lastFourOf = (secret: Uint8Array): string => secretText(secret).slice(-4);

export interface SignedMessage {
  /** The event's ID, the same for every attempt. */
  readonly id: string;
  /** The time of the attempt: receivers reject one that is minutes old. */
  readonly at: Date;
  readonly body: string;
}

/**
 * The headers with which a receiver verifies a delivery, signed with each of the secrets: HMAC-SHA256 of `id.timestamp.body`
 * (Standard Webhooks 1.0, "Verifying webhook authenticity").
 */
export async function signatureHeaders(secrets: readonly Uint8Array[], { id, at, body }: SignedMessage) {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map(async (secret) => `v1,${base64(await hmac(secret, content))}`));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

async function hmac(secret: Uint8Array, content: Uint8Array): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
}
