import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Target } from "./account-database.ts";
import { defaultPersistTo } from "./local-database.ts";
import { root } from "./root.ts";
import { labelPattern } from "../src/accounts/label.ts";
import { isPlanName, planNames, type PlanName } from "../src/accounts/plans.ts";

export const usage = `Usage: npm run account -- <command> [options]

  create --name <name> [--plan <plan>] [--test]          creates an account with its first key
  create --account <account> --name <name> [--test]      creates another key for an account
  delete --account <account> [--yes]                     deletes an account with all of its data
  export <file> [--account <account>]                    writes all accounts, or one, with their files
  import <file>                                          adds the accounts of such a file
  new-key                                                prints a key for API_KEY of npm run serve, and stores nothing
  list                                                   lists all accounts
  plan --account <account> --plan <plan>                 changes the plan of an account
  keys --account <account>                               lists the keys of an account
  revoke --key <key> | --account <account>               revokes a key (by its ID, key_...), or all keys of an account

  --name <name>         1 to 100 characters
  --plan <plan>         ${planNames.join(", ")} (create: default unlimited with --data, free without)
  --yes                 do not ask for a confirmation
  --test                create a test key instead of a live one
  --remote              use the deployed database, through wrangler (log in first: npx wrangler login)
  --env <environment>   with --remote: staging or production (default: production)
  --data <dir>          the folder of the data of npm run serve
  --persist-to <dir>    without --remote: the folder of wrangler's local data
  --help

Prints one JSON object to stdout and everything else to stderr. Exit codes: 0 success, 1 failure, 2 wrong arguments.`;

/** The command line is wrong: exit code 2, and the usage on stderr. */
export class UsageError extends Error {}

/** What to do. */
export type Order =
  | { readonly command: "create"; readonly name: string; readonly plan: PlanName; readonly livemode: boolean }
  | { readonly command: "create-key"; readonly account: string; readonly name: string; readonly livemode: boolean }
  | { readonly command: "list" }
  | { readonly command: "delete"; readonly account: string; readonly confirmed: boolean }
  | { readonly command: "export"; readonly path: string; readonly account: string | undefined }
  | { readonly command: "import"; readonly path: string }
  | { readonly command: "new-key" }
  | { readonly command: "plan"; readonly account: string; readonly plan: PlanName }
  | { readonly command: "keys"; readonly account: string }
  | { readonly command: "revoke"; readonly account: string }
  | { readonly command: "revoke-key"; readonly key: string };

type Values = ReturnType<typeof parse>["values"];

const commands: Readonly<
  Record<
    string,
    { readonly takes: readonly (keyof Values)[]; readonly file?: true; order(values: Values, file: string): Order }
  >
> = {
  create: {
    takes: ["name", "plan", "test", "account"],
    order(values) {
      const [name, livemode] = [labelOf(values.name), values.test !== true];
      if (values.account === undefined)
        return {
          command: "create",
          name,
          plan: planOf(values.plan ?? (values.data === undefined ? "free" : "unlimited")),
          livemode,
        };
      if (values.plan !== undefined)
        throw new UsageError("--plan is only for new accounts. Use the plan command to change an account.");
      return { command: "create-key", account: idOf("account", values.account), name, livemode };
    },
  },
  "new-key": { takes: [], order: () => ({ command: "new-key" }) },
  delete: {
    takes: ["account", "yes"],
    order: ({ account, yes }) => ({ command: "delete", account: idOf("account", account), confirmed: yes === true }),
  },
  export: {
    takes: ["account"],
    file: true,
    order: ({ account }, path) => ({
      command: "export",
      path,
      account: account === undefined ? undefined : idOf("account", account),
    }),
  },
  import: { takes: [], file: true, order: (_, path) => ({ command: "import", path }) },
  list: { takes: [], order: () => ({ command: "list" }) },
  plan: {
    takes: ["account", "plan"],
    order: ({ account, plan }) => ({ command: "plan", account: idOf("account", account), plan: planOf(plan) }),
  },
  keys: {
    takes: ["account"],
    order: ({ account }) => ({ command: "keys", account: idOf("account", account) }),
  },
  revoke: {
    takes: ["key", "account"],
    order({ key, account }) {
      if ((key === undefined) === (account === undefined)) throw new UsageError("Use either --key or --account.");
      if (key === undefined) return { command: "revoke", account: idOf("account", account) };
      return { command: "revoke-key", key: idOf("key", key) };
    },
  },
};

/** Reads the command line; undefined where help was asked for. Throws a `UsageError`. */
export function readCommandLine(args: readonly string[]): { order: Order; target: Target } | undefined {
  const { values, positionals } = parse(args);
  if (values.help === true) return undefined;
  const [name = "", ...more] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const [file = ""] = more;
  if (command?.file === true && file === "") throw new UsageError(`${name} needs the path of a file.`);
  if (command === undefined || more.length > (command.file === true ? 1 : 0)) {
    throw new UsageError(`The command must be one of ${Object.keys(commands).join(", ")}.`);
  }
  const everywhere: readonly string[] = ["remote", "env", "persist-to", "data"];
  for (const option of Object.keys(values) as (keyof Values)[]) {
    if (!command.takes.includes(option) && !everywhere.includes(option)) {
      throw new UsageError(`--${option} is not an option of ${name}.`);
    }
  }
  return { target: targetOf(values), order: command.order(values, file) };
}

function targetOf(values: Values): Target {
  const { data, "persist-to": persistTo } = values;
  if (data !== undefined) {
    if (values.remote === true || values.env !== undefined || persistTo !== undefined)
      throw new UsageError("--data is not for --remote, --env, or --persist-to.");
    return { kind: "served", data: resolve(data) };
  }
  if (values.remote !== true) {
    if (values.env !== undefined) throw new UsageError("--env needs --remote.");
    return { kind: "local", persistTo: persistTo === undefined ? defaultPersistTo : resolve(root, persistTo) };
  }
  if (persistTo !== undefined) throw new UsageError("--persist-to is only for the local database.");
  // The top level of wrangler.toml is the local default and never deployed.
  return { kind: "remote", env: values.env ?? "production" };
}

function labelOf(given: string | undefined): string {
  const name = given?.trim() ?? "";
  if (labelPattern.test(name)) return name;
  throw new UsageError("--name must be 1 to 100 characters long, without control characters.");
}

function planOf(given: string | undefined): PlanName {
  if (given !== undefined && isPlanName(given)) return given;
  throw new UsageError(`--plan must be one of ${planNames.join(", ")}.`);
}

function idOf(option: "account" | "key", given: string | undefined): string {
  const prefix = option === "account" ? "acct" : "key";
  if (given !== undefined && new RegExp(`^${prefix}_[0-9A-Za-z]+$`).test(given)) return given;
  throw new UsageError(`--${option} must be an ID, ${prefix}_...`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: "string" },
        plan: { type: "string" },
        account: { type: "string" },
        key: { type: "string" },
        test: { type: "boolean" },
        yes: { type: "boolean" },
        remote: { type: "boolean" },
        env: { type: "string" },
        data: { type: "string" },
        "persist-to": { type: "string" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
