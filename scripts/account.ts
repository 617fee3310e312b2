/**
 * `npm run account -- create|list|plan|keys|revoke|delete|export|import`: what the operator does with accounts, in the local or a deployed database.
 * Prints one JSON object on stdout, everything else on stderr. Exit codes: 1 failed, 2 called wrongly.
 */
import { createInterface } from "node:readline/promises";
import { readCommandLine, usage, UsageError } from "./account-command-line.ts";
import { withAccountDatabases } from "./account-database.ts";
import { newToken } from "../src/accounts/token.ts";
import { carryOut } from "./account-orders.ts";

/** The message of what lies at the bottom of an error: drizzle's own would be the statement. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

/** Asks for the ID of the account that is to be deleted. Throws if there is nobody to ask, or the ID is another. */
async function confirm(account: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError("delete needs --yes, or a terminal to ask for a confirmation.");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await terminal.question(`This deletes ${account} with all of its data. To confirm, type its ID: `);
  terminal.close();
  if (typed.trim() !== account) throw new Error("Nothing was deleted.");
}

try {
  const called = readCommandLine(process.argv.slice(2));
  if (called === undefined) {
    console.log(usage);
  } else {
    const { order, target } = called;
    if (order.command === "delete" && !order.confirmed) await confirm(order.account);
    const result =
      order.command === "new-key"
        ? { key: newToken(true, 0) }
        : await withAccountDatabases(
            target,
            (all, bucket) => carryOut(order, all, new Date(), bucket),
            order.command === "create" || order.command === "import",
          );
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
} catch (error) {
  const wrongUse = error instanceof UsageError;
  console.error(reasonOf(error));
  if (wrongUse) console.error(`\n${usage}`);
  process.exitCode = wrongUse ? 2 : 1;
}
