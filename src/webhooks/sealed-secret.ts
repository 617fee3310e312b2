import { base64, fromBase64 } from "./sign.ts";

/** Bytes of AES-GCM's initialization vector (NIST SP 800-38D, section 8.2.2: random). */
const IV_BYTES = 12;

const keys = new Map<string, Promise<CryptoKey>>();

/** The key that encrypts signing secrets in the database, derived from the server's secret by HKDF (RFC 5869). */
function sealingKey(serverSecret: string): Promise<CryptoKey> {
  const known = keys.get(serverSecret);
  if (known !== undefined) return known;
  const key = deriveKey(serverSecret);
  keys.set(serverSecret, key);
  return key;
}

async function deriveKey(serverSecret: string): Promise<CryptoKey> {
  const encoder = new TextEncoder();
  const material = await crypto.subtle.importKey("raw", encoder.encode(serverSecret), "HKDF", false, ["deriveKey"]);
  const info = encoder.encode("webhook signing secrets");
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** Encrypts a signing secret for the database: AES-256-GCM, bound to its subscription. */
export async function seal(serverSecret: string, webhook: string, secret: Uint8Array): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(algorithm(iv, webhook), await sealingKey(serverSecret), secret);
  return base64(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
}

/** Decrypts what `seal` returned; undefined if it was sealed under another server secret or for another subscription. */
export async function unseal(serverSecret: string, webhook: string, sealed: string): Promise<Uint8Array | undefined> {
  const bytes = fromBase64(sealed);
  const [iv, content] = [bytes.slice(0, IV_BYTES), bytes.slice(IV_BYTES)];
  try {
    const key = await sealingKey(serverSecret);
    return new Uint8Array(await crypto.subtle.decrypt(algorithm(iv, webhook), key, content));
  } catch {
    return undefined;
  }
}

const algorithm = (iv: Uint8Array, webhook: string) => ({
  name: "AES-GCM",
  iv,
  additionalData: new TextEncoder().encode(webhook),
});
