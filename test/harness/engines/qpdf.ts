import { createRequire } from "node:module";

/** The part of emscripten's file system that we call; the package's own types leave most of it out. */
interface EmscriptenFS {
  readonly streams: readonly unknown[];
  open(path: string, flags: number): unknown;
  close(stream: unknown): void;
  writeFile(path: string, data: Uint8Array): void;
  readFile(path: string): Uint8Array;
  unlink(path: string): void;
}

interface QpdfModule {
  readonly FS: EmscriptenFS;
  callMain(args: string[]): number;
}

const require = createRequire(import.meta.url);
const createQpdf = require("@neslinesli93/qpdf-wasm") as (options: { locateFile: () => string }) => Promise<QpdfModule>;
const wasmPath = require.resolve("@neslinesli93/qpdf-wasm/dist/qpdf.wasm");

const WRITE_CREATE_TRUNCATE = 0o1101;

export interface QpdfRun {
  /** 0 clean, 3 warnings, 2 errors, as qpdf documents; -1 when the module itself died. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The bytes of `/out.pdf`, where the call made it. */
  readonly output: Uint8Array | undefined;
}

/** Bytes of the largest file after which an instance is used again: its memory grows and never shrinks. */
const LARGEST_REUSED = 4 * 1024 * 1024;
/** Runs of an instance: each leaves its arguments on the stack. */
const MOST_RUNS = 20;
/** An instance that is not in use. Making one takes more time than most runs. */
let idle: { readonly qpdf: QpdfModule; readonly runs: number } | undefined;

/**
 * Runs qpdf once with `files` in its file system (paths such as `/in.pdf`). What it writes goes to `/out.pdf`: an instance that has
 * reported to stdout never writes a file there.
 */
export async function runQpdf(args: readonly string[], files: Readonly<Record<string, Uint8Array>>): Promise<QpdfRun> {
  // emscripten's exit handler sets the exit code of our own process.
  const ownExitCode = process.exitCode;
  const given = idle;
  idle = undefined;
  const { qpdf, runs } = given ?? { qpdf: await createQpdf({ locateFile: () => wasmPath }), runs: 0 };
  const { FS } = qpdf;
  // The module writes to the console; closing 1 and 2 makes the next files opened take their places.
  FS.close(FS.streams[1]);
  FS.open("/stdout", WRITE_CREATE_TRUNCATE);
  FS.close(FS.streams[2]);
  FS.open("/stderr", WRITE_CREATE_TRUNCATE);
  for (const [path, bytes] of Object.entries(files)) FS.writeFile(path, bytes);
  let exitCode = -1;
  let died = "";
  try {
    exitCode = qpdf.callMain([...args]);
  } catch (error) {
    died = String(error);
  }
  process.exitCode = ownExitCode;
  const decode = (path: string): string => new TextDecoder().decode(FS.readFile(path));
  let output: Uint8Array | undefined;
  try {
    output = FS.readFile("/out.pdf");
    FS.unlink("/out.pdf");
  } catch {
    output = undefined;
  }
  const run = { exitCode, stdout: decode("/stdout"), stderr: decode("/stderr") + died, output };
  for (const path of Object.keys(files)) FS.unlink(path);
  const isSmall = Object.values(files).every(({ length }) => length <= LARGEST_REUSED);
  // One that threw is not usable again.
  if (exitCode >= 0 && isSmall && runs + 1 < MOST_RUNS) idle = { qpdf, runs: runs + 1 };
  return run;
}

export interface QpdfCheck {
  /** Neither errors nor warnings. */
  readonly ok: boolean;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  /** Everything qpdf said. */
  readonly text: string;
}

/** `qpdf --check`: syntax, cross-references, and that every stream decodes. */
export async function check(bytes: Uint8Array, password?: string): Promise<QpdfCheck> {
  const run = await runQpdf([...passwordArgument(password), "--check", "/in.pdf"], { "/in.pdf": bytes });
  const complaints = run.stderr.split("\n").filter((line) => line.trim() !== "");
  const warnings = complaints.filter((line) => line.startsWith("WARNING")).map(withoutPosition);
  const failed = run.exitCode !== 0 && run.exitCode !== 3;
  const errors = failed ? complaints.filter((line) => !line.startsWith("WARNING")) : [];
  if (failed && errors.length === 0) errors.push(`exit code ${run.exitCode}`);
  return { ok: run.exitCode === 0, warnings, errors, text: run.stderr + run.stdout };
}

/** Object numbers and offsets differ between a source and its output; the kind of a warning does not. */
function withoutPosition(line: string): string {
  return line
    .replace(/^WARNING: \/in\.pdf ?/, "")
    .replaceAll(/\d+/g, "N")
    .trim();
}

export interface Encryption {
  readonly encrypted: boolean;
  /** The file's method for streams as qpdf calls it: `AESv3`, `AESv2`, `RC4`; undefined where it is not encrypted. */
  readonly method: string | undefined;
  /** The signed 32-bit P of the encryption dictionary. */
  readonly permissions: number | undefined;
  readonly text: string;
}

/** `qpdf --show-encryption`. */
export async function showEncryption(bytes: Uint8Array, password?: string): Promise<Encryption> {
  const run = await runQpdf([...passwordArgument(password), "--show-encryption", "/in.pdf"], { "/in.pdf": bytes });
  const text = run.stdout + run.stderr;
  const p = /^P = (-?\d+)$/m.exec(text)?.[1];
  const revision = Number(/^R = (\d+)$/m.exec(text)?.[1] ?? 0);
  const stream = /stream encryption method: (\S+)/.exec(text)?.[1];
  return {
    encrypted: p !== undefined,
    // Before revision 4 there is no method in the file: it is always RC4.
    method: stream ?? (revision > 0 ? "RC4" : undefined),
    permissions: p === undefined ? undefined : Number(p),
    text,
  };
}

/** The document as text, one character a byte: streams decompressed, objects one by one (`qpdf --qdf`). */
export async function plainText(bytes: Uint8Array): Promise<string> {
  const run = await runQpdf(["--qdf", "--object-streams=disable", "/in.pdf", "/out.pdf"], { "/in.pdf": bytes });
  if (run.output === undefined) throw new Error(`qpdf could not write it: ${run.stderr}`);
  return Buffer.from(run.output).toString("latin1");
}

/** The bytes that `qpdf --empty --pages in.pdf <range> -- --object-streams=generate` needs for these pages. */
export async function pagesSizeReference(
  bytes: Uint8Array,
  range: number | string,
  password?: string,
): Promise<number> {
  const run = await runQpdf(
    [
      "--empty",
      "--object-streams=generate",
      "--pages",
      "/in.pdf",
      ...passwordArgument(password),
      String(range),
      "--",
      "/out.pdf",
    ],
    { "/in.pdf": bytes },
  );
  if (run.output === undefined) throw new Error(`qpdf made no reference: ${run.stderr}`);
  return run.output.length;
}

function passwordArgument(password: string | undefined): string[] {
  return password === undefined ? [] : [`--password=${password}`];
}
