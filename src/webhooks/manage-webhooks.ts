import { cancelPending } from "./deliveries.ts";
import { ordered, requireEndpointUrl, type WebhookRequest } from "./subscribe.ts";
import {
  noSuchWebhook,
  shownColumns,
  visibleAs,
  visibleTo,
  type Webhook,
  webhookOf,
  type WebhookSettings,
} from "./webhook.ts";
import type { Caller } from "../accounts/caller.ts";
import { countedPage, type Page, type PageRequest } from "../accounts/list-cursor.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { webhooks } from "../db/schema.ts";

export interface WebhookPage extends Page<Webhook> {
  /** All webhooks of the account and mode. */
  readonly count: number;
}

/** The subscriptions of the caller's account and mode, newest first. Throws `invalid_parameters` for a bad cursor. */
export async function listWebhooks(
  db: Database,
  caller: Caller,
  request: PageRequest,
  now: Date,
): Promise<WebhookPage> {
  const list = { table: webhooks, rows: visibleTo(caller), prefix: "wh" } as const;
  const page = await countedPage(db, db.select(shownColumns).from(webhooks).$dynamic(), list, request);
  return { ...page, data: page.data.map((row) => webhookOf(row, now)) };
}

/** The members to change. */
export type WebhookChange = { readonly [K in keyof WebhookRequest]?: WebhookRequest[K] | undefined } & {
  readonly active?: boolean | undefined;
};

/**
 * Changes the given members. Deactivating cancels pending deliveries; a new URL, or reactivating, resets the failure history.
 * Throws `not_found`, `invalid_parameters`.
 */
export async function changeWebhook(
  db: Database,
  caller: Caller,
  id: string,
  { url, events, description, active }: WebhookChange,
  { endpoints }: WebhookSettings,
  now: Date,
): Promise<Webhook> {
  if (url !== undefined) requireEndpointUrl(url, endpoints);
  const change = {
    // Sets at least one column, so that an empty change still returns the subscription.
    id,
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: ordered(events) }),
    ...(description !== undefined && { description }),
    ...(active !== undefined && { active }),
    ...((url !== undefined || active === true) && { failingSince: null, timeouts: 0 }),
  };
  const {
    changed: [row],
  } = await batch(db, {
    changed: db.update(webhooks).set(change).where(visibleAs(caller, id)).returning(shownColumns),
    canceled: active === false ? cancelPending(db, id, now) : undefined,
  });
  if (row === undefined) throw noSuchWebhook();
  return webhookOf(row, now);
}

/** Deletes a subscription and returns its last state. Its pending deliveries are never sent. Throws `not_found`. */
export async function deleteWebhook(db: Database, caller: Caller, id: string, now: Date): Promise<Webhook> {
  const [row] = await db.delete(webhooks).where(visibleAs(caller, id)).returning(shownColumns);
  if (row === undefined) throw noSuchWebhook();
  return webhookOf(row, now);
}
