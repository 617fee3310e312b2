import { base64, fromBase64 } from "../bytes/base64.ts";

/**
 * The server's secret, and those before it while it is being replaced. The first encrypts; each can decrypt its own data.
 */
export type ServerSecrets = readonly [current: string, ...previous: string[]];

/** What a secret is for. Each purpose has a key of its own, so that a secret cannot be moved to another use. */
export type SecretPurpose = "webhook signing secrets" | "file keys" | "delivery URLs";

/** Bytes of AES-GCM's initialization vector (NIST SP 800-38D, section 8.2.2: random). */
const IV_BYTES = 12;

const keys = new Map<string, Promise<CryptoKey>>();

/** The key that encrypts the secrets of a purpose in the database, derived from the server's secret by HKDF (RFC 5869). */
function sealingKey(serverSecret: string, purpose: SecretPurpose): Promise<CryptoKey> {
  const name = `${purpose}:${serverSecret}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = deriveKey(serverSecret, purpose);
  keys.set(name, key);
  return key;
}

async function deriveKey(serverSecret: string, purpose: SecretPurpose): Promise<CryptoKey> {
  const encoder = new TextEncoder();
  const material = await crypto.subtle.importKey("raw", encoder.encode(serverSecret), "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(purpose) };
  return crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** Encrypts a secret for the database: AES-256-GCM, bound to the ID of the object that it belongs to. */
export async function seal(
  [current]: ServerSecrets,
  purpose: SecretPurpose,
  owner: string,
  secret: Uint8Array,
): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(algorithm(iv, owner), await sealingKey(current, purpose), secret);
  return base64(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
}

/** Decrypts what `seal` returned; undefined if it was sealed under none of the secrets, or for another purpose or owner. */
export async function unseal(
  serverSecrets: ServerSecrets,
  purpose: SecretPurpose,
  owner: string,
  sealed: string,
): Promise<Uint8Array | undefined> {
  for (const serverSecret of serverSecrets) {
    const key = await sealingKey(serverSecret, purpose);
    try {
      const bytes = fromBase64(sealed);
      const [iv, content] = [bytes.slice(0, IV_BYTES), bytes.slice(IV_BYTES)];
      return new Uint8Array(await crypto.subtle.decrypt(algorithm(iv, owner), key, content));
    } catch {
      // Sealed under another one, if any.
    }
  }
  return undefined;
}

/** The same sealed under the current secret; undefined if it already is, or cannot be opened. */
export async function resealed(
  serverSecrets: ServerSecrets,
  purpose: SecretPurpose,
  owner: string,
  sealed: string,
): Promise<string | undefined> {
  const [current, ...previous] = serverSecrets;
  if ((await unseal([current], purpose, owner, sealed)) !== undefined) return undefined;
  for (const secret of previous) {
    const opened = await unseal([secret], purpose, owner, sealed);
    if (opened !== undefined) return seal(serverSecrets, purpose, owner, opened);
  }
  return undefined;
}

const algorithm = (iv: Uint8Array, owner: string) => ({
  name: "AES-GCM",
  iv,
  additionalData: new TextEncoder().encode(owner),
});
