import { eq, sql, type SQL } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import { apiKeys } from "../db/schema.ts";
import type { NewEvent } from "../events/outbox.ts";

/**
 * An event about a key of the caller's account and mode, with the key's row at the time when the event's statements run.
 * `revokedAt`, if set, replaces the row's value.
 */
export function keyEvent(
  type: "key.created" | "key.revoked",
  { account, livemode }: Caller,
  id: string,
  at: Date,
  revokedAt?: Date,
): NewEvent {
  const { name, scopes, lastFour, createdAt, expiresAt } = apiKeys;
  const revoked = revokedAt === undefined ? iso(sql`${apiKeys.revokedAt}`) : sql`${revokedAt.toISOString()}`;
  const data = sql`(SELECT json_object('id', ${apiKeys.id}, 'name', ${name}, 'livemode', json(${String(livemode)}),
    'scopes', json(${scopes}), 'lastFour', ${lastFour}, 'createdAt', ${iso(sql`${createdAt}`)}, 'expiresAt', ${iso(sql`${expiresAt}`)},
    'revokedAt', ${revoked}) FROM ${apiKeys} WHERE ${eq(apiKeys.id, id)})`;
  return { type, account, livemode, at, data };
}

/** Milliseconds since 1970 as ISO 8601, in the format of `Date.toISOString`; null stays null. */
const iso = (time: SQL): SQL => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${time} / 1000.0, 'unixepoch')`;
