import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import {
  responded,
  claimed,
  claimOne,
  DAY,
  db,
  due,
  isClaim,
  later,
  now,
  own,
  ownAccounts,
  rowOf,
  schedule,
  SECOND,
  subscribe,
  webhookOf,
} from "./delivery-facts.ts";
import { webhookAttempts, webhooks } from "../../src/db/schema.ts";
import { replayDelivery } from "../../src/webhooks/deliveries.ts";
import { recordAttempt } from "../../src/webhooks/record-attempt.ts";

ownAccounts();

describe("claimOne", () => {
  test("lets one of many consumers claim a delivery", async () => {
    const id = await due();
    const results = await Promise.all(Array.from({ length: 10 }, () => claimOne(db, id, now)));
    expect(results.filter(isClaim)).toHaveLength(1);
    expect(results.filter((result) => !isClaim(result))).toEqual(
      Array.from({ length: 9 }, () => ({ wakeAt: later(30 * SECOND) })),
    );
  });

  test("claims no delivery before its time, nor one that is over or unknown", async () => {
    const id = await due();
    expect(await claimOne(db, id, later(-1))).toEqual({ wakeAt: now });
    await recordAttempt(db, await claimed(id), responded(200), schedule);
    expect(await claimOne(db, id, later(DAY))).toEqual({ wakeAt: undefined });
    expect(await claimOne(db, `evt_none.${own.webhook}`, now)).toEqual({ wakeAt: undefined });
  });

  test("cancels deliveries to a subscription that is inactive or deleted", async () => {
    const other = await subscribe(own.account);
    const ids = [await due(), await due(other)];
    await db.update(webhooks).set({ active: false }).where(eq(webhooks.id, own.webhook));
    await db.delete(webhooks).where(eq(webhooks.id, other));
    for (const id of ids) {
      expect(await claimOne(db, id, now)).toEqual({ wakeAt: undefined });
      expect(await rowOf(id)).toMatchObject({ state: "canceled", attempts: 0, nextAttemptAt: null, finishedAt: now });
    }
  });

  test("claims a delivery again after its claim was lost, and ignores the result of the lost claim", async () => {
    const id = await due();
    const lost = await claimed(id);
    const again = await claimed(id, later(30 * SECOND));
    expect([lost.attempt, again.attempt]).toEqual([1, 2]);
    await recordAttempt(db, lost, responded(200), schedule);
    expect(await rowOf(id)).toMatchObject({ state: "pending", attempts: 2 });
    await recordAttempt(db, again, responded(500, later(31 * SECOND)), schedule);
    expect(await rowOf(id)).toMatchObject({ state: "pending", attempts: 2 });
    const log = await db.select().from(webhookAttempts).where(eq(webhookAttempts.delivery, id));
    expect(log.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 200],
      [2, 500],
    ]);
  });
});

describe("recordAttempt", () => {
  test("follows the retry schedule to its end, and a replay begins it anew", async () => {
    const id = await due();
    const caller = {
      account: own.account,
      livemode: true,
      plan: "free",
      key: "",
      scopes: [],
      expiresAt: null,
    } as const;
    /** Fails until there is no next attempt; the waits, in seconds. */
    const failFrom = async (start: Date) => {
      const waits: number[] = [];
      for (let at = start; ;) {
        const { next } = await recordAttempt(db, await claimed(id, at), responded(500, at), schedule);
        const state = next === undefined ? "exhausted" : "pending";
        const finishedAt = next === undefined ? at : null;
        expect(await rowOf(id)).toMatchObject({ state, nextAttemptAt: next ?? null, finishedAt });
        if (next === undefined) return waits;
        waits.push((next.getTime() - at.getTime()) / SECOND);
        at = next;
      }
    };
    const [first = 0, second = 0, ...further] = await failFrom(now);
    expect([Math.floor(first / 5), Math.floor(second / 300), further]).toEqual([1, 1, []]);
    expect([first <= 7, second <= 361]).toEqual([true, true]);
    await replayDelivery(db, caller, own.webhook, id, later(DAY));
    expect(await failFrom(later(DAY))).toHaveLength(2);
    expect((await rowOf(id))?.attempts).toBe(6);
  });

  test.each([199, 300, 301, 302, 307, 400, 404, 500])("counts status %i as a failure", async (status) => {
    const id = await due();
    await recordAttempt(db, await claimed(id), responded(status), schedule);
    expect((await rowOf(id))?.state).toBe("pending");
    expect((await webhookOf())?.failingSince).toEqual(now);
  });

  test.each([200, 201, 204, 299])("counts status %i as a success, which ends the time of failures", async (status) => {
    await db
      .update(webhooks)
      .set({ failingSince: later(-4 * DAY) })
      .where(eq(webhooks.id, own.webhook));
    const id = await due();
    await recordAttempt(db, await claimed(id), responded(status), schedule);
    expect(await rowOf(id)).toMatchObject({ state: "succeeded", nextAttemptAt: null, finishedAt: now });
    expect((await webhookOf())?.failingSince).toBeNull();
  });

  test("deactivates the subscription after a 410, and cancels only its pending deliveries", async () => {
    const other = await subscribe(own.account);
    const [id, pending, foreign] = [await due(), await due(), await due(other)];
    expect((await recordAttempt(db, await claimed(id), responded(410), schedule)).next).toBeUndefined();
    expect((await rowOf(id))?.state).toBe("exhausted");
    expect((await rowOf(pending))?.state).toBe("canceled");
    expect((await rowOf(foreign))?.state).toBe("pending");
    expect([(await webhookOf())?.active, (await webhookOf(other))?.active]).toEqual([false, true]);
  });

  test("deactivates the subscription after five days of failures, and not before", async () => {
    await db.update(webhooks).set({ failingSince: now }).where(eq(webhooks.id, own.webhook));
    const [id, pending] = [await due(), await due()];
    const before = later(5 * DAY - 1);
    await recordAttempt(db, await claimed(id, before), responded(500, before), schedule);
    expect((await webhookOf())?.active).toBe(true);
    await recordAttempt(db, await claimed(pending, later(5 * DAY)), responded(500, later(5 * DAY)), schedule);
    expect(await webhookOf()).toMatchObject({ active: false, failingSince: now });
    for (const one of [id, pending]) expect((await rowOf(one))?.state).toBe("canceled");
  });

  test("ignores the outcome of a URL that was changed meanwhile", async () => {
    const id = await due();
    const old = await claimed(id);
    await db.update(webhooks).set({ url: "https://new.example.com/" }).where(eq(webhooks.id, own.webhook));
    await recordAttempt(db, old, responded(410), schedule);
    expect(await webhookOf()).toMatchObject({ active: true, failingSince: null });
  });
});
