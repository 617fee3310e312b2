import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { isSignedBy, until } from "./webhook-receiver.ts";
import { callsOf, callSweep, setUpWebhooks, startWebhookServer } from "./webhook-server.ts";
import { Random } from "../harness/random.ts";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import { webhookDeliveries, webhookEvents } from "../../src/db/schema.ts";

/** Each replaces a key by another, which are two events. */
const ROTATIONS = 200;
/** Of one part, before the server is killed, or to the end. */
const PARTS = [70, 70, 60];
/** Deliveries that a kill leaves behind: more than are made at a time. */
const LEFT = 50;

const setup = setUpWebhooks(0);

const own = callsOf(
  () => setup.server,
  () => setup.server.liveKey,
);

/** Ends the server without a chance to tidy up, lets two minutes go by for its deliveries, and starts it anew. */
async function killAndRestart(): Promise<void> {
  await setup.server.kill();
  const left = await withLocalDatabases(setup.persistTo, ([db]) =>
    db
      .update(webhookDeliveries)
      .set({ nextAttemptAt: sql`${webhookDeliveries.nextAttemptAt} - 120000` })
      .where(eq(webhookDeliveries.state, "pending"))
      .returning({ id: webhookDeliveries.id }),
  );
  expect(left.length).toBeGreaterThan(LEFT);
  setup.server = await startWebhookServer(setup.persistTo, 0);
  await callSweep(setup.server);
}

test("400 events reach three subscriptions that fail at random, over two kills; nobody else gets any", async () => {
  const { receiver } = setup;
  const random = new Random(8);
  const paths = ["/a", "/b", "/c"];
  const taken = new Map(paths.map((path) => [path, new Set<string>()]));
  for (const [path, ids] of taken) {
    receiver.answer(path, (response, { id }) => {
      if (random.next() >= 0.3) {
        ids.add(id);
        response.end();
      } else if (random.next() < 0.5) response.writeHead(500).end();
      else response.destroy();
    });
  }
  const subscriptions = await Promise.all(paths.map((path) => own.subscribe(receiver.url + path)));
  const test = callsOf(
    () => setup.server,
    () => setup.server.testKey,
  );
  const stranger = callsOf(
    () => setup.server,
    () => setup.strangersKey,
  );
  await test.subscribe(`${receiver.url}/test`);
  await stranger.subscribe(`${receiver.url}/stranger`);
  const chains = Array.from({ length: 10 }, () => "");
  await Promise.all(chains.map(async (_, index) => (chains[index] = (await own.makeKey()).id)));
  const rotateAll = (count: number) =>
    Promise.all(
      chains.map(async (_, index) => {
        for (let left = count / chains.length; left > 0; left -= 1) {
          chains[index] = (await own.rotate(chains[index] ?? "")).id;
        }
      }),
    );

  const [first = 0, second = 0, third = 0] = PARTS;
  await rotateAll(first);
  // These are to be tried again in a minute, and end before that.
  const ended = ["/inactive", "/deleted"];
  for (const path of ended) receiver.answer(path, (response) => response.writeHead(503, { "Retry-After": "60" }).end());
  const [inactive, deleted] = await Promise.all(ended.map((path) => own.subscribe(receiver.url + path)));
  await own.rotate(chains[0] ?? "").then(({ id }) => (chains[0] = id));
  await until(() => ended.every((path) => receiver.at(path).length > 0), 60);
  await own.call("PATCH", `/webhooks/${inactive?.id}`, { active: false });
  await own.call("DELETE", `/webhooks/${deleted?.id}`);
  await killAndRestart();
  const atTheEnd = ended.map((path) => receiver.at(path).length);
  await rotateAll(second);
  await killAndRestart();
  await rotateAll(third);

  const made = 10 + 2 * (ROTATIONS + 1);
  const areTaken = () => taken.values().every((ids) => ids.size === made);
  for (let sweep = 0; sweep < 150 && !areTaken(); sweep += 1) {
    if (sweep % 5 === 4) await callSweep(setup.server);
    await new Promise((done) => setTimeout(done, 1_000));
  }
  expect(areTaken()).toBe(true);
  for (const [index, path] of paths.entries()) {
    const all = receiver.at(path);
    const byId = Map.groupBy(all, ({ id }) => id);
    expect(byId.size).toBe(made);
    // The same event is the same body, and each attempt is signed.
    for (const same of byId.values()) expect(new Set(same.map(({ text }) => text)).size).toBe(1);
    const sequences = Array.from(byId.values(), ([one]) => Number(one?.body.data["sequence"]));
    expect(sequences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: made }, (_, at) => at + 1));
    expect(all.filter((one) => !isSignedBy(subscriptions[index]?.secret ?? "", one))).toEqual([]);
    // It failed often enough to mean something.
    expect(all.length).toBeGreaterThan(1.3 * made);
  }
  expect([receiver.at("/test"), receiver.at("/stranger")]).toEqual([[], []]);
  expect(ended.map((path) => receiver.at(path).length)).toEqual(atTheEnd);

  await setup.server.stop();
  const states = await withLocalDatabases(setup.persistTo, async ([db]) => ({
    events: (await db.select({ id: webhookEvents.id }).from(webhookEvents)).length,
    exhausted: await db.$count(webhookDeliveries, eq(webhookDeliveries.state, "exhausted")),
  }));
  expect(states).toEqual({ events: made, exhausted: 0 });
}, 300_000);
