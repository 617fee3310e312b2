import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { newId } from "../../src/accounts/token.ts";
import { openDatabase } from "../../src/db/client.ts";
import { webhookDeliveries, webhookEvents, webhooks } from "../../src/db/schema.ts";
import { eventBodies, type EventType, eventTypes } from "../../src/events/event-types.ts";
import type { DeliveryMessage } from "../../src/webhooks/message.ts";

export const db = openDatabase(env.DB);

/** A subscription of the account, to every type unless it is said which. */
export async function subscribe(
  account: string,
  { events = eventTypes, livemode = true, active = true }: Partial<typeof webhooks.$inferInsert> = {},
): Promise<string> {
  const id = newId("wh");
  const createdAt = new Date();
  const nothing = { description: null, previousSecret: null, previousSecretExpiresAt: null, failingSince: null };
  const secret = { secret: "encrypted", secretLastFour: "abcd", url: "https://example.com/" };
  await db.insert(webhooks).values({ id, account, livemode, events, active, createdAt, ...secret, ...nothing });
  return id;
}

export interface Told {
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
  /** The subscriptions that get it. */
  readonly to: readonly string[];
}

/**
 * The account's events in their order, each of the form that is documented, with numbers without a gap, and with deliveries
 * that are due.
 */
export async function eventsOf(account: string): Promise<readonly Told[]> {
  const all = await db.select().from(webhookEvents);
  const rows = all.filter((row) => row.account === account).sort((a, b) => a.sequence - b.sequence);
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.filter(({ awaits }) => awaits !== null)).toEqual([]);
  const deliveries = await db.select().from(webhookDeliveries);
  return rows.map(({ id, sequence, createdAt, ...row }) => {
    expect(id).toMatch(/^evt_[0-9A-Za-z]{22}$/);
    const type = row.type as EventType;
    const body = { type, timestamp: createdAt.toISOString(), data: { ...row.data, sequence } };
    // Nothing is in it that is not described.
    expect(eventBodies[type].parse(body)).toEqual(body);
    const own = deliveries.filter(({ event }) => event === id);
    for (const one of own) {
      const due = { state: "pending", attempts: 0, nextAttemptAt: createdAt, createdAt, finishedAt: null };
      expect(one).toMatchObject({ id: `${id}.${one.webhook}`, event: id, webhook: one.webhook, ...due });
    }
    return { type, data: row.data, to: own.map(({ webhook }) => webhook).sort() };
  });
}

export const typesOf = async (account: string): Promise<readonly EventType[]> =>
  (await eventsOf(account)).map(({ type }) => type);

/** Events of calls that have not ended. */
export const heldOf = async (account: string): Promise<number> =>
  (await db.select().from(webhookEvents)).filter((row) => row.account === account && row.awaits !== null).length;

/** What the consumer would be woken for. Nothing is sent: the deliveries stay as they were made. */
export function listen(): { readonly messages: readonly DeliveryMessage[] } {
  const messages: DeliveryMessage[] = [];
  vi.spyOn(env.WEBHOOKS, "sendBatch").mockImplementation(async (batch) => {
    messages.push(...[...batch].map(({ body }) => body));
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  });
  return { messages };
}

listen();
