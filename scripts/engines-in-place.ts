import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { root } from "./root.ts";

const folder = join(root, "wasm/generated");
const record = join(folder, ".in-place.json");

/**
 * Runs wasm/prepare.ts again unless its output is complete: somebody may have cleaned the folder, installed without scripts, or fetched a newer
 * prepare.ts. An unchanged folder is left alone, because each write there makes every running `wrangler dev` rebuild.
 */
export async function putEnginesInPlace(): Promise<void> {
  if ((await currentState()) === (await readFile(record, "utf8").catch(() => undefined))) return;
  await import("../wasm/prepare.ts");
  await writeFile(record, await currentState());
}

/** prepare.ts and its imports by their hash, its outputs by name and size. */
async function currentState(): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(join(root, "wasm"))).toSorted()) {
    if (name.endsWith(".ts")) hash.update(await readFile(join(root, "wasm", name)));
  }
  const names = await readdir(folder).catch(() => []);
  const sizes: Record<string, number> = {};
  for (const name of names.toSorted()) {
    if (!name.startsWith(".")) sizes[name] = (await stat(join(folder, name))).size;
  }
  return JSON.stringify({ prepare: hash.digest("hex"), sizes });
}
