import { open, rm } from "node:fs/promises";
import type { R2Bucket } from "@cloudflare/workers-types";
import type { Order } from "./account-command-line.ts";
import { insertAccount, listAccounts, planOf, setPlan } from "../src/accounts/operator.ts";
import { insertKey, keysOf, revokeAllKeys, revokeAnyKey } from "../src/keys/operator.ts";
import { shardOfAccount } from "../src/accounts/token.ts";
import type { Databases } from "../src/serve/databases.ts";
import type { Database } from "../src/db/client.ts";
import { eraseAccount } from "../src/files/erase-account.ts";
import { exportAccounts, importAccounts } from "../src/files/export-accounts.ts";

/** Those that need a database. */
export type StoredOrder = Exclude<Order, { readonly command: "new-key" }>;

/** Runs the operator's command and returns the output. Throws if the account or key does not exist. Without a bucket, files are left out. */
export async function carryOut(
  order: StoredOrder,
  databases: Databases,
  now: Date,
  bucket?: R2Bucket,
): Promise<object> {
  switch (order.command) {
    case "create": {
      const { name, plan, livemode } = order;
      // An account stays where it is made; of many, each database gets as many.
      const shard = Math.floor(Math.random() * databases.length);
      const db = databases[shard] ?? databases[0];
      const account = insertAccount(db, { name, plan, shard }, now);
      const key = await insertKey(db, account.id, { name, livemode }, now);
      await db.batch([account.statement, key.statement]);
      return { account: account.id, plan, key: key.token };
    }
    case "create-key": {
      const { account, name, livemode } = order;
      const db = homeOf(databases, account);
      const plan = existing(await planOf(db, account), account);
      const key = await insertKey(db, account, { name, livemode }, now);
      await key.statement;
      return { account, plan, key: key.token };
    }
    case "list":
      return { accounts: (await Promise.all(databases.map((db) => listAccounts(db, now)))).flat() };
    case "plan": {
      const { account, plan } = order;
      existing((await setPlan(homeOf(databases, account), account, plan)) || undefined, account);
      return { account, plan };
    }
    case "keys": {
      const { account } = order;
      return { account, keys: existing(await keysOf(homeOf(databases, account), account), account) };
    }
    case "revoke": {
      const { account } = order;
      return existing(await revokeAllKeys(homeOf(databases, account), account, now), account);
    }
    case "delete": {
      const { account } = order;
      const db = homeOf(databases, account);
      const erased = existing(await eraseAccount(db, account, { bucket, settings: databases[0], now }), account);
      return { account, deleted: erased, ...(bucket === undefined && { bytesOfFiles: "removed by the sweep" }) };
    }
    case "export": {
      const { path, account } = order;
      // It has the hashes of keys, and encrypted secrets. An existing file stays.
      const file = await open(path, "wx", 0o600);
      try {
        return await exportAccounts(databases, bucket, { account, now }, async (line) => {
          await file.write(line);
        });
      } catch (error) {
        await rm(path);
        throw error;
      } finally {
        await file.close();
      }
    }
    case "import": {
      const file = await open(order.path);
      try {
        return await importAccounts(databases, bucket, file.readLines(), now);
      } finally {
        await file.close();
      }
    }
    case "revoke-key": {
      // A key's id does not tell its database; only one has it.
      const found = await Promise.all(databases.map((db) => revokeAnyKey(db, order.key, now)));
      return existing(
        found.find((revoked) => revoked !== undefined),
        order.key,
      );
    }
  }
}

/** The database that an account lives in. */
function homeOf(databases: Databases, account: string): Database {
  const shard = existing(shardOfAccount(account), account);
  const db = databases[shard];
  if (db === undefined) throw new Error(`wrangler.toml has no DB_${shard}, the database of ${account}.`);
  return db;
}

function existing<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Error(`${id} does not exist.`);
  return found;
}
