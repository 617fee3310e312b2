/** The parts of node-forge that are used: ciphers and digests that WebCrypto does not have. Texts are binary, one character per byte. */
declare module "node-forge/lib/forge.js" {
  interface ForgeBuffer {
    getBytes(count?: number): string;
  }
  interface ForgeDigest {
    update(bytes: string): ForgeDigest;
    digest(): ForgeBuffer;
  }
  interface ForgeCipher {
    start(options: { iv: string }): void;
    update(input: ForgeBuffer): void;
    finish(): boolean;
    readonly output: ForgeBuffer;
  }
  const forge: {
    readonly util: { createBuffer(bytes: string): ForgeBuffer };
    readonly md: Readonly<Record<"sha1" | "sha256" | "sha384" | "sha512", { create(): ForgeDigest }>>;
    readonly cipher: { createDecipher(algorithm: string, key: string): ForgeCipher };
    readonly rc2: {
      createDecryptionCipher(key: string, bits: number): { start(iv: string): void } & Omit<ForgeCipher, "start">;
    };
  };
  export default forge;
}
declare module "node-forge/lib/des.js";
declare module "node-forge/lib/rc2.js";
declare module "node-forge/lib/sha1.js";
declare module "node-forge/lib/sha256.js";
declare module "node-forge/lib/sha512.js";
