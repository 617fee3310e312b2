import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { type Databases, root } from "./local-database.ts";
import { openDatabase, type Database } from "../src/db/client.ts";
import { literalSql } from "../src/db/literal-sql.ts";

type Binding = Parameters<typeof openDatabase>[0];
type Row = Record<string, unknown>;

interface Result {
  readonly results: readonly Row[];
  readonly success: true;
}

const printed = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())), success: z.literal(true) }));

/** The databases of an environment of wrangler.toml, as they are deployed. */
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
  const execute = (statements: readonly Statement[]): Promise<Result[]> => run(name, flags, statements);
  const binding = {
    prepare: (sql: string) => new Statement(execute, sql, []),
    batch: execute,
  };
  // What drizzle uses of a binding: `prepare` and `batch`, and of a statement what stands below.
  return openDatabase(binding as unknown as Binding);
}

class Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly #execute: (statements: readonly Statement[]) => Promise<Result[]>;

  constructor(
    execute: (statements: readonly Statement[]) => Promise<Result[]>,
    sql: string,
    params: readonly unknown[],
  ) {
    this.#execute = execute;
    this.sql = sql;
    this.params = params;
  }

  bind(...params: readonly unknown[]): Statement {
    return new Statement(this.#execute, this.sql, params);
  }

  async all(): Promise<Result> {
    const [result] = await this.#execute([this]);
    if (result === undefined) throw new Error("wrangler printed no result.");
    return result;
  }

  run(): Promise<Result> {
    return this.all();
  }

  async raw(): Promise<unknown[][]> {
    const { results } = await this.all();
    return results.map((row) => Object.values(row));
  }
}

/** Runs wrangler without a shell. What it asks and warns of is seen on stderr. */
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
