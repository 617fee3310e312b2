import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Fault, failing } from "./failing-database.ts";
import { expectConsistency } from "../billing/ledger-facts.ts";
import { type Call, largePdf, outcome, paidService, pdf } from "../http/paid-service.ts";
import { db, subscribe, typesOf } from "../events/outbox-facts.ts";
import type { LateReversal } from "../../src/billing/late-reversal.ts";
import { sweep } from "../../src/billing/sweep.ts";
import { webhookDeliveries } from "../../src/db/schema.ts";
import type { DeliveryMessage } from "../../src/webhooks/message.ts";
import worker from "../../src/worker.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

/** After this, what a dead call left is given back. */
const LATER = 20 * 60_000;

/** The queue, as far as a call writes to it; what it was sent goes to its consumer when `deliver` is called, twice. */
function keptQueue() {
  const kept: unknown[] = [];
  return {
    send: async (body: unknown) => void kept.push(structuredClone(body)),
    sendBatch: async (messages: readonly { body: unknown }[]) => void kept.push(...messages.map(({ body }) => body)),
    async deliver() {
      const returns = kept.filter((body) => Object.hasOwn(body as object, "reservation"));
      const messages = [...returns, ...returns].map((body, index) => ({
        id: String(index),
        timestamp: new Date(),
        attempts: 1,
        body: body as LateReversal,
      }));
      const batch = createMessageBatch<DeliveryMessage | LateReversal>("pdf-service-webhooks", messages);
      const context = createExecutionContext();
      await worker.queue(batch, env, context);
      expect((await getQueueResult(batch, context)).explicitAcks.length).toBe(messages.length);
    },
  };
}

/** Each with the credits it costs and its status, 0 for a response that breaks off. */
const calls: readonly [string, Call, number, number][] = [
  ["a call", {}, 2, 200],
  ["a call with an Idempotency-Key", { idempotencyKey: "k" }, 2, 200],
  ["a streamed response", { file: largePdf() }, 2, 200],
  ["a call that is refused by its engine", { fields: { act: "refuse" } }, 0, 400],
  ["a streamed response that breaks off", { fields: { act: "late" } }, 0, 0],
];

/** Sends a call, its `trip`-th round trip failing; `ended`: there was none such, so every one has had its turn. */
async function sendFailing(call: Call, [fault, times]: readonly [Fault, "once" | "for good"], trip: number) {
  const service = await paidService();
  await subscribe(service.account);
  const { database, trips } = failing(fault, trip, times);
  const queue = keptQueue();
  const response = await service.send({ ...call, bindings: { ...env, DB: database, WEBHOOKS: queue } });
  // The database works again when the queue comes to it.
  await queue.deliver();
  await sweep(db, new Date(Date.now() + LATER));
  const code = response.ok || response.type === "error" ? undefined : (await outcome(response))[1];
  const outcomeOf = response.type === "error" ? "broken off" : response.ok ? "done" : `refused: ${code}`;
  const types = await typesOf(service.account);
  const ends = types.filter((type) => type.startsWith("operation."));
  return { service, response, outcomeOf, ends, ended: trips() <= trip };
}

const faults = [
  ["unreachable", "once"],
  ["unreachable", "for good"],
  ["response lost", "once"],
  ["response lost", "for good"],
  ["response lost, then unreachable", "for good"],
] as const;

describe.each(calls)("%s", (_, call, credits, status) => {
  test.each(faults)(
    "a request is charged only for a complete response if the database is %s, %s",
    async (fault, times) => {
      for (let trip = 0; ; trip++) {
        const { service, response, outcomeOf, ends, ended } = await sendFailing(call, [fault, times], trip);
        // At least to authenticate, to reserve, and to settle or release.
        if (ended && trip >= 3) break;
        const label = `round trip ${trip}: ${outcomeOf}`;
        expect(["done", "broken off", "refused: internal_error", "refused: invalid_file"], label).toContain(outcomeOf);
        // What the caller got whole is charged, and nothing else.
        expect(await service.used(), label).toBe(response.ok ? credits : 0);
        // One event of its end, or none where it did not begin; a second corrects the first where it was not known what became of it.
        expect(ends.length, label).toBeLessThanOrEqual(fault === "unreachable" ? 1 : 2);
        const told = response.ok ? ["operation.completed"] : ["operation.failed", undefined];
        expect(told, label).toContain(ends.at(-1));
        // The same call, once more, on a database that works.
        expect((await service.send(call)).status, `after ${label}`).toBe(status);
      }
    },
  );
});

test("a queue that refuses loses no event and delays no response", async () => {
  const service = await paidService();
  const webhook = await subscribe(service.account);
  const refusing = {
    send: () => Promise.reject(new Error("Queue sendBatch failed: Too Many Requests")),
    sendBatch: () => Promise.reject(new Error("Queue sendBatch failed: Too Many Requests")),
  };
  const response = await service.send({ bindings: { ...env, WEBHOOKS: refusing } });
  expect(response.status).toBe(200);
  expect(await typesOf(service.account)).toEqual(["operation.completed"]);
  const deliveries = (await db.select().from(webhookDeliveries)).filter((delivery) => delivery.webhook === webhook);
  expect(deliveries.map(({ state }) => state)).toEqual(["pending"]);
});

describe("disconnecting clients", () => {
  test("a client that disconnects during the upload is charged nothing, and its next request succeeds", async () => {
    const service = await paidService();
    const boundary = "b";
    const begun = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n`;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(begun)),
      // Once that has been read.
      pull: (controller) => controller.error(new Error("the connection is gone")),
    });
    const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
    const { response, ended } = await service.open({ body, headers });
    expect(response.status).toBeGreaterThanOrEqual(400);
    await ended();
    expect(await service.used()).toBe(0);
    expect((await service.send({ file: pdf() })).status).toBe(200);
    expect(await service.used()).toBe(2);
  });

  test("a client that disconnects during the response is charged, emits a completed event, and succeeds at its next request", async () => {
    const service = await paidService();
    await subscribe(service.account);
    const { response, ended } = await service.open({ file: largePdf() });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await ended();
    expect(await service.used()).toBe(2);
    expect(await typesOf(service.account)).toEqual(["operation.completed"]);
    expect((await service.send({ file: pdf() })).status).toBe(200);
  });
});
