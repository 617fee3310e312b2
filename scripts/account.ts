/**
 * `npm run account -- create --name N [--plan P] [--test] [--remote [--env E]]`: makes an account with its first key.
 * Prints one JSON object on stdout, everything else on stderr. Exit codes: 1 failed, 2 called wrongly.
 */
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { defaultPersistTo, root, withLocalDatabase } from "./local-database.ts";
import { insertAccount, insertKey } from "../src/accounts/keys.ts";
import { isPlanName, planNames, type PlanName } from "../src/accounts/plans.ts";
import { openDatabase, type Database } from "../src/db/client.ts";
import { literalSql } from "../src/db/literal-sql.ts";

const USAGE = `Usage: npm run account -- create --name <name> [options]

  --name <name>         whose account it is, 1 to 100 characters
  --plan <plan>         ${planNames.join(", ")} (default: free)
  --test                a test key instead of a live one
  --remote              in the deployed database, by way of wrangler (log in first: npx wrangler login)
  --env <environment>   with --remote: staging or production (default: production)
  --persist-to <dir>    without --remote: where wrangler keeps the local data`;

class UsageError extends Error {}

interface Order {
  readonly name: string;
  readonly plan: PlanName;
  readonly livemode: boolean;
  readonly target:
    | { readonly kind: "local"; readonly persistTo: string }
    | { readonly kind: "remote"; readonly env: string };
}

function readOrder(args: readonly string[]): Order {
  const { values, positionals } = parseCommandLine(args);
  if (positionals.length !== 1 || positionals[0] !== "create") throw new UsageError("The command must be: create");
  const name = values.name?.trim() ?? "";
  // A control character has no business in a name, and a NUL would end the SQL text of --remote.
  if (name.length < 1 || name.length > 100 || /\p{Cc}/u.test(name)) {
    throw new UsageError("--name must be 1 to 100 characters, none of them a control character.");
  }
  const plan = values.plan ?? "free";
  if (!isPlanName(plan)) throw new UsageError(`--plan must be one of ${planNames.join(", ")}.`);
  const order = { name, plan, livemode: values.test !== true };
  if (values.remote !== true) {
    if (values.env !== undefined) throw new UsageError("--env needs --remote.");
    const persistTo = values["persist-to"];
    return {
      ...order,
      target: { kind: "local", persistTo: persistTo === undefined ? defaultPersistTo : resolve(root, persistTo) },
    };
  }
  if (values["persist-to"] !== undefined) throw new UsageError("--persist-to is for the local database.");
  // The top level of wrangler.toml is the local default and never deployed.
  return { ...order, target: { kind: "remote", env: values.env ?? "production" } };
}

function parseCommandLine(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: "string" },
        plan: { type: "string" },
        test: { type: "boolean" },
        remote: { type: "boolean" },
        env: { type: "string" },
        "persist-to": { type: "string" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function create(order: Order): Promise<{ account: string; plan: PlanName; key: string }> {
  const { target } = order;
  return target.kind === "local"
    ? withLocalDatabase(target.persistTo, async (db) => {
        const { statements, result } = await compose(db, order);
        await db.batch(statements);
        return result;
      })
    : createRemotely(order, target.env);
}

/** Composes the statements without a database and has wrangler send them as one text. */
async function createRemotely(order: Order, env: string) {
  const unsent = new Proxy({} as Parameters<typeof openDatabase>[0], {
    get: (_target, name) => {
      throw new Error(`Nothing is sent from here, yet ${String(name)} was asked for.`);
    },
  });
  const { statements, result } = await compose(openDatabase(unsent), order);
  const sql = literalSql(statements.map((statement) => statement.toSQL()));
  await wrangler(["d1", "execute", "DB", "--remote", "--env", env, "--yes", "--json", `--command=${sql}`]);
  return result;
}

async function compose(db: Database, order: Order) {
  const now = new Date();
  const account = insertAccount(db, order, now);
  const key = await insertKey(db, account.id, { name: order.name, livemode: order.livemode }, now);
  return {
    statements: [account.statement, key.statement] as const,
    result: { account: account.id, plan: order.plan, key: key.token },
  };
}

/** Runs wrangler without a shell, what it prints going to stderr. */
function wrangler(args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(root, "node_modules/wrangler/bin/wrangler.js"), ...args], {
      cwd: root,
      stdio: ["inherit", 2, 2],
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false" },
    });
    child.on("error", fail);
    child.on("exit", (code) =>
      code === 0 ? done() : fail(new Error(`wrangler ended with ${code ?? "a signal"}; no account was made.`)),
    );
  });
}

try {
  const result = await create(readOrder(process.argv.slice(2)));
  process.stdout.write(`${JSON.stringify(result)}\n`);
} catch (error) {
  const wrongUse = error instanceof UsageError;
  console.error(error instanceof Error ? error.message : error);
  if (wrongUse) console.error(`\n${USAGE}`);
  process.exitCode = wrongUse ? 2 : 1;
}
