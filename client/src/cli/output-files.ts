/** The files that a command writes: whole or not at all, and never one that it has read. */
import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, exitCodes, Failure, usageFailure, withPath } from "./failure.ts";

/** Where results go. */
export interface Target {
  /** `-` is standard output; undefined: a file in this folder, named by the service. */
  readonly out: string | undefined;
  /** Whether a file that was not named may be replaced. */
  readonly force: boolean;
  /** Whether there are several results, which need a folder. */
  readonly several: boolean;
  /** The real paths of the files that were read. */
  readonly inputs: ReadonlySet<string>;
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Writes a result, and returns its path; undefined for standard output. `name` is what the service calls it.
 *
 * @throws Failure, `Closed`, or what the chunks throw; then there is no file, or the one that was there before.
 */
export async function writeResult(chunks: Chunks, name: string, target: Target): Promise<string | undefined> {
  if (target.out === "-") {
    await writeStandardOutput(chunks);
    return undefined;
  }
  const path = await pathOf(name, target);
  await withPath("write", path, () => writeFile(chunks, path, target));
  return path;
}

/** Whoever reads standard output has seen enough. */
export class Closed extends Error {
  override readonly name = "Closed";
}

export async function writeStandardOutput(chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) {
    await new Promise<void>((done, fail) => {
      process.stdout.write(chunk, (error) => {
        if (!error) done();
        else if (codeOf(error) === "EPIPE") fail(new Closed());
        else fail(error);
      });
    }).catch((error: unknown) => {
      if (error instanceof Closed) throw error;
      return withPath("write", "standard output", () => Promise.reject(error));
    });
  }
}

async function pathOf(name: string, { out, several }: Target): Promise<string> {
  // A name from the service stays in the folder.
  const safe = basename(name.replaceAll("\\", "/")).replace(/^\.+/, "") || "result";
  if (out === undefined) return safe;
  const isFolder = await stat(out).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (isFolder) return join(out, safe);
  if (!several && !out.endsWith("/")) return out;
  if (several && !out.endsWith("/")) throw usageFailure(`Several results need a folder: -o ${out}/`);
  await withPath("create", out, () => mkdir(out, { recursive: true }));
  return join(out, safe);
}

async function writeFile(chunks: Chunks, typed: string, { out, force, several, inputs }: Target): Promise<void> {
  const facts = await stat(typed).catch(() => undefined);
  if (facts && !facts.isFile()) {
    // A device or a pipe is written directly.
    const handle = await open(typed, "w");
    try {
      await writeAll(handle, chunks);
    } finally {
      await handle.close();
    }
    return;
  }
  // A link stays a link, and the file that it names is replaced.
  const path = facts ? await realpath(typed) : typed;
  if (inputs.has(path) || (facts && (await isInput(facts, inputs)))) {
    throw new Failure(exitCodes.file, `${typed} is an input. Inputs are never overwritten: choose another -o.`);
  }
  const isNamed = out !== undefined && !several && typed === out;
  if (facts && !isNamed && !force) {
    throw new Failure(exitCodes.file, `${typed} already exists. Name it with -o to replace it, or add --force.`);
  }
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString("hex")}.part`);
  const handle = await open(temporary, "wx", facts && facts.mode & 0o777);
  unfinished.add(temporary);
  try {
    try {
      await writeAll(handle, chunks);
      // The bytes are on the disk before the file is renamed.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    unfinished.delete(temporary);
  }
}

/** Files that are being written, for a program that has to end at once. */
export const unfinished = new Set<string>();

/** The same file can have several names. */
async function isInput(facts: { readonly dev: number; readonly ino: number }, inputs: ReadonlySet<string>) {
  for (const input of inputs) {
    const other = await stat(input).catch(() => undefined);
    if (other && other.dev === facts.dev && other.ino === facts.ino) return true;
  }
  return false;
}

async function writeAll(handle: FileHandle, chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) at += (await handle.write(chunk, at)).bytesWritten;
  }
}
