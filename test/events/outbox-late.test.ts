import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { db, eventsOf, heldOf, listen, subscribe, typesOf } from "./outbox-facts.ts";
import { chargeOf, expectConsistency, MINUTE, reserved } from "../billing/ledger-facts.ts";
import { largePdf, paidService } from "../http/paid-service.ts";
import { finish, release, settle } from "../../src/billing/ledger.ts";
import { sweep } from "../../src/billing/sweep.ts";
import { webhookDeliveries, webhookEvents } from "../../src/db/schema.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * MINUTE);

describe("streamed responses", () => {
  test("a streamed response emits an event with its size after its last byte", async () => {
    const { account, open } = await paidService();
    await subscribe(account);
    const { messages } = listen();
    const { response, ended } = await open({ file: largePdf() });
    expect(await heldOf(account)).toBe(1);
    expect(messages).toEqual([]);
    const { byteLength } = await response.arrayBuffer();
    await ended();
    expect(await eventsOf(account)).toMatchObject([
      { type: "operation.completed", data: { outputBytes: byteLength, credits: 2 } },
    ]);
    expect(messages).toHaveLength(1);
  });

  test("a response whose client disconnects emits a completed event with the bytes that were sent", async () => {
    const { account, open, used } = await paidService();
    await subscribe(account);
    const { response, ended } = await open({ file: largePdf() });
    await response.body?.cancel();
    await ended();
    const [told, ...others] = await eventsOf(account);
    expect([told?.type, others]).toEqual(["operation.completed", []]);
    expect(told?.data["outputBytes"]).toBeLessThan(1024 * 1024);
    expect(await used()).toBe(2);
  });

  test("a response that the service aborts emits a failed event and no other", async () => {
    const { account, send, used } = await paidService();
    await subscribe(account);
    expect((await send({ fields: { act: "late" } })).type).toBe("error");
    expect(await eventsOf(account)).toMatchObject([
      { type: "operation.failed", data: { status: 500, code: "internal_error", credits: 0 } },
    ]);
    expect(await used()).toBe(0);
  });

  test("a response that the document aborts emits a failed event with its cost", async () => {
    const { account, send, used } = await paidService();
    await subscribe(account);
    expect((await send({ fields: { act: "spoiled" } })).type).toBe("error");
    expect(await eventsOf(account)).toMatchObject([
      { type: "operation.failed", data: { status: 400, code: "invalid_file", credits: 2 } },
    ]);
    expect(await used()).toBe(2);
  });

  test("a request of a dead isolate gets its event from the sweep after 15 minutes, once", async () => {
    const { account, open } = await paidService();
    await subscribe(account);
    const { response, ended } = await open({ file: largePdf() });
    expect(await sweep(db, inMinutes(14))).toMatchObject({ emitted: 0 });
    expect(await sweep(db, inMinutes(16))).toMatchObject({ emitted: 1 });
    expect(await eventsOf(account)).toMatchObject([{ type: "operation.completed", data: { outputBytes: null } }]);
    expect(await sweep(db, inMinutes(17))).toMatchObject({ emitted: 0 });
    // It was not dead after all.
    await response.arrayBuffer();
    await ended();
    expect(await typesOf(account)).toHaveLength(1);
  });
});

describe("abandoned reservations", () => {
  test("an abandoned reservation gets its event from the sweep, once, as internal_error", async () => {
    const { account } = await paidService();
    const id = await subscribe(account);
    const lost = await reserved(chargeOf({ account, requestId: "req_lost", plan: "enterprise" }), new Date());
    await reserved(chargeOf({ account, livemode: false }), new Date());
    for (const minutes of [16, 17]) await sweep(db, inMinutes(minutes));
    const unknown = { durationMilliseconds: null, inputBytes: null, outputBytes: null, pageCount: null };
    const data = { operation: "merge", requestId: "req_lost", credits: 0, livemode: true, ...unknown };
    const told = { type: "operation.failed", to: [id], data: { ...data, status: 500, code: "internal_error" } };
    expect(await eventsOf(account)).toEqual([told]);
    // Its call ends after all.
    const end = { at: new Date(), durationMilliseconds: 1, inputBytes: 1, outputBytes: 1, pageCount: null };
    await settle(db, lost, end, () => {});
    await finish(db, lost, end, () => {});
    await release(db, lost, { ...end, status: 500, code: "internal_error" }, () => {});
    expect(await eventsOf(account)).toEqual([told]);
  });
});

test("events are kept for 30 days, with their deliveries and the log", async () => {
  const { account, send } = await paidService();
  await subscribe(account);
  await send();
  const [delivery] = await db.select().from(webhookDeliveries);
  await env.DB.prepare("INSERT INTO webhook_attempts VALUES (?, 1, 0, 1, 200, NULL, NULL)").bind(delivery?.id).run();
  const day = 24 * 60;
  await sweep(db, inMinutes(30 * day - 1));
  expect(await typesOf(account)).toEqual(["operation.completed"]);
  expect(await rows("webhook_attempts")).toBe(1);
  await sweep(db, inMinutes(31 * day));
  for (const table of ["webhook_events", "webhook_deliveries", "webhook_attempts"]) expect(await rows(table)).toBe(0);
  expect(await db.select().from(webhookEvents)).toEqual([]);
});

async function rows(table: string): Promise<number | undefined> {
  return (await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n;
}
