import { and, exists, isNull, sql } from "drizzle-orm";
import {
  type ApiKey,
  apiKeyOf,
  manageableKey,
  noSuchKey,
  shownColumns,
  visibleAs,
  visibleKey,
  visibleTo,
} from "./api-key.ts";
import { keyEvent } from "./key-events.ts";
import type { Caller } from "../accounts/caller.ts";
import { countedPage, type Page, type PageRequest } from "../accounts/list-cursor.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { apiKeys } from "../db/schema.ts";
import { deliveriesOf, emit, type Enqueue } from "../events/outbox.ts";

export interface KeyPage extends Page<ApiKey> {
  /** All keys of the account and mode, including revoked keys. */
  readonly count: number;
}

/** The keys of the caller's account and mode, newest first. Throws `invalid_parameters` for a bad cursor. */
export async function listKeys(db: Database, caller: Caller, request: PageRequest): Promise<KeyPage> {
  const list = { table: apiKeys, rows: visibleTo(caller), prefix: "key" } as const;
  const page = await countedPage(db, db.select(shownColumns).from(apiKeys).$dynamic(), list, request);
  return { ...page, data: page.data.map(apiKeyOf) };
}

/** Throws `not_found`. */
export async function fetchKey(db: Database, caller: Caller, id: string): Promise<ApiKey> {
  return apiKeyOf(await visibleKey(db, caller, id));
}

/** Throws `not_found`, or `forbidden` if the key has scopes that the caller lacks. */
export async function renameKey(db: Database, caller: Caller, id: string, name: string): Promise<ApiKey> {
  await manageableKey(db, caller, id);
  const [row] = await db.update(apiKeys).set({ name }).where(visibleAs(caller, id)).returning(shownColumns);
  if (row === undefined) throw noSuchKey();
  return apiKeyOf(row);
}

/**
 * Revokes a key, which may be the caller's own; a key that is already revoked does not change. Throws `not_found`, or
 * `forbidden` if the key has scopes that the caller lacks.
 */
export async function revokeKey(
  db: Database,
  caller: Caller,
  id: string,
  now: Date,
  enqueue: Enqueue,
): Promise<ApiKey> {
  await manageableKey(db, caller, id);
  const isUnrevoked = exists(
    db
      .select({ one: sql`1` })
      .from(apiKeys)
      .where(and(visibleAs(caller, id), isNull(apiKeys.revokedAt))),
  );
  const {
    event,
    key: [row],
  } = await batch(db, {
    event: emit(db, keyEvent("key.revoked", caller, id, now, now), isUnrevoked),
    key: db
      .update(apiKeys)
      .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${sql.param(now, apiKeys.revokedAt)})` })
      .where(visibleAs(caller, id))
      .returning(shownColumns),
  });
  if (row === undefined) throw noSuchKey();
  enqueue(deliveriesOf(event));
  return apiKeyOf(row);
}
