import { latin1 } from "./pdf-writer.ts";
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

/** The same file with another encryption dictionary, and with `objects` by their numbers, all written behind its end. */
export function withEncryption(
  bytes: Uint8Array,
  change: (dictionary: string) => string,
  objects: Readonly<Record<number, string>> = {},
): Uint8Array {
  const text = Buffer.from(bytes).toString("latin1");
  const [, trailer = "", previous = ""] = /\ntrailer << (.*) >>\nstartxref\n(\d+)/.exec(text) ?? [];
  const number = Number(/\/Encrypt (\d+) 0 R/.exec(trailer)?.[1]);
  const [, dictionary] = new RegExp(`\n${number} 0 obj\n(<<.*>>)\nendobj`).exec(text) ?? [];
  if (dictionary === undefined) throw new Error("the file is not encrypted by qpdf without object streams");
  const written = Object.entries({ ...objects, [number]: change(dictionary) });
  let end = "";
  let table = "xref\n";
  for (const [own, object] of written) {
    table += `${own} 1\n${String(text.length + end.length).padStart(10, "0")} 00000 n \n`;
    end += `${own} 0 obj\n${object}\nendobj\n`;
  }
  const size = Math.max(Number(/\/Size (\d+)/.exec(trailer)?.[1]), ...written.map(([own]) => Number(own) + 1));
  const entries = trailer.replace(/\/Size \d+/, `/Size ${size} /Prev ${previous}`);
  return latin1(`${text}${end}${table}trailer << ${entries} >>\nstartxref\n${text.length + end.length}\n%%EOF\n`);
}
