import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { openExecuted, type Result, type Statement } from "../src/db/executed-database.ts";
import { root } from "./root.ts";
import type { Databases } from "../src/serve/databases.ts";
import type { Database } from "../src/db/client.ts";
import { literalSql } from "../src/db/literal-sql.ts";

const printed = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())), success: z.literal(true) }));

/** The deployed databases of an environment of wrangler.toml. */
export async function openAllThroughWrangler(env: string): Promise<Databases> {
  const { unstable_readConfig: readConfig } = await import("wrangler");
  const config = readConfig({ config: join(root, "wrangler.toml"), env }, { hideWarnings: true });
  const open = (shard: number) => openThroughWrangler(shard === 0 ? "DB" : `DB_${shard}`, ["--remote", "--env", env]);
  return [open(0), ...Array.from({ length: config.d1_databases.length - 1 }, (_, index) => open(index + 1))];
}

/**
 * The database that `wrangler d1 execute DB` reaches with these flags: `--remote --env staging`, or `--local`. Each query, and
 * each batch, is one run of wrangler, which sends it as one transaction.
 */
export function openThroughWrangler(name: string, flags: readonly string[]): Database {
  return openExecuted((statements) => run(name, flags, statements));
}

/** Runs wrangler without a shell. Its questions and warnings go to stderr. */
async function run(name: string, flags: readonly string[], statements: readonly Statement[]): Promise<Result[]> {
  const args = ["d1", "execute", name, ...flags, "--yes", "--json", `--command=${literalSql(statements)}`];
  const wrangler = spawn(process.execPath, [join(root, "node_modules/wrangler/bin/wrangler.js"), ...args], {
    cwd: root,
    stdio: ["inherit", "pipe", "inherit"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false" },
  });
  const [stdout, [code]] = await Promise.all([
    text(wrangler.stdout),
    once(wrangler, "close") as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`wrangler ended with ${code ?? "a signal"}:\n${stdout.trim()}`);
  const results = printed.parse(JSON.parse(stdout));
  if (results.length !== statements.length) {
    throw new Error(`wrangler printed ${results.length} results for ${statements.length} statements.`);
  }
  return results;
}
