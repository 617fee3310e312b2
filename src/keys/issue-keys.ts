import { and, eq, gt, isNull, lt, ne, or, sql, type SQL } from "drizzle-orm";
import {
  type ApiKey,
  apiKeyOf,
  manageableKey,
  newKey,
  noSuchKey,
  requireScopesOf,
  shownColumns,
  visibleAs,
  visibleKey,
  visibleTo,
} from "./api-key.ts";
import { keyEvent } from "./key-events.ts";
import type { Caller } from "../accounts/caller.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { type Scope, scopes as allScopes } from "../accounts/scopes.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { rowOf } from "../db/row.ts";
import { accounts, apiKeys } from "../db/schema.ts";
import { deliveriesOf, emit, type Enqueue } from "../events/outbox.ts";
import { limits } from "../limits.ts";

/** A new key. `key` is the full key: it is not stored and cannot be retrieved again. */
export interface IssuedKey extends ApiKey {
  readonly key: string;
}

export interface KeyRequest {
  readonly name: string;
  /** Default: the caller's mode. A live key can also create test keys. */
  readonly livemode?: boolean | undefined;
  /** Default: the caller's scopes. Never more than those. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Default: the caller's expiry. Null: never. Never later than the caller's. */
  readonly expiresAt?: Date | null | undefined;
}

/**
 * Creates a key with no more rights than the caller. Throws `forbidden` for a live key made by a test key or more scopes, `invalid_parameters`
 * for an expiry in the past or later than the caller's, and `limit_reached`.
 */
export async function issueKey(
  db: Database,
  caller: Caller,
  request: KeyRequest,
  now: Date,
  enqueue: Enqueue,
): Promise<IssuedKey> {
  const { name, livemode = caller.livemode, scopes = caller.scopes } = request;
  if (livemode && !caller.livemode) throw new AccountRefusal("forbidden", "A test key can only create test keys.");
  requireScopesOf(caller, scopes);
  const expiresAt = expiryOf(caller, request.expiresAt, now);
  const fresh = await newKey(caller.account, livemode, now);
  const ordered = allScopes.filter((scope) => scopes.includes(scope));
  const row = rowOf(apiKeys, { ...fresh.row, account: accounts.id, name, livemode, scopes: ordered, expiresAt });
  const owner = { ...caller, livemode };
  const hasPlace = lt(usableKeys(db, owner, now), limits.keys.usable);
  const results = await batch(db, {
    // One statement counts and inserts: of two concurrent requests for the last slot, one wins.
    made: db
      .insert(apiKeys)
      .select(sql`select ${row} from ${accounts} where ${and(eq(accounts.id, caller.account), hasPlace)}`)
      .returning(shownColumns),
    created: emit(db, keyEvent("key.created", owner, fresh.row.id, now), isMade(db, fresh.row.id)),
  });
  const [made] = results.made;
  if (made === undefined) throw limitReached("Revoke one before you create another.");
  enqueue(deliveriesOf(results.created));
  return { ...apiKeyOf(made), key: fresh.token };
}

/**
 * Creates a copy of a key; the old key then expires after `graceSeconds`, unless it expires earlier anyway. Throws `not_found`
 * for a revoked or expired key, `forbidden` for one with more scopes or a longer life than the caller, and `limit_reached` if
 * there is no room for both.
 */
export async function rotateKey(
  db: Database,
  caller: Caller,
  id: string,
  graceSeconds: number,
  now: Date,
  enqueue: Enqueue,
): Promise<IssuedKey> {
  const old = await manageableKey(db, caller, id);
  if (!isUsable(old, now)) throw noSuchKey();
  // The new key inherits the old one's expiry, and would outlive the caller.
  if (caller.expiresAt !== null && (old.expiresAt === null || old.expiresAt > caller.expiresAt)) {
    throw new AccountRefusal("forbidden", "You cannot rotate a key that expires later than the key you use.");
  }
  const fresh = await newKey(caller.account, old.livemode, now);
  const { account, name, livemode, scopes, expiresAt } = apiKeys;
  const row = rowOf(apiKeys, { ...fresh.row, account, name, livemode, scopes, expiresAt });
  const places = limits.keys.usable - (graceSeconds > 0 ? 1 : 0);
  const hasPlace = lt(usableKeys(db, caller, now, ne(apiKeys.id, id)), places);
  const end = sql.param(new Date(now.getTime() + graceSeconds * 1000), expiresAt);
  const results = await batch(db, {
    // The statement checks the old key again: it may have been revoked or rotated in the meantime.
    made: db
      .insert(apiKeys)
      .select(sql`select ${row} from ${apiKeys} where ${and(visibleAs(caller, id), usable(now), hasPlace)}`)
      .returning(shownColumns),
    old: db
      .update(apiKeys)
      .set({ expiresAt: sql`min(coalesce(${expiresAt}, ${end}), ${end})` })
      .where(and(visibleAs(caller, id), isMade(db, fresh.row.id))),
    created: emit(db, keyEvent("key.created", caller, fresh.row.id, now), isMade(db, fresh.row.id)),
    revoked: emit(db, keyEvent("key.revoked", caller, id, now), isMade(db, fresh.row.id)),
  });
  const [made] = results.made;
  if (made !== undefined) {
    enqueue(deliveriesOf(results.created, results.revoked));
    return { ...apiKeyOf(made), key: fresh.token };
  }
  if (!isUsable(await visibleKey(db, caller, id), now)) throw noSuchKey();
  throw limitReached("Revoke one, or set `gracePeriodSeconds` to 0.");
}

function limitReached(advice: string): AccountRefusal {
  const limit = limits.keys.usable;
  return new AccountRefusal("limit_reached", `Your account already has ${limit} keys in this mode. ${advice}`, {
    limit,
  });
}

function expiryOf(caller: Caller, asked: Date | null | undefined, now: Date): Date | null {
  if (asked === undefined) return caller.expiresAt;
  if (asked !== null && asked <= now) throw badExpiry("must be in the future");
  if (caller.expiresAt !== null && (asked === null || asked > caller.expiresAt)) {
    throw badExpiry(`must not be later than the expiry of this API key, ${caller.expiresAt.toISOString()}`);
  }
  return asked;
}

function badExpiry(issue: string): AccountRefusal {
  return new AccountRefusal("invalid_parameters", `\`expiresAt\` ${issue}.`, {
    fields: [{ name: "expiresAt", issue }],
  });
}

const usable = (now: Date): SQL | undefined =>
  and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));

const isUsable = ({ revokedAt, expiresAt }: Pick<ApiKey, "revokedAt" | "expiresAt">, now: Date): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now);

/** The number of usable keys of the caller's account and mode, as an expression for the guard of an insert. */
function usableKeys(db: Database, caller: Caller, now: Date, further?: SQL): SQL<number> {
  return db.$count(apiKeys, and(visibleTo(caller), usable(now), further));
}

/** Whether the batch has created the key. */
const isMade = (db: Database, id: string): SQL => lt(sql`0`, db.$count(apiKeys, eq(apiKeys.id, id)));
