import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import "./webcrypto.ts";
import { openExecuted } from "../db/executed-database.ts";
import { openMiniflare } from "./miniflare.ts";
import { readBundle } from "./runtime.ts";
import type { FileStore } from "../files/file.ts";
import { type Database, openDatabase } from "../db/client.ts";

export type Databases = readonly [Database, ...Database[]];

/**
 * Opens the databases and the bucket of `npm run serve`, brings the databases up to date, and closes them again. `app`: the folder of the bundle;
 * `data`: that of its data.
 */
export async function withDatabasesIn<T>(
  { app, data }: { readonly app: string; readonly data: string },
  work: (databases: Databases, bucket: FileStore["bucket"]) => Promise<T>,
): Promise<T> {
  const { databases: bound, buckets } = await readBundle(app);
  const script = "export default {}";
  const worker = { name: "databases", modules: true, script, d1Databases: bound, r2Buckets: buckets };
  const miniflare = await openMiniflare(data, [worker]);
  try {
    // In the order of their numbers: DB, DB_1, DB_2, ...
    const names = Object.keys(bound).toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
    const opened = await Promise.all(names.map(async (name) => openDatabase(await miniflare.getD1Database(name))));
    const [first, ...more] = opened;
    if (first === undefined) throw new Error("the bundle has no database");
    const bucket = (await miniflare.getR2Bucket("FILES")) as unknown as FileStore["bucket"];
    return await work(await withMigrations([first, ...more], join(app, "migrations")), bucket);
  } finally {
    await miniflare.dispose();
  }
}

/** The same databases with all migrations, which wait while a server writes. */
export async function withMigrations([first, ...more]: Databases, migrations: string): Promise<Databases> {
  const databases: Databases = [patient(first), ...more.map(patient)];
  for (const db of databases) await migrate(db, migrations);
  return databases;
}

/** How often a statement is tried, and the time between, in ms. */
const TRIES = 50;
const PAUSE = 100;

/**
 * The same database, which waits while a running server writes: statements that SQLite refused with SQLITE_BUSY have changed nothing and are
 * repeated. No `busy_timeout` is set by workerd, which reports an internal error if it cannot open the file.
 */
function patient({ $client: d1 }: Database): Database {
  return openExecuted(async (statements) => {
    const prepared = statements.map(({ sql, params }) => d1.prepare(sql).bind(...params));
    for (let tried = 1; ; tried += 1) {
      try {
        return await d1.batch<Record<string, unknown>>(prepared);
      } catch (error) {
        if (tried === TRIES || !/SQLITE_BUSY|internal error; reference/.test(String(error))) throw error;
        await setTimeout(PAUSE);
      }
    }
  });
}

/** Applies missing migrations, with the table and names of `wrangler d1 migrations apply`, so that the two agree. */
async function migrate(db: Database, folder: string): Promise<void> {
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
  const appliedNames = async (): Promise<Set<string>> => {
    const { results } = await d1.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
    return new Set(results.map(({ name }) => name));
  };
  const applied = await appliedNames();
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql") && !applied.has(name));
  for (const name of names.toSorted()) {
    const sql = await readFile(join(folder, name), "utf8");
    const statements = sql
      .split("--> statement-breakpoint")
      .filter((statement) => statement.trim() !== "")
      .map((statement) => d1.prepare(statement));
    // One batch is one transaction: a migration is applied as a whole or not at all.
    const record = d1.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name);
    try {
      await d1.batch([...statements, record]);
    } catch (error) {
      // Another process may have applied it meanwhile.
      if (!(await appliedNames()).has(name)) throw error;
    }
  }
}
