import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import "./webcrypto.ts";
import { openDatabase, type Database } from "../src/db/client.ts";

export const root = join(import.meta.dirname, "..");

/** Where wrangler keeps local data unless `--persist-to` says otherwise. */
export const defaultPersistTo = join(root, ".wrangler/state");

/**
 * Opens the local database that `wrangler dev --persist-to <persistTo>` uses, brings it up to date, and closes it again.
 * One process for all of it: each call of wrangler's own command line would cost a second.
 */
export async function withLocalDatabase<T>(persistTo: string, work: (db: Database) => Promise<T>): Promise<T> {
  // Here, because wrangler takes most of a second to load: a command that is called wrongly says so at once.
  const { getPlatformProxy } = await import("wrangler");
  const proxy = await getPlatformProxy<{ DB: Parameters<typeof openDatabase>[0] }>({
    configPath: join(root, "wrangler.toml"),
    // The command line adds the version of the layout; the function does not.
    persist: { path: join(persistTo, "v3") },
    remoteBindings: false,
  });
  try {
    const db = openDatabase(proxy.env.DB);
    await migrate(db);
    return await work(db);
  } finally {
    await proxy.dispose();
  }
}

/** Applies what is missing, in the table and by the names of `wrangler d1 migrations apply`, so that the two agree. */
async function migrate(db: Database): Promise<void> {
  const d1 = db.$client;
  await d1
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT UNIQUE,
        applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
      )`,
    )
    .run();
  const { results } = await d1.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map((row) => row.name));
  const folder = join(root, "migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql") && !applied.has(name));
  for (const name of names.toSorted()) {
    const sql = await readFile(join(folder, name), "utf8");
    const statements = sql
      .split("--> statement-breakpoint")
      .filter((statement) => statement.trim() !== "")
      .map((statement) => d1.prepare(statement));
    // One batch is one transaction: a migration is applied as a whole or not at all.
    await d1.batch([...statements, d1.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name)]);
  }
}
