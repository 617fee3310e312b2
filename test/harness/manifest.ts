import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Passwords of a corpus, by file, as its MANIFEST.json names them; none where there is no such file. */
export async function readPasswords(folder: string): Promise<Map<string, string>> {
  const manifest = join(folder, "MANIFEST.json");
  if (!existsSync(manifest)) return new Map();
  const { files } = JSON.parse(await readFile(manifest, "utf8")) as { files: { file: string; password?: string }[] };
  return new Map(files.flatMap(({ file, password }) => (password === undefined ? [] : [[file, password] as const])));
}
