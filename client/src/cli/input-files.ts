/** The files that a command reads. */
import { openAsBlob } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { exitCodes, Failure, usageFailure, withPath } from "./failure.ts";

/** What a word names: a file, or a text that the service takes in its place. */
export type InputFile =
  | { readonly typed: string; readonly reference: string }
  | { readonly typed: string; readonly name: string; readonly content: Blob };

const REFERENCE = /^(?:file_\w+|https:\/\/.*)$/;
const PATTERN = /[*?[]/;

/** Reads what a command has been given, each thing once: standard input has one end. */
export class Inputs {
  /** The real paths of all files that were read, which are never written. */
  readonly paths = new Set<string>();
  #standardInput: Promise<Blob> | undefined;

  /** Whether standard input was read. */
  get readsStandardInput(): boolean {
    return this.#standardInput !== undefined;
  }

  /** A file for each word; several for a pattern such as `scans/*.pdf` that the shell has not expanded. */
  async files(words: readonly string[]): Promise<InputFile[]> {
    const files: InputFile[] = [];
    for (const word of words) {
      for (const path of await expanded(word)) files.push(await this.file(path));
    }
    return files;
  }

  async file(typed: string): Promise<InputFile> {
    if (REFERENCE.test(typed)) return { typed, reference: typed };
    if (typed === "-") return { typed: "standard input", name: "stdin", content: await this.#readStandardInput() };
    return withPath("read", typed, async () => {
      const facts = await stat(typed);
      if (facts.isDirectory()) throw new Failure(exitCodes.file, `Cannot read ${typed}: it is a folder.`);
      this.paths.add(await realpath(typed));
      // A pipe, such as of `<(command)`, has no size.
      const content = facts.isFile() ? await blobOf(typed) : new Blob([await readFile(typed)]);
      return { typed, name: basename(typed), content };
    });
  }

  /** The value of an option: `@path` is the text of that file, and `@@text` is `@text`. */
  async text(value: string): Promise<string> {
    if (!value.startsWith("@")) return value;
    if (value.startsWith("@@")) return value.slice(1);
    const file = await this.file(value.slice(1));
    if ("reference" in file) throw usageFailure(`${value} is not the path of a file.`);
    return (await file.content.text()).replace(/\r?\n$/, "");
  }

  async #readStandardInput(): Promise<Blob> {
    if (this.#standardInput) throw usageFailure("Standard input (-) can be used only once.");
    this.#standardInput = (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return new Blob(chunks as Buffer<ArrayBuffer>[]);
    })();
    return this.#standardInput;
  }
}

/** A file of a few bytes is read now, so that it can change afterwards. A larger one is read when it is sent. */
async function blobOf(path: string): Promise<Blob> {
  const blob = await openAsBlob(path);
  return blob.size < 1_048_576 ? new Blob([await readFile(path)]) : blob;
}

async function expanded(word: string): Promise<readonly string[]> {
  if (!PATTERN.test(word) || REFERENCE.test(word)) return [word];
  const exists = await stat(word).then(
    () => true,
    () => false,
  );
  if (exists) return [word];
  const isAbsolute = word.startsWith("/");
  const found = await matching(isAbsolute ? "/" : "", word.split("/").filter(Boolean));
  if (found.length === 0) throw new Failure(exitCodes.file, `No file matches ${word}.`);
  return found.sort();
}

/** The paths below a folder that match a pattern, whose parts these are. `**` is any number of folders. */
async function matching(folder: string, [part, ...rest]: readonly string[]): Promise<string[]> {
  if (part === undefined) return [];
  if (!PATTERN.test(part)) {
    const path = join(folder, part);
    const exists = await stat(path).catch(() => undefined);
    if (!exists) return [];
    return rest.length === 0 ? [path] : matching(path, rest);
  }
  const entries = await readdir(folder === "" ? "." : folder, { withFileTypes: true }).catch(() => []);
  const shown = entries.filter(({ name }) => part.startsWith(".") || !name.startsWith("."));
  const found: string[] = part === "**" ? await matching(folder, rest) : [];
  const matches = regExpOf(part);
  for (const entry of shown) {
    const path = folder === "" ? entry.name : `${folder.endsWith(sep) ? folder.slice(0, -1) : folder}/${entry.name}`;
    if (part === "**") {
      if (entry.isDirectory()) found.push(...(await matching(path, [part, ...rest])));
    } else if (matches.test(entry.name)) {
      if (rest.length > 0) found.push(...(await matching(path, rest)));
      else if (!entry.isDirectory()) found.push(path);
    }
  }
  return [...new Set(found)];
}

/** A part of a pattern: `*`, `?`, and `[abc]`, as shells know them. */
function regExpOf(part: string): RegExp {
  const source = part.replaceAll(/\[(!|\^)?([^\]]+)\]|[*?]|[.+^${}()|\\[\]]/g, (all, not: unknown, set: unknown) => {
    if (all === "*") return ".*";
    if (all === "?") return ".";
    if (typeof set !== "string") return `\\${all}`;
    return `[${not === undefined ? "" : "^"}${set.replaceAll(/[\\\]]/g, "\\$&")}]`;
  });
  return new RegExp(`^${source}$`, "su");
}
