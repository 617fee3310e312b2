/** Parses the protection that a client requests: passwords, permissions, and cipher. */
import type { EncryptionMethod } from "./parameters.ts";
import { saslPrep } from "./saslprep.ts";

export const METHODS = ["aes-128", "aes-256"] as const satisfies readonly EncryptionMethod[];

/** Bit values from ISO 32000-2, table 22. High-quality printing includes the bit for printing. */
const PERMISSIONS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    print: 1 << 2,
    "print-high": (1 << 2) | (1 << 11),
    modify: 1 << 3,
    copy: 1 << 4,
    annotate: 1 << 5,
    "fill-forms": 1 << 8,
    accessibility: 1 << 9,
    assemble: 1 << 10,
  }),
);
const ALL = Array.from(PERMISSIONS.values()).reduce((bits, bit) => bits | bit, 0);

/** P with no permissions: bits 1 and 2 are 0, and all other bits without a meaning are 1. */
const NOTHING = ~(ALL | 0b11);

export const permissionNames: readonly string[] = [...PERMISSIONS.keys()];

/** For forms: the permissions to choose from. `accessibility` is always allowed, so it is no choice. */
export const permissionChoices = {
  values: [...PERMISSIONS.keys()].filter((name) => name !== "accessibility"),
  all: "all",
  none: "none",
  includes: { "print-high": ["print"] },
};

/** Maximum length of a password: bytes of UTF-8 for aes-256, characters for aes-128. */
const MOST_BYTES = 127;
const MOST_CHARACTERS = 32;

/** Prepares a password for the cipher, or returns its problem. Without a password, the value is `""`. */
export function readPassword(
  method: EncryptionMethod,
  password = "",
): { readonly value: string; readonly issue?: string } {
  if (password === "") return { value: "" };
  return method === "aes-128" ? asciiPassword(password) : unicodePassword(password);
}

/** P with some permissions, by name, or `all`. `accessibility` is always allowed. */
export function permissionBits(names: readonly string[]): number {
  const bits = ["accessibility", ...names].map((name) => (name === "all" ? ALL : (PERMISSIONS.get(name) ?? 0)));
  return bits.reduce((all, bit) => all | bit, NOTHING);
}

/** Whether P leaves out a permission. */
export const isRestricted = (permissions: number): boolean => permissions !== (NOTHING | ALL);

/** Revision 6 (ISO 32000-2, 7.6.4.3.3): SASLprep, then at most 127 bytes, since longer passwords would be truncated. */
function unicodePassword(password: string): { value: string; issue?: string } {
  const value = saslPrep(password);
  if (value === undefined)
    return { value: password, issue: "must not contain control characters or other characters that cannot be typed" };
  const bytes = new TextEncoder().encode(value).length;
  return bytes >= 1 && bytes <= MOST_BYTES
    ? { value }
    : { value, issue: `must be 1 to ${MOST_BYTES} bytes long in UTF-8; this one is ${bytes}` };
}

/** Revision 4: programs disagree on the bytes of characters outside ASCII. */
function asciiPassword(password: string): { value: string; issue?: string } {
  return /^[\x20-\x7e]*$/.test(password) && password.length <= MOST_CHARACTERS
    ? { value: password }
    : {
        value: password,
        issue: `must be 1 to ${MOST_CHARACTERS} printable ASCII characters with aes-128; use aes-256 for other passwords`,
      };
}
