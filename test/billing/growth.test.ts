import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { countedDatabase, plansOf } from "../accounts/counted-database.ts";
import { chargeOf, db, HOUR, keyOf, MINUTE, reserved, refund, release, settle } from "./ledger-facts.ts";
import { createAccount } from "../../src/accounts/operator.ts";
import { createKey, findKey } from "../../src/keys/operator.ts";
import { issueKey, rotateKey } from "../../src/keys/issue-keys.ts";
import { listKeys, renameKey, revokeKey } from "../../src/keys/manage-keys.ts";
import { sweep } from "../../src/billing/sweep.ts";
import { usageOf } from "../../src/billing/usage.ts";
import { openDatabase } from "../../src/db/client.ts";
import { creditsOf, largePdf, paidService } from "../http/paid-service.ts";
import { subscribe } from "../events/outbox-facts.ts";

// The machine may be slow, and these are many calls.
vi.spyOn(console, "log").mockImplementation(() => {});

type Service = Awaited<ReturnType<typeof paidService>>;

/** What a call costs the database: batches, and rows as D1 bills them (an index entry that changes is a row written). */
async function costOf(service: Service, call: Parameters<Service["send"]>[0] = {}) {
  const { database, counts } = countedDatabase();
  const response = await service.send({ ...call, bindings: { ...env, DB: database } });
  const { trips, rowsRead, rowsWritten } = counts;
  return { status: response.status, credits: creditsOf(response)[0], batches: trips, rowsRead, rowsWritten };
}

/** docs/operating.md ("Growth") lists these figures. */
test("an operation costs two batches, or three with an Idempotency-Key, and few rows, however many requests and accounts there were", async () => {
  for (let account = 0; account < 20; account += 1) await paidService();
  const service = await paidService();
  await service.send();
  const [ok, charged] = [{ status: 200, batches: 3 }, { credits: "2" }];
  const once = { ...ok, ...charged, batches: 2 };
  for (let round = 0; round < 3; round += 1) {
    expect(await costOf(service)).toEqual({ ...once, rowsRead: 32, rowsWritten: 8 });
    const keyed = { idempotencyKey: `key ${round}` };
    expect(await costOf(service, keyed)).toEqual({ ...ok, ...charged, rowsRead: 26, rowsWritten: 13 });
    expect(await costOf(service, keyed)).toEqual({ ...ok, credits: "0", rowsRead: 29, rowsWritten: 10 });
    for (let more = 0; more < 10; more += 1) await service.send();
  }
});

test("an event costs no batch if the response is not streamed, one if it is, and rows for each subscription", async () => {
  const service = await paidService();
  await service.send();
  await subscribe(service.account, { events: ["operation.failed"] });
  expect(await costOf(service)).toMatchObject({ batches: 2, rowsRead: 33, rowsWritten: 8 });
  expect(await costOf(service, { file: largePdf() })).toMatchObject({ batches: 2 });
  await subscribe(service.account);
  expect(await costOf(service)).toMatchObject({ batches: 2, rowsRead: 41, rowsWritten: 19 });
  expect(await costOf(service, { file: largePdf() })).toMatchObject({ batches: 3 });
  for (let more = 0; more < 19; more += 1) await subscribe(service.account);
  expect(await costOf(service)).toMatchObject({ batches: 2, rowsRead: 98, rowsWritten: 133 });
});

test("a failed request costs two batches, and one that is rejected before its body costs one or two", async () => {
  const service = await paidService();
  expect(await costOf(service, { fields: { act: "refuse" } })).toMatchObject({ status: 400, batches: 2 });
  expect(await costOf(service, { fields: { act: "throw" } })).toMatchObject({ status: 500, batches: 2 });
  expect(await costOf(service, { fields: { unknown: "1" } })).toMatchObject({ status: 400, batches: 2 });
  const json = { body: "{}", headers: { "Content-Type": "application/json" } };
  expect(await costOf(service, json)).toMatchObject({ status: 415, batches: 1 });
  const poor = await paidService("free");
  await poor.leave(1);
  // The first refusal of a month is told of.
  expect(await costOf(poor)).toMatchObject({ status: 429, batches: 2 });
  expect(await costOf(poor)).toMatchObject({ status: 429, batches: 1 });
  expect(await costOf(poor, { idempotencyKey: "k" })).toMatchObject({ status: 429, batches: 2 });
});

test("a sweep of 1,000 reservations of as many accounts reads each reservation a few times", async () => {
  const { database, counts } = countedDatabase();
  const now = Date.parse("2026-11-20T12:00:00.000Z");
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)";
  await env.DB.batch([
    env.DB.prepare(`${numbers} INSERT INTO periods SELECT 'sweep_' || i, ?, 1, 0 FROM n`).bind(Date.UTC(2026, 10)),
    env.DB.prepare(
      `${numbers} INSERT INTO ledger SELECT 'sweep_' || i, 'sweep_' || i, 'merge', 1, 'reserved', ?, NULL FROM n`,
    ).bind(now),
  ]);
  const swept = await sweep(openDatabase(database), new Date(now + 16 * MINUTE));
  expect(swept.released).toBe(1_000);
  expect(counts.rowsRead).toBeLessThan(20_000);
});

/** Every statement that requests, the sweep, usage and the keys' functions send. */
async function allStatements(): Promise<ReadonlySet<string>> {
  const { database, counts } = countedDatabase();
  const counted = openDatabase(database);
  const service = await paidService();
  const bindings = { ...env, DB: database };
  await subscribe(service.account);
  for (const act of ["", "refuse", "late", "zip"]) {
    const call = { bindings, fields: { act } };
    await service.send(call);
    for (const _ of [1, 2]) await service.send({ ...call, idempotencyKey: `key ${act}` });
  }

  // Past both marks: a call that is charged, and one that is refused.
  const poor = await paidService();
  await subscribe(poor.account);
  await poor.leave(3);
  for (const _ of [1, 2]) await poor.send({ bindings });

  const now = new Date();
  const nobody = (): void => {};
  const later = (ms: number) => new Date(now.getTime() + ms);
  const account = await createAccount(counted, { name: "test", plan: "free" }, now);
  const { token } = await createKey(counted, account, { name: "test", livemode: true }, now);
  const found = await findKey(counted, token, now);
  if (!found.ok) throw new Error("the key that was just made is not there");
  const { caller } = found;
  await usageOf(counted, caller, now);
  const issued = await issueKey(counted, caller, { name: "second" }, now, nobody);
  await rotateKey(counted, caller, issued.id, 60, now, nobody);
  const { nextCursor } = await listKeys(counted, caller, { limit: 1 });
  await listKeys(counted, caller, { limit: 1, cursor: nextCursor ?? undefined });
  await renameKey(counted, caller, issued.id, "renamed");
  await revokeKey(counted, caller, issued.id, now, nobody);

  // What other tests have left.
  await sweep(db, later(16 * MINUTE));
  // For the sweep: a reservation that nobody came back to, and a charge that was kept for a repetition which then failed.
  const charge = chargeOf({ account });
  const keyed = { ...charge, key: keyOf(charge) };
  await subscribe(account);
  await reserved(charge, now);
  const first = await reserved(keyed, now);
  await settle(db, first);
  const repetition = await reserved(keyed, later(1));
  await refund(counted, first);
  await release(counted, repetition);
  expect(await sweep(counted, later(16 * MINUTE))).toMatchObject({ released: 1, refunded: 1, emitted: 1 });
  await sweep(counted, later(25 * HOUR));
  return counts.statements;
}

test("no statement reads a whole table or index", async () => {
  const statements = await allStatements();
  expect(statements.size).toBeGreaterThan(35);
  const { searches, scans } = await plansOf(statements);
  expect(searches).toBeGreaterThan(statements.size);
  expect(scans).toEqual([]);
});
