import { and, eq, ne, isNull } from "drizzle-orm";
import { insertAccount } from "../accounts/operator.ts";
import { scopes } from "../accounts/scopes.ts";
import { setSetting, settingOf } from "../accounts/server-settings.ts";
import { hashToken, newId } from "../accounts/token.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { accounts, apiKeys } from "../db/schema.ts";

/** What the account and its key are called. */
const NAME = "Single tenant";

/**
 * Makes `token` the key of a server with one account, and the account if it does not exist. The key has every scope and works from now on, even if a
 * client has revoked it. The key that a previous start made so is revoked. A key of another account makes that account the one. Returns its ID.
 */
export async function ensureSingleTenant(db: Database, token: string, now: Date): Promise<string> {
  const hash = await hashToken(token);
  const [known] = await db.select().from(apiKeys).where(eq(apiKeys.hash, hash));
  const stored = await settingOf(db, "single account");
  const [former] = stored === undefined ? [] : await db.select().from(accounts).where(eq(accounts.id, stored));
  const made = insertAccount(db, { name: NAME, plan: "unlimited" }, now);
  const account = known?.account ?? former?.id ?? made.id;
  const key = known?.id ?? newId("key");
  const before = await settingOf(db, "single key");
  const row = {
    id: key,
    hash,
    lastFour: token.slice(-4),
    createdAt: now,
    livemode: true,
    expiresAt: null,
    revokedAt: null,
  };
  await batch(db, {
    account: account === made.id ? made.statement : undefined,
    plan: db.update(accounts).set({ plan: "unlimited" }).where(eq(accounts.id, account)),
    key: db
      .insert(apiKeys)
      .values({ ...row, account, name: NAME, scopes })
      .onConflictDoUpdate({ target: apiKeys.hash, set: { scopes, expiresAt: null, revokedAt: null } }),
    revoked: db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.id, before ?? ""), ne(apiKeys.id, key), isNull(apiKeys.revokedAt))),
    settings: [setSetting(db, "single account", account), setSetting(db, "single key", key)],
  });
  return account;
}
