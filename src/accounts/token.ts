const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TOKEN = /^sk_(?:live|test)_[0-9A-Za-z]{49}$/;
const CHECKSUM_LENGTH = 6;

/**
 * An API key: `sk_live_` or `sk_test_`, 256 random bits as 43 base62 digits, and a checksum over all of that, so that a
 * made-up or mistyped key is known without asking the database.
 */
export function newToken(livemode: boolean): string {
  const unchecked = `${livemode ? "sk_live_" : "sk_test_"}${randomBase62(32)}`;
  return unchecked + checksum(unchecked);
}

/** Whether a string has the form of a key and its checksum is right. Says nothing about whether the key exists. */
export function hasValidChecksum(token: string): boolean {
  return TOKEN.test(token) && checksum(token.slice(0, -CHECKSUM_LENGTH)) === token.slice(-CHECKSUM_LENGTH);
}

/** What is stored of a key: its SHA-256, lower-case hexadecimal. 256 random bits need no salt and no slow hash. */
export async function hashToken(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether two hashes are equal, in a time that does not tell where they differ. */
export function sameHash(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return crypto.subtle.timingSafeEqual(encoder.encode(one), encoder.encode(other));
}

/** An id such as `acct_4fzyo82mvyr...`: the prefix and 128 random bits. */
export function newId(prefix: "acct" | "key"): string {
  return `${prefix}_${randomBase62(16)}`;
}

/** `bytes` random bytes as base62 digits, always the same number of them. */
function randomBase62(bytes: number): string {
  let value = 0n;
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) value = (value << 8n) | BigInt(byte);
  return base62(value, Math.ceil((bytes * 8) / Math.log2(62)));
}

function base62(value: bigint, length: number): string {
  let digits = "";
  for (let rest = value; digits.length < length; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  return digits;
}

/** CRC-32 (the one of ISO 3309, as in ZIP) as six base62 digits. */
function checksum(text: string): string {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return base62(BigInt((crc ^ 0xffffffff) >>> 0), CHECKSUM_LENGTH);
}
