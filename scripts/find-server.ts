import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./root.ts";
import { PLACES } from "../src/serve/bundle.ts";

/** The files from which a bundle is built. `wasm/generated` is made from them, except the list of models, to which the operator adds. */
const SOURCES = ["src", "scripts", "wasm", "migrations", "wrangler.toml", "package-lock.json"];
/** The file of a bundle that names its sources. */
const KEY = "sources";
const GENERATED = "wasm/generated";
const MODELS = "wasm/generated/models.js";

interface FindOptions {
  /** Whether the bundle must have been built from the current state of the checkout. */
  readonly current: boolean;
  /** Called before a bundle is built, which takes seconds. */
  building?(): void;
}

/**
 * The folder of the bundle: the one that contains this program, as in a container, or one beside the data. The latter is built from the checkout if
 * it is missing or the checkout has changed.
 */
export async function findApp(data: string, { current, building }: FindOptions): Promise<string> {
  if (existsSync(join(root, PLACES.settings))) return root;
  const built = join(data, ".app");
  const found = await keyOf(built);
  if (found !== undefined && !current) return built;
  const key = await sourceKey(root);
  if (found === key) return built;
  building?.();
  const { buildServer } = await import("./build-server.ts");
  // Another process may do the same, such as `npm run account` beside the first start of a server: each builds for itself, and the last one's is used.
  const own = `${built}.${process.pid}`;
  try {
    await buildServer(own);
    await writeFile(join(own, KEY), key);
    await rm(built, { recursive: true, force: true });
    await rename(own, built).catch(async (error: unknown) => {
      if ((await keyOf(built)) !== key) throw error;
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return built;
}

/** The key of the sources from which a bundle was built; undefined if there is no bundle. */
const keyOf = async (folder: string): Promise<string | undefined> =>
  readFile(join(folder, KEY), "utf8").catch(() => undefined);

/** Changes whenever a bundle of this checkout would. */
export async function sourceKey(checkout: string): Promise<string> {
  const hash = createHash("sha256");
  const add = async (path: string): Promise<void> => {
    if (path === GENERATED) return;
    const place = join(checkout, path);
    hash.update(`${path}\0`);
    if ((await stat(place)).isDirectory()) {
      for (const name of (await readdir(place)).toSorted()) await add(`${path}/${name}`);
      return;
    }
    const content = await readFile(place);
    hash.update(`${content.length}\0`).update(content);
  };
  for (const source of SOURCES) await add(source);
  if (existsSync(join(checkout, MODELS))) await add(MODELS);
  return hash.digest("hex");
}
