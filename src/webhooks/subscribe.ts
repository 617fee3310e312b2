import { and, eq, lt, sql } from "drizzle-orm";
import { publicUrlIssue } from "../public-url.ts";
import { lastFourOf, newSecret, secretText } from "./sign.ts";
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
import { AccountRefusal } from "../accounts/refusal.ts";
import { seal } from "../accounts/sealed-secret.ts";
import { newId } from "../accounts/token.ts";
import type { Database } from "../db/client.ts";
import { rowOf } from "../db/row.ts";
import { accounts, webhooks } from "../db/schema.ts";
import { type EventType, eventTypes } from "../events/event-types.ts";
import { limits } from "../limits.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description?: string | null | undefined;
}

/**
 * Creates a subscription in the caller's mode; `secret` contains the full secret, only this once. Throws `invalid_parameters`
 * for a URL that is not allowed as an endpoint, and `limit_reached`.
 */
export async function createWebhook(
  db: Database,
  caller: Caller,
  { url, events, description = null }: WebhookRequest,
  { serverSecrets, endpoints }: WebhookSettings,
  now: Date,
): Promise<Webhook> {
  requireEndpointUrl(url, endpoints);
  const { account, livemode } = caller;
  const [id, secret] = [newId("wh"), newSecret()];
  const row = rowOf(webhooks, {
    id,
    account: accounts.id,
    livemode,
    url,
    events: ordered(events),
    description,
    secret: await seal(serverSecrets, "webhook signing secrets", id, secret),
    secretLastFour: lastFourOf(secret),
    previousSecret: null,
    previousSecretExpiresAt: null,
    active: true,
    failingSince: null,
    timeouts: 0,
    createdAt: now,
  });
  const { subscriptions: limit } = limits.webhooks;
  const hasPlace = lt(db.$count(webhooks, visibleTo(caller)), limit);
  // One statement counts and inserts: of two concurrent requests for the last slot, one wins.
  const [made] = await db
    .insert(webhooks)
    .select(sql`select ${row} from ${accounts} where ${and(eq(accounts.id, account), hasPlace)}`)
    .returning(shownColumns);
  if (made === undefined) {
    const message = `Your account already has ${limit} webhooks in this mode. Delete one before you create another.`;
    throw new AccountRefusal("limit_reached", message, { limit });
  }
  return { ...webhookOf(made, now), secret: secretText(secret) };
}

/**
 * Replaces the secret and returns the subscription with the full new one. The old secret keeps signing for a day; the one
 * before that stops. Throws `not_found`.
 */
export async function rotateSecret(
  db: Database,
  caller: Caller,
  id: string,
  { serverSecrets }: WebhookSettings,
  now: Date,
): Promise<Webhook> {
  const secret = newSecret();
  const [row] = await db
    .update(webhooks)
    .set({
      secret: await seal(serverSecrets, "webhook signing secrets", id, secret),
      secretLastFour: lastFourOf(secret),
      previousSecret: sql`${webhooks.secret}`,
      previousSecretExpiresAt: new Date(now.getTime() + limits.webhooks.overlapSeconds * 1_000),
    })
    .where(visibleAs(caller, id))
    .returning(shownColumns);
  if (row === undefined) throw noSuchWebhook();
  return { ...webhookOf(row, now), secret: secretText(secret) };
}

/** Throws `invalid_parameters` unless the URL is allowed as an endpoint. */
export function requireEndpointUrl(url: string, endpoints: WebhookSettings["endpoints"]): void {
  const issue = publicUrlIssue(url, endpoints);
  if (issue === undefined) return;
  throw new AccountRefusal("invalid_parameters", `\`url\` ${issue}.`, { fields: [{ name: "url", issue }] });
}

/** Each type once, in the order of the list. */
export const ordered = (events: readonly EventType[]): EventType[] =>
  eventTypes.filter((type) => events.includes(type));
