import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { defaultPersistTo } from "./local-database.ts";
import { root } from "./root.ts";
import { insertAccount, listAccounts } from "../src/accounts/operator.ts";
import { findKey, grantAllScopes, insertKey } from "../src/keys/operator.ts";
import type { PlanName } from "../src/accounts/plans.ts";
import type { Database } from "../src/db/client.ts";

const developmentAccount = z.object({
  account: z.string(),
  plan: z.string(),
  liveKey: z.string(),
  testKey: z.string(),
});

type DevelopmentAccount = z.infer<typeof developmentAccount>;

export interface EnsuredAccount {
  readonly account: DevelopmentAccount;
  /** Why it was created; undefined if it was there. */
  readonly reason: "first start" | "no file" | "unknown keys" | undefined;
}

/** The largest: on one's own machine the limits would only be in the way. */
const PLAN: PlanName = "enterprise";

/** The account belongs to one database, so another `--persist-to` has a file of its own, beside the data. */
export function developmentAccountFile(persistTo: string): string {
  return persistTo === defaultPersistTo ? join(root, ".dev-account.json") : join(persistTo, ".dev-account.json");
}

/**
 * The account of the file where the database still takes both of its keys; a new one where file or database is gone, or
 * a key was revoked. Only the file has the keys; the database has their hashes. They get the scopes that are new since
 * they were made.
 */
export async function ensureDevelopmentAccount(db: Database, file: string, now: Date): Promise<EnsuredAccount> {
  const kept = await readDevelopmentAccount(file);
  if (kept !== undefined) {
    const live = await findKey(db, kept.liveKey, now);
    const test = await findKey(db, kept.testKey, now);
    if (live.ok && test.ok) {
      await chmod(file, 0o600);
      await grantAllScopes(db, [live.caller.key, test.caller.key]);
      return { account: kept, reason: undefined };
    }
  }
  const first = (await listAccounts(db, now)).length === 0;
  const { id, statement } = insertAccount(db, { name: "Development", plan: PLAN }, now);
  const live = await insertKey(db, id, { name: "Development, live", livemode: true }, now);
  const test = await insertKey(db, id, { name: "Development, test", livemode: false }, now);
  await db.batch([statement, live.statement, test.statement]);
  const made: DevelopmentAccount = { account: id, plan: PLAN, liveKey: live.token, testKey: test.token };
  await writePrivately(file, `${JSON.stringify(made, null, 2)}\n`);
  return { account: made, reason: kept ? "unknown keys" : first ? "first start" : "no file" };
}

/** The kept account, or undefined if the file is missing or unreadable. */
async function readDevelopmentAccount(file: string): Promise<DevelopmentAccount | undefined> {
  try {
    return developmentAccount.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** By way of a new file, so that the keys are never in one that others may read, or in half a one. */
async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, text, { mode: 0o600, flag: "wx" });
  await rename(unfinished, file);
}
