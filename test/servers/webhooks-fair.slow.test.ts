import { expect, test } from "vitest";
import { until } from "./webhook-receiver.ts";
import { callsOf, setUpWebhooks, type ShownAttempt, type Subscription } from "./webhook-server.ts";
import { lanes } from "../../src/webhooks/lanes.ts";

/** Subscriptions to endpoints that hang, and events for each. */
const HANGING = 19;
const EVENTS = 4;
/** Deliveries that wait for a lane. Whoever had to wait behind them would be delivered to after as many attempts. */
const WAITING = HANGING * EVENTS - lanes.fast.attempts;
/** The first attempts of an endpoint, which have the time of one that is fast: it counts as slow after as many timeouts. */
const TIMEOUTS_OF_FAST = 3;
/** Milliseconds by which two clocks of the service differ. */
const CLOCKS = 50;
/** Seconds that are longer than anything takes here. */
const AT_LENGTH = 300;

const setup = setUpWebhooks(1);

const own = callsOf(
  () => setup.server,
  () => setup.server.liveKey,
);
const stranger = callsOf(
  () => setup.server,
  () => setup.strangersKey,
);

/** The largest number of attempts that were made at the same time. */
function mostAtOnce(attempts: readonly ShownAttempt[]): number {
  const changes = attempts.flatMap(({ startedAt, durationMilliseconds }) => {
    const start = Date.parse(startedAt);
    return [
      { at: start, by: 1 },
      { at: start + durationMilliseconds, by: -1 },
    ];
  });
  let now = 0;
  return Math.max(...changes.toSorted((a, b) => a.at - b.at || a.by - b.by).map(({ by }) => (now += by)));
}

test("endpoints that hang delay no other account, nor their own for long, and hold few requests open", async () => {
  const { receiver } = setup;
  const hanging = Array.from({ length: HANGING }, (_, index) => `/hanging-${index}`);
  let begun = 0;
  let back = false;
  for (const path of hanging) {
    receiver.respond(path, (response) => {
      begun += 1;
      if (back) response.end();
    });
  }
  const subscriptions: Subscription[] = [];
  for (const path of hanging) subscriptions.push(await own.subscribe(receiver.url + path));
  await stranger.subscribe(`${receiver.url}/stranger`);
  const attemptsOf = async (one: Subscription): Promise<readonly ShownAttempt[]> =>
    (await own.deliveries(one))
      .flatMap(({ attempts }) => attempts)
      .toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  /** Those that wait are not attempted before an event that comes after them, which another endpoint gets at once. */
  const expectOvertakes = async (path: string, makeEvent: () => Promise<unknown>) => {
    let begunBefore = Infinity;
    receiver.respond(path, (response) => {
      begunBefore = Math.min(begunBefore, begun);
      response.end();
    });
    const before = begun;
    await makeEvent();
    await until(() => begunBefore < Infinity, AT_LENGTH);
    expect(begunBefore - before).toBeLessThan(WAITING / 2);
  };

  // More is waiting than the lanes take, and the lanes are held.
  for (let event = 0; event < EVENTS; event += 1) await own.makeKey();
  await until(() => begun >= lanes.fast.attempts, AT_LENGTH);
  await expectOvertakes("/stranger", stranger.makeKey);
  // The others get their turn before those that have timed out.
  await until(() => hanging.every((path) => receiver.at(path).length > 0), AT_LENGTH);
  await expectOvertakes("/stranger", stranger.makeKey);
  // Some have become slow.
  await until(async () => {
    const attempts = (await Promise.all(subscriptions.map(attemptsOf))).flat();
    return attempts.some(({ durationMilliseconds: taken }) => taken < lanes.fast.milliseconds - CLOCKS);
  }, AT_LENGTH);
  await expectOvertakes("/stranger", stranger.makeKey);

  // An endpoint of the same account that works does not wait behind them either.
  await own.subscribe(`${receiver.url}/healthy`);
  await expectOvertakes("/healthy", own.makeKey);
  const attempts = await Promise.all(subscriptions.map(attemptsOf));
  expect(mostAtOnce(attempts.flat())).toBeLessThanOrEqual(lanes.fast.attempts + lanes.slow.attempts);
  expect(new Set(attempts.flat().map(({ error }) => error))).toEqual(new Set(["timeout"]));
  for (const ofEndpoint of attempts) {
    for (const [index, { durationMilliseconds: taken }] of ofEndpoint.entries()) {
      const least = index < TIMEOUTS_OF_FAST ? lanes.fast : lanes.slow;
      expect(taken).toBeGreaterThanOrEqual(least.milliseconds - CLOCKS);
    }
  }

  // Once they respond again, everything arrives.
  back = true;
  await until(
    async () =>
      (await Promise.all(subscriptions.map((one) => own.deliveries(one))))
        .flat()
        .every(({ state }) => state === "succeeded"),
    AT_LENGTH,
  );
}, 900_000);
