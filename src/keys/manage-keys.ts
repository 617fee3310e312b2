import { and, count, desc, exists, isNull, sql } from "drizzle-orm";
import { type ApiKey, apiKeyOf, shownColumns } from "../accounts/api-key.ts";
import { readCursor, writeCursor } from "../accounts/list-cursor.ts";
import { keyEvent } from "./key-events.ts";
import type { Caller } from "../accounts/caller.ts";
import { manageableKey, noSuchKey, visibleAs, visibleKey, visibleTo } from "./visible-keys.ts";
import type { Database } from "../db/client.ts";
import { apiKeys } from "../db/schema.ts";
import { type Announce, deliveriesOf, record } from "../events/outbox.ts";

export interface KeyPage {
  readonly data: readonly ApiKey[];
  /** All keys of the account and mode, revoked ones included. */
  readonly count: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** The keys of the caller's account and mode, newest first. Throws `invalid_parameters` for a bad cursor. */
export async function listKeys(
  db: Database,
  caller: Caller,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<KeyPage> {
  const after = cursor === undefined ? undefined : readCursor(cursor, "key");
  const behind =
    after &&
    sql`(${apiKeys.createdAt}, ${apiKeys.id}) < (${sql.param(after.createdAt, apiKeys.createdAt)}, ${after.id})`;
  const [rows, [total]] = await db.batch([
    db
      .select(shownColumns)
      .from(apiKeys)
      .where(and(visibleTo(caller), behind))
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
      // One more than asked for: whether there is a next page.
      .limit(limit + 1),
    db.select({ count: count() }).from(apiKeys).where(visibleTo(caller)),
  ]);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    data: page.map(apiKeyOf),
    count: total?.count ?? 0,
    hasMore: last !== undefined,
    nextCursor: last === undefined ? null : writeCursor(last),
  };
}

/** Throws `not_found`. */
export async function fetchKey(db: Database, caller: Caller, id: string): Promise<ApiKey> {
  return apiKeyOf(await visibleKey(db, caller, id));
}

/** Throws `not_found`, or `forbidden` where the key has scopes that the caller lacks. */
export async function renameKey(db: Database, caller: Caller, id: string, name: string): Promise<ApiKey> {
  await manageableKey(db, caller, id);
  const [row] = await db.update(apiKeys).set({ name }).where(visibleAs(caller, id)).returning(shownColumns);
  if (row === undefined) throw noSuchKey();
  return apiKeyOf(row);
}

/**
 * Ends a key, the caller's own too; one that is revoked already stays as it is. Throws `not_found`, or `forbidden` where the
 * key has scopes that the caller lacks.
 */
export async function revokeKey(
  db: Database,
  caller: Caller,
  id: string,
  now: Date,
  announce: Announce,
): Promise<ApiKey> {
  await manageableKey(db, caller, id);
  const isUnrevoked = exists(
    db
      .select({ one: sql`1` })
      .from(apiKeys)
      .where(and(visibleAs(caller, id), isNull(apiKeys.revokedAt))),
  );
  const [, , made, [row]] = await db.batch([
    ...record(db, keyEvent("key.revoked", caller, id, now, now), isUnrevoked),
    db
      .update(apiKeys)
      .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${sql.param(now, apiKeys.revokedAt)})` })
      .where(visibleAs(caller, id))
      .returning(shownColumns),
  ]);
  if (row === undefined) throw noSuchKey();
  announce(deliveriesOf([made]));
  return apiKeyOf(row);
}
