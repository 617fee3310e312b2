import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import {
  responded,
  claimed,
  claimOne,
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
import { createAccount } from "../../src/accounts/operator.ts";
import { webhooks } from "../../src/db/schema.ts";
import { notAttempted } from "../../src/outbound/attempt.ts";
import { lanes, pickLate } from "../../src/webhooks/lanes.ts";
import { recordAttempt } from "../../src/webhooks/record-attempt.ts";

ownAccounts();

const fill = async (count: number, to = own.webhook) => {
  const claims = [];
  for (let index = 0; index < count; index += 1) claims.push(await claimed(await due(to)));
  return claims;
};

const timeOut = async (to: string, at: Date) =>
  recordAttempt(db, await claimed(await due(to), at), notAttempted("timeout", at), schedule);

test("a delivery that finds the account's lanes held waits, and is woken by the attempt that ends; other accounts have their own", async () => {
  const [first, second] = await fill(lanes.fast.attempts);
  if (first === undefined || second === undefined) throw new Error("nothing was claimed");
  const waiting = await due();
  expect(await claimOne(db, waiting, now)).toEqual({ wakeAt: undefined });
  expect(await rowOf(waiting)).toMatchObject({ state: "pending", attempts: 0, nextAttemptAt: now });

  own.account = await createAccount(db, { name: "other", plan: "free" }, now);
  await claimed(await due(await subscribe(own.account)));

  expect(await recordAttempt(db, first, responded(200), schedule)).toEqual({ next: undefined, waiting: [waiting] });
  // It waits no more: nobody else wakes it.
  expect((await recordAttempt(db, second, responded(500), schedule)).waiting).toEqual([]);
  expect((await claimed(waiting)).attempt).toBe(1);
});

test("a lane whose attempt was lost is free when the lease ends", async () => {
  await fill(lanes.fast.attempts);
  const waiting = await due();
  expect(await claimOne(db, waiting, later(29 * SECOND))).toEqual({ wakeAt: undefined });
  expect((await claimed(waiting, later(30 * SECOND))).attempt).toBe(1);
});

test("a sweep wakes some deliveries after lost messages, and attempts that end wake the others, each once", async () => {
  const [busy] = await fill(1);
  const backlog = 3 * lanes.fast.attempts;
  const lost: string[] = [];
  for (let index = 0; index < backlog; index += 1) lost.push(await due());
  const other = await due(await subscribe(own.account));
  if (busy === undefined) throw new Error("nothing was claimed");
  // Their messages may still come.
  expect((await recordAttempt(db, busy, responded(200, later(60 * SECOND)), schedule)).waiting).toEqual([]);

  const at = later(60 * SECOND + 1);
  const woken = (await pickLate(db, at, 1_000)).map(({ id }) => id);
  expect(woken).toContain(other);
  expect(woken).toHaveLength(lanes.fast.attempts + 1);
  for (const id of woken) {
    const { waiting } = await recordAttempt(db, await claimed(id, at), responded(200, at), schedule);
    woken.push(...waiting);
  }
  expect(woken.toSorted()).toEqual([...lost, other].toSorted());
});

test("only a sweep wakes a delivery a second time", async () => {
  const [first, second] = await fill(2);
  const lost = await due();
  if (first === undefined || second === undefined) throw new Error("nothing was claimed");
  const at = later(60 * SECOND + 1);
  expect((await recordAttempt(db, first, responded(200, at), schedule)).waiting).toEqual([lost]);
  expect((await recordAttempt(db, second, responded(200, at), schedule)).waiting).toEqual([]);
  expect((await pickLate(db, at, 1_000)).map(({ id }) => id)).toContain(lost);
});

test("an endpoint is slow after three time-outs in a row, with lanes apart, until it responds", async () => {
  const healthy = await subscribe(own.account);
  for (let attempt = 0; attempt < 2; attempt += 1) await timeOut(own.webhook, now);
  expect((await claimed(await due())).lane).toBe("fast");
  await recordAttempt(db, await claimed(await due()), responded(500), schedule);
  for (let attempt = 0; attempt < 3; attempt += 1) await timeOut(own.webhook, now);

  const slow = await fill(lanes.slow.attempts);
  expect(new Set(slow.map(({ lane }) => lane))).toEqual(new Set(["slow"]));
  const waiting = await due();
  expect(await claimOne(db, waiting, now)).toEqual({ wakeAt: undefined });
  // The account's other endpoints have all the others; one is held from before it was slow.
  const [fast] = await fill(lanes.fast.attempts - 1, healthy);
  const alsoWaiting = await due(healthy);
  expect(await claimOne(db, alsoWaiting, now)).toEqual({ wakeAt: undefined });

  if (fast === undefined) throw new Error("nothing was claimed");
  const { waiting: woken } = await recordAttempt(db, fast, responded(200), schedule);
  expect(woken.toSorted()).toEqual([waiting, alsoWaiting].toSorted());
  expect(await claimOne(db, waiting, now)).toEqual({ wakeAt: undefined });
  expect((await claimed(alsoWaiting)).lane).toBe("fast");
  const [one] = slow;
  if (one === undefined) throw new Error("nothing was claimed");
  expect((await recordAttempt(db, one, responded(503), schedule)).waiting).toEqual([waiting]);
  const [row] = await db.select().from(webhooks).where(eq(webhooks.id, own.webhook));
  expect(row?.timeouts).toBe(0);
});
