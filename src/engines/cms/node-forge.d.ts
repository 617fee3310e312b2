/** The parts of node-forge that are used: ciphers and digests that WebCrypto does not have. Texts are binary, one character per byte. */
interface ForgeBuffer {
  getBytes(count?: number): string;
}
interface ForgeDigest {
  create(): { update(bytes: string): { digest(): ForgeBuffer } };
}
interface ForgeCipher {
  start(iv: string): void;
  update(input: ForgeBuffer): void;
  finish(): boolean;
  readonly output: ForgeBuffer;
}
declare module "node-forge/lib/des.js" {
  const des: { createDecryptionCipher(key: string, mode: "CBC"): ForgeCipher };
  export default des;
}
declare module "node-forge/lib/rc2.js" {
  const rc2: { createDecryptionCipher(key: string, bits: number): ForgeCipher };
  export default rc2;
}
declare module "node-forge/lib/sha1.js" {
  const sha1: ForgeDigest;
  export default sha1;
}
declare module "node-forge/lib/sha256.js" {
  const sha256: ForgeDigest;
  export default sha256;
}
declare module "node-forge/lib/sha512.js" {
  const sha512: ForgeDigest & { readonly sha384: ForgeDigest };
  export default sha512;
}
declare module "node-forge/lib/util.js" {
  const util: { createBuffer(bytes: string): ForgeBuffer };
  export default util;
}
