import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { responded, claimed, claimOne, due, later, now, own, ownAccounts, schedule, SECOND } from "./delivery-facts.ts";
import { countedDatabase, plansOf } from "../accounts/counted-database.ts";
import { openDatabase } from "../../src/db/client.ts";
import { sendTest } from "../../src/webhooks/test-and-replay.ts";
import { fetchDelivery, listDeliveries, replayDelivery } from "../../src/webhooks/deliveries.ts";
import { changeWebhook, deleteWebhook, listWebhooks } from "../../src/webhooks/manage-webhooks.ts";
import { recordAttempt } from "../../src/webhooks/record-attempt.ts";
import { requeueLate } from "../../src/webhooks/requeue.ts";
import { createWebhook, rotateSecret } from "../../src/webhooks/subscribe.ts";

ownAccounts();

const settings = {
  serverSecrets: [env.SERVER_SECRET] as const,
  endpoints: { baseUrl: "https://pdf.example.com", allowLocal: false },
  retrySeconds: schedule,
};

/** docs/operating.md ("Growth") lists these figures. */
test("a delivery costs two batches and few rows, however many deliveries there were", async () => {
  for (let delivery = 0; delivery < 20; delivery += 1) await due();
  for (const status of [200, 200, 500]) {
    const id = await due();
    const { database, counts } = countedDatabase();
    const counted = openDatabase(database);
    const result = await claimOne(counted, id, now);
    if ("wakeAt" in result) throw new Error("not claimed");
    await recordAttempt(counted, result, responded(status), schedule);
    expect(counts.trips).toBe(2);
    expect([status, counts.rowsRead, counts.rowsWritten]).toEqual(status === 200 ? [200, 24, 8] : [500, 25, 10]);
  }
});

test("no statement reads a whole table or index", async () => {
  const { database, counts } = countedDatabase();
  const db = openDatabase(database);
  const caller = { account: own.account, livemode: true, plan: "free", key: "", scopes: [], expiresAt: null } as const;
  const request = { url: "https://hooks.example.com/", events: ["key.created"] } as const;
  const { id } = await createWebhook(db, caller, request, settings, now);
  await rotateSecret(db, caller, id, settings, now);
  await changeWebhook(db, caller, id, { active: false }, settings, now);
  await changeWebhook(db, caller, id, { active: true, events: ["key.revoked"] }, settings, now);
  const { nextCursor } = await listWebhooks(db, caller, { limit: 1 }, now);
  await listWebhooks(db, caller, { limit: 1, cursor: nextCursor ?? undefined }, now);
  const asking = { db, caller, now, enqueue: () => {} };
  const { id: delivery } = await sendTest(asking, id);
  await sendTest({ ...asking, now: later(SECOND) }, id);
  const page = await listDeliveries(db, caller, id, { limit: 1 });
  await listDeliveries(db, caller, id, { limit: 1, cursor: page.nextCursor ?? undefined });
  await fetchDelivery(db, caller, id, delivery);
  await claimOne(db, delivery, now);
  await recordAttempt(db, await claimed(delivery, later(60 * SECOND)), responded(200, later(60 * SECOND)), schedule);
  await replayDelivery(db, caller, id, delivery, later(60 * SECOND));
  await recordAttempt(db, await claimed(delivery, later(60 * SECOND)), responded(410, later(60 * SECOND)), schedule);
  await requeueLate(db, 0, env.WEBHOOKS as unknown as Parameters<typeof requeueLate>[2], later(SECOND));
  await deleteWebhook(db, caller, id, now);
  expect(counts.statements.size).toBeGreaterThan(25);
  expect((await plansOf(counts.statements)).scans).toEqual([]);
});
