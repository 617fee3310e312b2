import { runQpdf } from "./qpdf.ts";

export type Cipher = "rc4-40" | "rc4-128" | "aes-128" | "aes-256";
export const ciphers: readonly Cipher[] = ["rc4-40", "rc4-128", "aes-128", "aes-256"];

export interface EncryptOptions {
  readonly cipher: Cipher;
  /** Opens the document; empty for one that opens without. */
  readonly userPassword: string;
  readonly ownerPassword: string;
  /** qpdf's restrictions, such as `--modify=none`; 40-bit RC4 has names of its own. */
  readonly restrictions?: readonly string[];
}

/** The same document encrypted by qpdf: another program than the one under test. */
export async function encrypt(bytes: Uint8Array, options: EncryptOptions): Promise<Uint8Array> {
  const { cipher, userPassword, ownerPassword, restrictions = [] } = options;
  const bits = { "rc4-40": "40", "rc4-128": "128", "aes-128": "128", "aes-256": "256" }[cipher];
  const method = cipher === "aes-128" ? ["--use-aes=y"] : cipher === "rc4-128" ? ["--use-aes=n"] : [];
  const run = await runQpdf(
    [
      "--allow-weak-crypto",
      "--encrypt",
      userPassword,
      ownerPassword,
      bits,
      ...method,
      ...restrictions,
      "--",
      "/in.pdf",
      "/out.pdf",
    ],
    { "/in.pdf": bytes },
  );
  if (run.output === undefined) throw new Error(`qpdf did not encrypt: ${run.stderr}`);
  return run.output;
}
