/**
 * `npm run account -- create|list|plan|keys|revoke`: what the operator does with accounts, in the local or a deployed database.
 * Prints one JSON object on stdout, everything else on stderr. Exit codes: 1 failed, 2 called wrongly.
 */
import { readCommandLine, usage, UsageError } from "./account-command-line.ts";
import { withAccountDatabases } from "./account-database.ts";
import { newToken } from "../src/accounts/token.ts";
import { carryOut } from "./account-orders.ts";

/** The message of what lies at the bottom of an error: drizzle's own would be the statement. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

try {
  const called = readCommandLine(process.argv.slice(2));
  if (called === undefined) {
    console.log(usage);
  } else {
    const { order, target } = called;
    const result =
      order.command === "new-key"
        ? { key: newToken(true, 0) }
        : await withAccountDatabases(target, (all) => carryOut(order, all, new Date()));
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
} catch (error) {
  const wrongUse = error instanceof UsageError;
  console.error(reasonOf(error));
  if (wrongUse) console.error(`\n${usage}`);
  process.exitCode = wrongUse ? 2 : 1;
}
