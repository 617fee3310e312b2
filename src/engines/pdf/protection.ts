/** What a caller may ask a document to be protected with: passwords, permissions and cipher. */
import type { EncryptionMethod, Protection } from "./encryption-parameters.ts";
import { saslPrep } from "./saslprep.ts";

/** A problem with the parameter `name`. */
interface Issue {
  readonly name: string;
  readonly issue: string;
}

export const METHODS: readonly EncryptionMethod[] = ["aes-128", "aes-256"];

/** ISO 32000-2, table 22, by bit value. High resolution is a way to print, so it takes the bit for printing, too. */
const PERMISSIONS: Readonly<Record<string, number>> = {
  print: 1 << 2,
  "print-high": (1 << 2) | (1 << 11),
  modify: 1 << 3,
  copy: 1 << 4,
  annotate: 1 << 5,
  "fill-forms": 1 << 8,
  accessibility: 1 << 9,
  assemble: 1 << 10,
};
const ALIASES: Readonly<Record<string, string>> = { printing: "print", copying: "copy" };
const ALL = Object.values(PERMISSIONS).reduce((bits, bit) => bits | bit, 0);

/** P with nothing allowed: bits 1 and 2 are 0, all others that have no meaning are 1. */
const NOTHING = ~(ALL | 0b11);

export const permissionTokens: readonly string[] = [...Object.keys(PERMISSIONS), "all", "none"];

/** Bytes of a password in UTF-8 for aes-256, characters for aes-128, at most. */
const MOST_BYTES = 127;
const MOST_CHARACTERS = 32;

interface Given {
  readonly userPassword: string | undefined;
  readonly ownerPassword: string | undefined;
  readonly permissions: string | undefined;
  readonly encryption: string | undefined;
}

/** Reads the parameters, and lists everything that is wrong with them. A password not given is `""`. */
export function readProtection(given: Given): { readonly protection: Protection; readonly issues: Issue[] } {
  const issues: Issue[] = [];
  const method = METHODS.find((known) => known === (given.encryption ?? "aes-256"));
  if (method === undefined) issues.push({ name: "encryption", issue: `must be one of ${METHODS.join(", ")}` });

  const prepared = { userPassword: "", ownerPassword: "" };
  for (const name of ["userPassword", "ownerPassword"] as const) {
    const password = given[name];
    if (password === undefined) continue;
    const { value, issue } = method === "aes-128" ? asciiPassword(password) : unicodePassword(password);
    prepared[name] = value;
    if (issue !== undefined) issues.push({ name, issue });
  }
  if (given.userPassword === undefined && given.ownerPassword === undefined) {
    issues.push({ name: "userPassword", issue: "userPassword or ownerPassword is required" });
  }
  const { userPassword, ownerPassword } = prepared;
  if (given.ownerPassword !== undefined && userPassword === ownerPassword && userPassword !== "") {
    issues.push({ name: "ownerPassword", issue: "must differ from userPassword, or everybody has all permissions" });
  }

  const permissions = readPermissions(given.permissions, issues);
  return { protection: { method: method ?? "aes-256", userPassword, ownerPassword, permissions }, issues };
}

function readPermissions(list: string | undefined, issues: Issue[]): number {
  if (list === undefined) return NOTHING | ALL;
  const tokens = list.split(",").map((item) => item.trim());
  const problem = (issue: string): void => void issues.push({ name: "permissions", issue });
  let bits = PERMISSIONS["accessibility"] ?? 0;
  const unknown = new Set<string>();
  for (const token of tokens) {
    const bit = Object.hasOwn(ALIASES, token) ? PERMISSIONS[ALIASES[token] ?? ""] : undefined;
    if (token === "all") bits |= ALL;
    else if (bit !== undefined) bits |= bit;
    else if (Object.hasOwn(PERMISSIONS, token)) bits |= PERMISSIONS[token] ?? 0;
    else if (token !== "none") unknown.add(token);
  }
  if (unknown.size > 0) {
    const shown = [...unknown].slice(0, 10).map((token) => JSON.stringify(token.slice(0, 100)));
    problem(`${shown.join(", ")}: the permissions are ${permissionTokens.join(", ")}`);
  }
  if (tokens.includes("none") && tokens.length > 1) problem("none stands alone");
  return NOTHING | bits;
}

/** Revision 6 (ISO 32000-2, 7.6.4.3.3): prepared, then 127 bytes at most, since longer ones would be cut. */
function unicodePassword(password: string): { value: string; issue?: string } {
  const value = saslPrep(password);
  if (value === undefined) return { value: password, issue: "holds a NUL or another character that nobody can type" };
  const bytes = new TextEncoder().encode(value).length;
  return bytes >= 1 && bytes <= MOST_BYTES
    ? { value }
    : { value, issue: `must have 1 to ${MOST_BYTES} bytes in UTF-8, has ${bytes}` };
}

/** Revision 4: outside of ASCII, programs do not agree on the bytes of a character. */
function asciiPassword(password: string): { value: string; issue?: string } {
  return /^[\x20-\x7e]*$/.test(password) && password.length <= MOST_CHARACTERS
    ? { value: password }
    : {
        value: password,
        issue: `must be 1 to ${MOST_CHARACTERS} printable ASCII characters with aes-128; aes-256 takes any text`,
      };
}
