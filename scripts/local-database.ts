import { createRequire } from "node:module";
import { join } from "node:path";
import "./compile-cache.ts";
import "../src/serve/webcrypto.ts";
import { root } from "./root.ts";
import { LOCAL_SECRET } from "../src/serve/local-secret.ts";
import { readEnv } from "../src/env.ts";
import type { R2Bucket } from "@cloudflare/workers-types";
import { type Databases, withMigrations } from "../src/serve/databases.ts";

/** Wrangler's default folder for local data, without `--persist-to`. */
export const defaultPersistTo = join(root, ".wrangler/state");

/**
 * Opens the local databases that `wrangler dev --persist-to <persistTo>` uses, brings them up to date, and closes them again.
 * One process for all of it: each call of wrangler's own command line would cost a second.
 */
export async function withLocalDatabases<T>(
  persistTo: string,
  work: (databases: Databases, bucket: R2Bucket) => Promise<T>,
): Promise<T> {
  // Here, because wrangler takes most of a second to load: a command with wrong arguments fails at once.
  // Required, because an import would search its 15 MB for exports first.
  const { getPlatformProxy } = createRequire(import.meta.url)("wrangler") as typeof import("wrangler");
  const proxy = await getPlatformProxy({
    configPath: join(root, "wrangler.toml"),
    // The command line adds the version of the layout; the function does not.
    persist: { path: join(persistTo, "v3") },
    remoteBindings: false,
  });
  try {
    const { databases, files } = readEnv({ ...proxy.env, SERVER_SECRET: LOCAL_SECRET });
    return await work(await withMigrations(databases, join(root, "migrations")), files.bucket);
  } finally {
    await proxy.dispose();
  }
}
