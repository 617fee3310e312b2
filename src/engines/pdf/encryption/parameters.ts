/** What a document is to be protected with, and what that makes of a file. */
import { hex } from "../../bytes/hex.ts";

export type EncryptionMethod = "aes-128" | "aes-256";

/** A request to encrypt; passwords as they go into the algorithms, prepared. */
export interface Protection {
  readonly method: EncryptionMethod;
  /** Opens the document; empty for one that opens without. */
  readonly userPassword: string;
  /** Gives every right. */
  readonly ownerPassword: string;
  /** The signed 32-bit P of the encryption dictionary (ISO 32000-2, table 22). */
  readonly permissions: number;
}

/** Everything that is needed to write an encrypted file. */
export interface FileEncryption {
  /** The encryption dictionary (ISO 32000-2, 7.6.2), written out. */
  readonly dictionary: string;
  /** First half of the file identifier where the key depends on it (revision 4): one character a byte. */
  readonly id: string | undefined;
  /** Lowest version of PDF that has this encryption, times ten. */
  readonly version: number;
  /** The AES key for the strings and the stream of an object. */
  keyFor(number: number, generation: number): Promise<CryptoKey>;
}

/** Where key, salts and initialization vectors come from, and who encrypts. */
export type PlatformCrypto = Pick<Crypto, "subtle"> & {
  getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
};

/** Values of the three entries that are the same for both methods' crypt filters (tables 20 and 25). */
export function encryptionDictionary(
  filter: { readonly method: "AESV2" | "AESV3"; readonly version: number; readonly revision: number; bytes: number },
  permissions: number,
  strings: Readonly<Record<string, Uint8Array>>,
): string {
  const { method, version, revision, bytes } = filter;
  const written = Object.entries(strings).map(([key, value]) => `/${key}<${hex(value)}>`);
  return `<</Filter/Standard/V ${version}/R ${revision}/Length ${bytes * 8}/P ${permissions}${written.join("")}\
/StmF/StdCF/StrF/StdCF/CF<</StdCF<</AuthEvent/DocOpen/CFM/${method}/Length ${bytes}>>>>>>`;
}

/** P as the algorithms take it: four bytes, the lowest first. */
export function littleEndian(permissions: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, permissions, true);
  return bytes;
}
