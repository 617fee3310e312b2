import { crc32 } from "../bytes/crc.ts";
import { hex } from "../bytes/hex.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TOKEN = /^sk_(?:live|test)_[0-9A-Za-z]{49}$/;
const ACCOUNT = /^acct_[0-9A-Za-z]{22}([0-9A-Za-z])$/;
const CHECKSUM_LENGTH = 6;
const CRC_VALUES = 2 ** 32;

/**
 * How many databases accounts can be spread over: six base62 digits hold a CRC-32 thirteen times over, and which of the thirteen it is names a
 * key's database.
 */
export const MAX_SHARDS = Math.floor(62 ** CHECKSUM_LENGTH / CRC_VALUES);

/**
 * An API key: `sk_live_` or `sk_test_`, 256 random bits as 43 base62 digits, and a checksum over all of that, so that a made-up
 * or mistyped key is detected without a query. The checksum also encodes the number of the database.
 */
export function newToken(livemode: boolean, shard: number): string {
  const unchecked = `${livemode ? "sk_live_" : "sk_test_"}${randomBase62(32)}`;
  return unchecked + base62(BigInt(checksumOf(unchecked)) + BigInt(shard) * BigInt(CRC_VALUES), CHECKSUM_LENGTH);
}

/**
 * The number of the database that stores a key, or undefined if the string is malformed or its checksum is wrong. Does not
 * check whether the key exists.
 */
export function shardOfToken(token: string): number | undefined {
  if (!TOKEN.test(token)) return undefined;
  let checksum = 0;
  for (const digit of token.slice(-CHECKSUM_LENGTH)) checksum = checksum * 62 + ALPHABET.indexOf(digit);
  if (checksum % CRC_VALUES !== checksumOf(token.slice(0, -CHECKSUM_LENGTH))) return undefined;
  return Math.floor(checksum / CRC_VALUES);
}

/** The ID of a new account. Its last digit is the number of its database. */
export function newAccountId(shard: number): string {
  return `${newId("acct")}${shardDigit(shard)}`;
}

/**
 * The number of an account's database, derived from the ID alone, so that no lookup is needed. Undefined if the string is not
 * an account ID.
 */
export function shardOfAccount(account: string): number | undefined {
  const digit = ACCOUNT.exec(account)?.[1];
  return digit === undefined ? undefined : ALPHABET.indexOf(digit);
}

/** The ID of a new file. Its last digit is that of its account, the number of their database. */
export function newFileId(account: string): string {
  return `${newId("file")}${account.slice(-1)}`;
}

/** The ID of a new job. Its last digit is that of its account, the number of their database. */
export function newJobId(account: string): string {
  return `${newId("job")}${account.slice(-1)}`;
}

/** The digit with which the IDs of a database's accounts, files and jobs end. */
export const shardDigit = (shard: number): string => ALPHABET.charAt(shard);

/** The stored form of a key: its SHA-256, in lower-case hexadecimal. 256 random bits need no salt and no slow hash. */
export async function hashToken(token: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))));
}

/** Whether two hashes are equal, in a time that does not depend on where they differ. */
export function sameHash(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return crypto.subtle.timingSafeEqual(encoder.encode(one), encoder.encode(other));
}

/** An ID such as `acct_4fzyo82mvyr...`: the prefix and 128 random bits. */
export function newId(prefix: "acct" | "key" | "evt" | "wh" | "file" | "job"): string {
  return `${prefix}_${randomBase62(16)}`;
}

/** `bytes` random bytes as base62 digits, zero-padded to a fixed length. */
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

const checksumOf = (unchecked: string): number => crc32(new TextEncoder().encode(unchecked));
