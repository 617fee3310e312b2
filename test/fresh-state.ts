import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject } from "vitest";
import { resetIsolate } from "../src/isolate.ts";

// Files of tests share an isolate and its database.
resetIsolate();
await applyD1Migrations(env.DB, inject("migrations"));

// Accounts and keys stay: modules that tests share make theirs once for all files of a worker. What they have sent in this minute does
// not count: on a fast machine, several files send it within one.
const { results: tables } = await env.DB.prepare(
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' AND name NOT IN ('d1_migrations', 'accounts', 'api_keys')",
).all<{ name: string }>();
await env.DB.batch([
  env.DB.prepare("PRAGMA defer_foreign_keys = ON"),
  env.DB.prepare("UPDATE accounts SET minute = 0, minute_requests = 0"),
  ...tables.map(({ name }) => env.DB.prepare(`DELETE FROM "${name}"`)),
]);
