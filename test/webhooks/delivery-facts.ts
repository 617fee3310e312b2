import { eq } from "drizzle-orm";
import { beforeEach } from "vitest";
import { db, subscribe } from "../events/outbox-facts.ts";
import { createAccount } from "../../src/accounts/operator.ts";
import { batch } from "../../src/db/batch.ts";
import type { Database } from "../../src/db/client.ts";
import { webhookDeliveries, webhooks } from "../../src/db/schema.ts";
import { type Claim, claim, type NotClaimed } from "../../src/webhooks/claim.ts";
import { type Attempt, notAttempted } from "../../src/outbound/attempt.ts";
import { deliveriesOf, emit } from "../../src/events/outbox.ts";

export { db, subscribe } from "../events/outbox-facts.ts";

export const now = new Date("2026-11-20T12:00:00.000Z");
export const later = (ms: number) => new Date(now.getTime() + ms);
export const SECOND = 1_000;
export const DAY = 86_400_000;
export const schedule = [5, 300];

/** The account of the test that runs, and a subscription of it. */
export const own = { account: "", webhook: "" };

/** Gives each test of a file an account of its own. */
export function ownAccounts(): void {
  beforeEach(async () => {
    own.account = await createAccount(db, { name: "test", plan: "free" }, now);
    own.webhook = await subscribe(own.account);
  });
}

/** An event's delivery to the subscription, due now. */
export async function due(to = own.webhook): Promise<string> {
  const data = { webhook: to, livemode: true };
  const event = { type: "webhook.test", account: own.account, livemode: true, at: now, to, data } as const;
  const [id] = deliveriesOf(await batch(db, emit(db, event)));
  if (id === undefined) throw new Error("no delivery was made");
  return id;
}

export const isClaim = (result: Claim | NotClaimed): result is Claim => !("wakeAt" in result);

export async function claimOne(db: Database, id: string, at: Date, consumer?: string): Promise<Claim | NotClaimed> {
  const result = (await claim(db, [id], at, consumer)).get(id);
  if (result === undefined) throw new Error("nothing is known of it");
  return result;
}

export async function claimed(id: string, at = now, consumer?: string): Promise<Claim> {
  const result = await claimOne(db, id, at, consumer);
  if (!isClaim(result)) throw new Error(`not claimed: ${JSON.stringify(result)}`);
  return result;
}

/** An attempt that got a response at once. */
export const responded = (status: number, at = now): Attempt => ({
  ...notAttempted("unreachable", at),
  error: null,
  status,
  response: "",
});

export const rowOf = async (id: string) =>
  (await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id)))[0];

export const webhookOf = async (id = own.webhook) => (await db.select().from(webhooks).where(eq(webhooks.id, id)))[0];
