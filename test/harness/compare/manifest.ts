import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The files of a corpus that its MANIFEST.json lists, each with its password, if it has one; undefined without a MANIFEST.json. */
export async function readManifest(folder: string): Promise<Map<string, string | undefined> | undefined> {
  const manifest = join(folder, "MANIFEST.json");
  if (!existsSync(manifest)) return undefined;
  const { files } = JSON.parse(await readFile(manifest, "utf8")) as { files: { file: string; password?: string }[] };
  return new Map(files.map(({ file, password }) => [file, password]));
}
