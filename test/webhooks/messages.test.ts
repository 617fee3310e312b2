import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import {
  responded,
  claimed,
  db,
  due,
  later,
  now,
  own,
  ownAccounts,
  rowOf,
  schedule,
  SECOND,
  subscribe,
} from "./delivery-facts.ts";
import { listen } from "../events/outbox-facts.ts";
import { webhookAttempts, webhookDeliveries, webhooks } from "../../src/db/schema.ts";
import type { JobMessage } from "../../src/jobs/message.ts";
import type { DeliveryMessage } from "../../src/webhooks/message.ts";
import { recordAttempt } from "../../src/webhooks/record-attempt.ts";
import { requeueLate } from "../../src/webhooks/requeue.ts";
import { seal } from "../../src/accounts/sealed-secret.ts";
import worker from "../../src/worker.ts";

ownAccounts();

describe("delivery messages", () => {
  const send = async (queue: string, deliveries: readonly string[]) => {
    const messages = deliveries.map((delivery, index) => ({
      id: String(index),
      timestamp: now,
      attempts: 1,
      body: { kind: "delivery" as const, shard: 0, delivery },
    }));
    const batch = createMessageBatch<DeliveryMessage>(queue, messages);
    const context = createExecutionContext();
    await worker.queue(batch, env, context);
    return getQueueResult(batch, context);
  };

  const lose = async (consumer?: string) => {
    const body = { kind: "lost consumers" as const, shard: 0, ...(consumer !== undefined && { consumer }) };
    const batch = createMessageBatch<JobMessage>("pdf-service-jobs", [
      { id: "lost", timestamp: now, attempts: 1, body },
    ]);
    const context = createExecutionContext();
    await worker.queue(batch, env, context);
    expect((await getQueueResult(batch, context)).explicitAcks).toEqual(["lost"]);
  };

  test("attempts of a process that has died are made again at once, and those of others go on", async () => {
    const at = new Date();
    const [lost, other, retried] = [await due(), await due(), await due()];
    const made = await claimed(lost, at, "worker-1");
    await claimed(other, at, "worker-2");
    await recordAttempt(db, await claimed(retried, at, "worker-1"), responded(500, at), schedule);
    const before = [await rowOf(other), await rowOf(retried)];
    await lose("worker");
    expect((await rowOf(lost))?.nextAttemptAt).toEqual(new Date(at.getTime() + 30 * SECOND));
    await lose("worker-1");
    const again = await claimed(lost, new Date(), "worker-1");
    expect([made.attempt, again.attempt]).toEqual([1, 2]);
    // The lost one frees no lane and ends nothing.
    await recordAttempt(db, made, responded(200, at), schedule);
    expect(await rowOf(lost)).toMatchObject({ state: "pending", attempts: 2 });
    expect([await rowOf(other), await rowOf(retried)]).toEqual(before);
  });

  test("all attempts are made again at once if all processes have died", async () => {
    const at = new Date();
    const ids = [await due(), await due()];
    await claimed(ids[0] ?? "", at, "worker-1");
    await claimed(ids[1] ?? "", at);
    await lose();
    for (const id of ids) expect((await claimed(id, new Date())).attempt).toBe(2);
  });

  test("a message of a finished, early, or unknown delivery is acknowledged, and one that is due soon waits", async () => {
    const [done, early, soon] = [await due(), await due(), await due()];
    await recordAttempt(db, await claimed(done), responded(200), schedule);
    const dueAt = (id: string, time: number) =>
      db
        .update(webhookDeliveries)
        .set({ nextAttemptAt: new Date(time) })
        .where(eq(webhookDeliveries.id, id));
    await dueAt(early, Date.now() + 3_600_000);
    await dueAt(soon, Date.now() + 59_000);
    const result = await send("pdf-service-webhooks", [done, early, soon, "evt_none.wh_none", "nonsense"]);
    expect(result.explicitAcks.toSorted()).toEqual(["0", "1", "3", "4"]);
    expect(result.retryMessages).toEqual([{ msgId: "2" }]);
  });

  test("a delivery with a forbidden target or an unreadable secret fails without a request", async () => {
    const other = await subscribe(own.account);
    await db.update(webhooks).set({ url: "https://10.0.0.1/" }).where(eq(webhooks.id, other));
    const ids = [await due(), await due(other)];
    // The secrets of these subscriptions are no secrets; one of them gets a real one.
    const secret = await seal([env.SERVER_SECRET], "webhook signing secrets", other, new Uint8Array(32));
    await db.update(webhooks).set({ secret }).where(eq(webhooks.id, other));
    const unreadable = await seal(
      ["another server's secret, 32 letters"],
      "webhook signing secrets",
      own.webhook,
      new Uint8Array(32),
    );
    await db.update(webhooks).set({ secret: unreadable }).where(eq(webhooks.id, own.webhook));
    const wokenUp = listen();
    const result = await send("pdf-service-webhooks", ids);
    expect(result.explicitAcks.toSorted()).toEqual(["0", "1"]);
    // For their next attempts.
    expect(wokenUp.messages.map(({ delivery }) => delivery).toSorted()).toEqual(ids.toSorted());
    const log = await db.select().from(webhookAttempts);
    expect(ids.map((id) => log.find(({ delivery }) => delivery === id)?.error)).toEqual([
      "secret_unreadable",
      "target_refused",
    ]);
  });

  test("a dead letter leaves its delivery exhausted", async () => {
    const [id, done] = [await due(), await due()];
    await recordAttempt(db, await claimed(done), responded(200), schedule);
    const result = await send(env.WEBHOOKS_DEAD_LETTER_QUEUE, [id, done]);
    expect(result.explicitAcks).toEqual(["0", "1"]);
    expect([(await rowOf(id))?.state, (await rowOf(done))?.state]).toEqual(["exhausted", "succeeded"]);
  });

  test.each([{ kind: "of a later version", shard: 0 }, { kind: "constructor" }, { shard: 0 }, null])(
    "a message of an unknown kind stays in the queue for a version that knows it: %j",
    async (body) => {
      const id = await due();
      const known = { kind: "delivery", shard: 0, delivery: id };
      const messages = [body, known].map((each, index) => ({
        id: String(index),
        timestamp: now,
        attempts: 1,
        body: each,
      }));
      const batch = createMessageBatch(env.WEBHOOKS_DEAD_LETTER_QUEUE, messages);
      const context = createExecutionContext();
      await worker.queue(batch as MessageBatch<DeliveryMessage>, env, context);
      const result = await getQueueResult(batch, context);
      expect([result.explicitAcks, result.retryMessages]).toEqual([["1"], [expect.objectContaining({ msgId: "0" })]]);
      expect((await rowOf(id))?.state).toBe("exhausted");
    },
  );
});

test("the sweep wakes deliveries that are more than a minute late, and no others", async () => {
  const [late, lost, done] = [await due(), await due(), await due()];
  await recordAttempt(db, await claimed(done), responded(200), schedule);
  await claimed(lost);
  const woken: unknown[] = [];
  const queue = {
    ...env.WEBHOOKS,
    sendBatch: async (messages: Iterable<{ body: unknown }>) => {
      woken.push(...Array.from(messages, ({ body }) => body));
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    },
  };
  const wokenBy = async (at: Date) => {
    woken.length = 0;
    await requeueLate(db, 7, queue as unknown as Parameters<typeof requeueLate>[2], at);
    return [late, lost, done].filter((delivery) =>
      woken.some((body) => JSON.stringify(body) === JSON.stringify({ kind: "delivery", shard: 7, delivery })),
    );
  };
  expect(await wokenBy(later(60 * SECOND))).toEqual([]);
  expect(await wokenBy(later(60 * SECOND + 1))).toEqual([late]);
  expect(await wokenBy(later(90 * SECOND + 1))).toEqual([late, lost]);
});
