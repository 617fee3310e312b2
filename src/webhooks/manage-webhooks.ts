import { and, count, desc, sql } from "drizzle-orm";
import { cancelPending } from "./deliveries.ts";
import type { WebhookSettings } from "./settings.ts";
import { ordered, requireTarget, type WebhookRequest } from "./subscribe.ts";
import { noSuchWebhook, shownColumns, visibleAs, visibleTo, type Webhook, webhookOf } from "./webhook.ts";
import type { Caller } from "../accounts/caller.ts";
import { readCursor, writeCursor } from "../accounts/list-cursor.ts";
import type { Database } from "../db/client.ts";
import { webhooks } from "../db/schema.ts";

export interface WebhookPage {
  readonly data: readonly Webhook[];
  /** All subscriptions of the account and mode. */
  readonly count: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** The subscriptions of the caller's account and mode, newest first. Throws `invalid_parameters` for a bad cursor. */
export async function listWebhooks(
  db: Database,
  caller: Caller,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  now: Date,
): Promise<WebhookPage> {
  const after = cursor === undefined ? undefined : readCursor(cursor, "wh");
  const behind =
    after &&
    sql`(${webhooks.createdAt}, ${webhooks.id}) < (${sql.param(after.createdAt, webhooks.createdAt)}, ${after.id})`;
  const [rows, [total]] = await db.batch([
    db
      .select(shownColumns)
      .from(webhooks)
      .where(and(visibleTo(caller), behind))
      .orderBy(desc(webhooks.createdAt), desc(webhooks.id))
      // One more than asked for: whether there is a next page.
      .limit(limit + 1),
    db.select({ count: count() }).from(webhooks).where(visibleTo(caller)),
  ]);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    data: page.map((row) => webhookOf(row, now)),
    count: total?.count ?? 0,
    hasMore: last !== undefined,
    nextCursor: last === undefined ? null : writeCursor(last),
  };
}

/** What is to be changed. */
export type WebhookChange = { readonly [K in keyof WebhookRequest]?: WebhookRequest[K] | undefined } & {
  readonly active?: boolean | undefined;
};

/**
 * Changes what is given. Deactivating cancels the deliveries that are pending; a new URL, or activating again, forgets the
 * failures of the past. Throws `not_found`, `invalid_parameters`.
 */
export async function changeWebhook(
  db: Database,
  caller: Caller,
  id: string,
  { url, events, description, active }: WebhookChange,
  { targets }: WebhookSettings,
  now: Date,
): Promise<Webhook> {
  if (url !== undefined) requireTarget(url, targets);
  const change = {
    // There is always something to set, so that an empty change shows the subscription.
    id,
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: ordered(events) }),
    ...(description !== undefined && { description }),
    ...(active !== undefined && { active }),
    ...((url !== undefined || active === true) && { failingSince: null, timeouts: 0 }),
  };
  const [[row]] = await db.batch([
    db.update(webhooks).set(change).where(visibleAs(caller, id)).returning(shownColumns),
    ...(active === false ? [cancelPending(db, id, now)] : []),
  ]);
  if (row === undefined) throw noSuchWebhook();
  return webhookOf(row, now);
}

/** Deletes a subscription and returns what it was. What is pending of it is never sent. Throws `not_found`. */
export async function deleteWebhook(db: Database, caller: Caller, id: string, now: Date): Promise<Webhook> {
  const [row] = await db.delete(webhooks).where(visibleAs(caller, id)).returning(shownColumns);
  if (row === undefined) throw noSuchWebhook();
  return webhookOf(row, now);
}
