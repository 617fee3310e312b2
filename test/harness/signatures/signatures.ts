/** Reads the signatures of a PDF from its bytes, and has OpenSSL verify them. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface SignatureInFile {
  /** Four numbers: two parts by offset and length, in bytes. */
  readonly range: readonly [number, number, number, number];
  /** The bytes that are signed. */
  readonly signed: Buffer;
  /** The CMS signature, DER. */
  readonly cms: Buffer;
}

/** The signatures in the order of the file. */
export function signaturesIn(file: Uint8Array): SignatureInFile[] {
  const bytes = Buffer.from(file);
  const ranges = bytes.toString("latin1").matchAll(/\/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]/g);
  return Array.from(ranges, ([, ...numbers]) => {
    const [start = 0, length = 0, after = 0, rest = 0] = numbers.map(Number);
    const signed = Buffer.concat([bytes.subarray(start, start + length), bytes.subarray(after, after + rest)]);
    const hex = bytes.toString("latin1", start + length, after);
    if (!/^<[0-9A-Fa-f]*>$/.test(hex)) throw new Error("the gap of the byte range is no hexadecimal string");
    const padded = Buffer.from(hex.slice(1, -1), "hex");
    return { range: [start, length, after, rest], signed, cms: padded.subarray(0, derLength(padded)) };
  });
}

/** The length of a DER value with its header. */
function derLength(bytes: Buffer): number {
  const first = bytes[1] ?? 0;
  if (first < 0x80) return 2 + first;
  const count = first & 0x7f;
  return 2 + count + bytes.readUIntBE(2, count);
}

/** Runs OpenSSL with files, which are removed afterwards; `{name}` in an argument is the path of the file, and `{out}` that of what it returns. Their folder is the current one. */
export async function openssl(
  files: Readonly<Record<string, Uint8Array | string>>,
  ...given: readonly string[]
): Promise<{ readonly code: number; readonly output: string; readonly bytes: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), "openssl-"));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const args = given.map((one) => one.replace(/\{(\w+)\}/g, (_, name: string) => join(folder, name)));
    const { stdout, stderr } = await run("openssl", args, { cwd: folder, encoding: "buffer", maxBuffer: 1 << 28 });
    const bytes = given.includes("{out}") ? await readFile(join(folder, "out")) : stdout;
    return { code: 0, output: stderr.toString(), bytes };
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: Buffer };
    if (typeof code !== "number") throw error;
    return { code, output: String(stderr), bytes: Buffer.alloc(0) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What OpenSSL says of a signature, its chain up to a root, and the digest of its certificate (CAdES): `verified`, or why not. */
export async function verification({ signed, cms }: SignatureInFile, rootPem: string): Promise<string> {
  const options = "-verify -cades -binary -inform DER -in {cms} -content {signed} -CAfile {root} -purpose any".split(
    " ",
  );
  const { code, output } = await openssl({ cms, signed, root: rootPem }, "cms", ...options, "-out", "/dev/null");
  return code === 0 ? "verified" : output;
}

/** What poppler's pdfsig says of a file; undefined if it is not installed. */
export async function pdfsig(file: Uint8Array): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "pdfsig-"));
  try {
    await writeFile(join(folder, "file.pdf"), file);
    const { stdout } = await run("pdfsig", [join(folder, "file.pdf")], { env: { ...process.env, HOME: folder } });
    return stdout;
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: string };
    if (code === "ENOENT") return undefined;
    return stdout ?? "";
  } finally {
    await rm(folder, { recursive: true });
  }
}
