/** How to protect a document, and the resulting encryption parameters of a file. */
import { hex } from "../../../bytes/hex.ts";

export type EncryptionMethod = "aes-128" | "aes-256";

/** How strings or streams are encrypted. */
export type CipherMethod = "none" | "rc4" | "aes-128" | "aes-256";

/** The key of a file, and its uses. */
export interface FileKey {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly strings: CipherMethod;
  readonly streams: CipherMethod;
}

/** A request to encrypt, with prepared passwords. */
export interface Protection {
  readonly method: EncryptionMethod;
  /** Opens the document. Empty if it opens without a password. */
  readonly userPassword: string;
  /** Grants all permissions. */
  readonly ownerPassword: string;
  /** The signed 32-bit entry P of the encryption dictionary (ISO 32000-2, table 22). */
  readonly permissions: number;
}

/** Everything needed to write an encrypted file. */
export interface FileEncryption {
  /** The serialized encryption dictionary (ISO 32000-2, 7.6.2). */
  readonly dictionary: string;
  /** First half of the file identifier if the key depends on it (revision 4), one character per byte. */
  readonly id: string | undefined;
  /** Lowest PDF version that supports this encryption, times ten. */
  readonly version: number;
  /** For all strings and streams. */
  readonly key: FileKey;
}

/** Source of keys, salts, and initialization vectors, and implementation of the ciphers. */
export type PlatformCrypto = Pick<Crypto, "subtle"> & {
  getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
};

/** Serializes the entries common to both methods (tables 20 and 25). */
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

/** P in the form the algorithms use: four bytes, lowest first. */
export function littleEndian(permissions: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, permissions, true);
  return bytes;
}
