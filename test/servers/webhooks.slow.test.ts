import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StartedServer } from "../e2e/server.ts";
import { isSignedBy, type Receiver, startReceiver, until } from "./webhook-receiver.ts";
import { callsOf, startWebhookServer, type Subscription } from "./webhook-server.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { eventBodies } from "../../src/events/event-types.ts";

const MiB = 1024 * 1024;

let persistTo: string;
let server: StartedServer;
let receiver: Receiver;
beforeAll(async () => {
  persistTo = await mkdtemp(join(tmpdir(), "pdf-service-webhooks-"));
  [server, receiver] = await Promise.all([startWebhookServer(persistTo, 1), startReceiver()]);
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
  await rm(persistTo, { recursive: true, force: true });
});

const { call, subscribe, remove, deliveries, makeKey } = callsOf(
  () => server,
  () => server.liveKey,
);
const attemptsOf = async (subscription: Subscription) => (await deliveries(subscription))[0]?.attempts ?? [];

test("an event is delivered signed and as documented, retried until it succeeds, and replayed on request", async () => {
  let failures = 2;
  receiver.respond("/flaky", (response) => {
    failures -= 1;
    if (failures >= 0) response.writeHead(503, { "Retry-After": failures === 0 ? "4" : "0" }).end("not now \0 é");
    else response.writeHead(201).end("x".repeat(5_000));
  });
  const subscription = await subscribe(`${receiver.url}/flaky`);
  const key = await makeKey();
  await until(async () => (await deliveries(subscription))[0]?.state === "succeeded");
  const received = receiver.at("/flaky");
  expect(received).toHaveLength(3);
  const [first, second, third] = received;
  // It asked for four seconds; the schedule would have been one.
  expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(4_000);
  for (const one of received) {
    expect(isSignedBy(subscription.secret, one)).toBe(true);
    expect([one.id, one.text]).toEqual([first?.id, first?.text]);
    expect(one.headers).toMatchObject({ "content-type": "application/json" });
    expect(eventBodies["key.created"].parse(one.body)).toEqual(one.body);
  }
  expect(first?.body.data).toMatchObject({ id: key.id, name: "made" });

  const [delivery] = await deliveries(subscription);
  expect(delivery).toMatchObject({
    id: `${first?.id}.${subscription.id}`,
    event: first?.id,
    type: "key.created",
    attempts: [
      { attempt: 1, status: 503, error: null, response: "not now \u{fffd} é" },
      { attempt: 2, status: 503, error: null },
      { attempt: 3, status: 201, error: null, response: "x".repeat(1_024) },
    ],
  });
  await call("POST", `/webhooks/${subscription.id}/deliveries/${delivery?.id}/replay`);
  await until(() => receiver.at("/flaky").length === 4);
  expect(receiver.at("/flaky")[3]).toMatchObject({ id: first?.id, text: first?.text });
  await until(async () => (await attemptsOf(subscription)).length === 4);
  await remove(subscription);
});

test("a rotated secret signs next to the old one, and a test event needs no subscription to its type", async () => {
  const old = await subscribe(`${receiver.url}/rotated`, ["usage.limit_reached"]);
  const fresh = await call<Subscription>("POST", `/webhooks/${old.id}/rotate-secret`);
  await call("POST", `/webhooks/${old.id}/test`);
  await until(() => receiver.at("/rotated").length === 1);
  const [received] = receiver.at("/rotated");
  if (received === undefined) throw new Error("nothing came");
  expect(received.body).toMatchObject({ type: "webhook.test", data: { webhook: old.id, livemode: true } });
  for (const { secret } of [old, fresh]) expect(isSignedBy(secret, received)).toBe(true);
  expect(received.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  await remove(old);
});

test("a bad response of one receiver delays no other: endless, slow, a gigabyte, a redirect, none, or a hang-up", async () => {
  let sent = 0;
  receiver.respond("/gigabyte", (response) => {
    response.writeHead(200, { "Content-Length": String(1_024 * MiB) });
    const block = Buffer.alloc(MiB, "a");
    const more = () => {
      while (!response.destroyed && sent < 1_024 * MiB) {
        sent += block.length;
        if (!response.write(block)) return void response.once("drain", more);
      }
    };
    more();
  });
  receiver.respond(
    "/endless",
    (response) => void setInterval(() => response.destroyed || response.write("x".repeat(9_000)), 1).unref(),
  );
  receiver.respond(
    "/drip",
    (response) => void setInterval(() => response.destroyed || response.write("x"), 500).unref(),
  );
  receiver.respond("/redirected", (response) => response.writeHead(307, { Location: `${receiver.url}/inside` }).end());
  let silenceEnded = false;
  receiver.respond("/silent", (response) => void response.on("close", () => (silenceEnded = true)));
  let goodWaited: boolean | undefined;
  receiver.respond("/good", (response) => {
    goodWaited = silenceEnded;
    response.end();
  });
  receiver.respond("/hang-up", (response) => response.destroy());
  receiver.respond("/gone", (response) => response.writeHead(410).end());
  const names = ["gigabyte", "endless", "redirected", "hang-up", "gone", "drip", "silent", "good"];
  const subscriptions = new Map<string, Subscription>();
  for (const name of names) subscriptions.set(name, await subscribe(`${receiver.url}/${name}`));
  await makeKey();
  const firstOf = async (name: string) => (await attemptsOf(subscriptions.get(name) as Subscription))[0];
  await until(async () => (await firstOf("silent")) !== undefined && (await firstOf("drip")) !== undefined);
  // The good one came last and did not wait for them.
  expect(goodWaited).toBe(false);
  const outcomes = await Promise.all(
    names.map(async (name) => {
      const { status, error } = (await firstOf(name)) ?? { status: 0, error: "none" };
      return [name, status, error];
    }),
  );
  expect(outcomes).toEqual([
    ["gigabyte", 200, null],
    ["endless", 200, null],
    ["redirected", 307, null],
    ["hang-up", null, "unreachable"],
    ["gone", 410, null],
    ["drip", 200, "timeout"],
    ["silent", null, "timeout"],
    ["good", 200, null],
  ]);
  expect(sent).toBeLessThan(64 * MiB);
  expect(receiver.at("/inside")).toEqual([]);
  expect(receiver.at("/gone")).toHaveLength(1);
  const gone = await call<{ readonly active: boolean }>("GET", `/webhooks/${subscriptions.get("gone")?.id}`);
  expect(gone.active).toBe(false);
  for (const subscription of subscriptions.values()) await remove(subscription);
});

test("an operation gets its response while all its receivers still hold the first request open", async () => {
  // None has a response before the end of the test.
  const held: (() => void)[] = [];
  const subscriptions: Subscription[] = [];
  for (let index = 0; index < 20; index += 1) {
    receiver.respond(`/held-${index}`, (response) => void held.push(() => response.end()));
    subscriptions.push(await subscribe(`${receiver.url}/held-${index}`, ["operation.completed"]));
  }
  const rotatePages = async () => {
    const form = new FormData();
    form.append("file", new Blob([document({ name: "small", pages: 1 }).slice()]), "a.pdf");
    form.append("angle", "90");
    const headers = { Authorization: `Bearer ${server.liveKey}` };
    const response = await fetch(`${server.baseUrl}/api/v1/rotate`, { method: "POST", headers, body: form });
    await response.arrayBuffer();
    return response.status;
  };
  expect(await rotatePages()).toBe(200);
  await until(() => held.length > 0);
  // And another one, now that the consumer waits for them.
  expect(await rotatePages()).toBe(200);
  for (const subscription of subscriptions) await remove(subscription);
  for (const end of held) end();
});
