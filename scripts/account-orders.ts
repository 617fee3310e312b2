import type { Order } from "./account-command-line.ts";
import { insertAccount, insertKey } from "../src/accounts/keys.ts";
import { keysOf, listAccounts, planOf, revokeAllKeys, revokeAnyKey, setPlan } from "../src/accounts/operator.ts";
import type { Database } from "../src/db/client.ts";

/** Does what the operator ordered and returns what to print. Throws where there is no such account or key. */
export async function carryOut(order: Order, db: Database, now: Date): Promise<object> {
  switch (order.command) {
    case "create": {
      const { name, plan, livemode } = order;
      const account = insertAccount(db, { name, plan }, now);
      const key = await insertKey(db, account.id, { name, livemode }, now);
      await db.batch([account.statement, key.statement]);
      return { account: account.id, plan, key: key.token };
    }
    case "create-key": {
      const { account, name, livemode } = order;
      const plan = existing(await planOf(db, account), account);
      const key = await insertKey(db, account, { name, livemode }, now);
      await key.statement;
      return { account, plan, key: key.token };
    }
    case "list":
      return { accounts: await listAccounts(db, now) };
    case "plan": {
      const { account, plan } = order;
      existing((await setPlan(db, account, plan)) || undefined, account);
      return { account, plan };
    }
    case "keys":
      return { account: order.account, keys: existing(await keysOf(db, order.account), order.account) };
    case "revoke":
      return existing(await revokeAllKeys(db, order.account, now), order.account);
    case "revoke-key":
      return existing(await revokeAnyKey(db, order.key, now), order.key);
  }
}

function existing<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Error(`There is no ${id}.`);
  return found;
}
