import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { isSignedBy, type Received, until } from "./webhook-receiver.ts";
import { callsOf, setUpWebhooks, startWebhookServer } from "./webhook-server.ts";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import { webhookDeliveries, webhookEvents } from "../../src/db/schema.ts";

const PATHS = ["/a", "/b", "/c"];
/** Each replaces a key by another, which are two events. */
const ROTATIONS = 200;
/** Of one part, before the server is killed, or to the end. */
const PARTS = [70, 70, 60];
/** The last ones of a part, while no receiver responds: their deliveries are left behind by the kill. */
const HELD = 20;
/** How often each subscription refuses an event, by the event's number: half of them are taken at once. */
const REFUSALS = [0, 1, 0, 2, 0, 1, 0, 3, 0, 1];
/** Seconds between two sweeps. */
const SWEEP = 5;
/** Milliseconds until an endpoint is tried again that asks for it, and more than that. */
const LATER = 600_000;
const MUCH_LATER = 2 * LATER;

const setup = setUpWebhooks(0);

const own = callsOf(
  () => setup.server,
  () => setup.server.liveKey,
);

/** While it is, the receiver does not respond. */
let isHeld = false;

/** Ends the server without a chance to tidy up, lets twenty minutes go by for its deliveries, and starts it anew. */
async function killAndRestart(): Promise<void> {
  await setup.server.kill();
  isHeld = false;
  const left = await withLocalDatabases(setup.persistTo, ([db]) =>
    db
      .update(webhookDeliveries)
      .set({ nextAttemptAt: sql`${webhookDeliveries.nextAttemptAt} - ${MUCH_LATER}` })
      .where(eq(webhookDeliveries.state, "pending"))
      .returning({ id: webhookDeliveries.id }),
  );
  expect(left.length).toBeGreaterThanOrEqual(2 * HELD * PATHS.length);
  setup.server = await startWebhookServer(setup.persistTo, 0);
  await setup.server.sweep();
}

test("400 events reach three subscriptions that refuse some again and again, over two kills, and nobody else", async () => {
  const { receiver } = setup;
  const taken = new Map(PATHS.map((path) => [path, new Set<string>()]));
  const refused = new Map(PATHS.map((path) => [path, new Map<string, number>()]));
  const refusalsOf = ({ body }: Received): number => REFUSALS[Number(body.data["sequence"]) % REFUSALS.length] ?? 0;
  for (const path of PATHS) {
    receiver.respond(path, (response, received) => {
      // Open when the server is killed.
      if (isHeld) return;
      const { id } = received;
      const refusals = refused.get(path)?.get(id) ?? 0;
      if (refusals === refusalsOf(received)) {
        taken.get(path)?.add(id);
        return void response.end();
      }
      refused.get(path)?.set(id, refusals + 1);
      if (refusals % 2 === 0) response.writeHead(500).end();
      else response.destroy();
    });
  }
  const subscriptions = await Promise.all(PATHS.map((path) => own.subscribe(receiver.url + path)));
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

  /** Kills the server after `count` rotations, the last of which nobody has responded to. */
  const rotateAndKill = async (count: number) => {
    await rotateAll(count - HELD);
    isHeld = true;
    await rotateAll(HELD);
    await killAndRestart();
  };

  const [first = 0, second = 0, third = 0] = PARTS;
  // These are to be tried again, and end before that.
  const ended = ["/inactive", "/deleted"];
  const wait = { "Retry-After": String(LATER / 1_000) };
  for (const path of ended) receiver.respond(path, (response) => response.writeHead(503, wait).end());
  const [inactive, deleted] = await Promise.all(ended.map((path) => own.subscribe(receiver.url + path)));
  await own.rotate(chains[0] ?? "").then(({ id }) => (chains[0] = id));
  await until(() => ended.every((path) => receiver.at(path).length > 0));
  await own.call("PATCH", `/webhooks/${inactive?.id}`, { active: false });
  await own.call("DELETE", `/webhooks/${deleted?.id}`);
  await rotateAndKill(first);
  const atTheEnd = ended.map((path) => receiver.at(path).length);
  await rotateAndKill(second);
  await rotateAll(third);

  const made = 10 + 2 * (ROTATIONS + 1);
  const areTaken = () => taken.values().every((ids) => ids.size === made);
  // The sweep wakes what the kills have left.
  while (!areTaken()) {
    await setup.server.sweep();
    await until(areTaken, SWEEP).catch(() => {});
  }
  for (const [index, path] of PATHS.entries()) {
    const all = receiver.at(path);
    const byId = Map.groupBy(all, ({ id }) => id);
    expect(byId.size).toBe(made);
    // The same event is the same body, and each attempt is signed.
    for (const same of byId.values()) expect(new Set(same.map(({ text }) => text)).size).toBe(1);
    const sequences = Array.from(byId.values(), ([one]) => Number(one?.body.data["sequence"]));
    expect(sequences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: made }, (_, at) => at + 1));
    expect(all.filter((one) => !isSignedBy(subscriptions[index]?.secret ?? "", one))).toEqual([]);
    // Each was refused as often as it had to be, and attempted again.
    for (const [id, [one]] of byId) expect(refused.get(path)?.get(id) ?? 0).toBe(one && refusalsOf(one));
  }
  expect([receiver.at("/test"), receiver.at("/stranger")]).toEqual([[], []]);
  expect(ended.map((path) => receiver.at(path).length)).toEqual(atTheEnd);

  await setup.server.stop();
  const states = await withLocalDatabases(setup.persistTo, async ([db]) => ({
    events: (await db.select({ id: webhookEvents.id }).from(webhookEvents)).length,
    exhausted: await db.$count(webhookDeliveries, eq(webhookDeliveries.state, "exhausted")),
  }));
  expect(states).toEqual({ events: made, exhausted: 0 });
}, 900_000);
