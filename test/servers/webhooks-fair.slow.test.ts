import { expect, test } from "vitest";
import { until } from "./webhook-receiver.ts";
import { callsOf, setUpWebhooks, type Subscription } from "./webhook-server.ts";
import { lanes } from "../../src/webhooks/lanes.ts";

const SUBSCRIPTIONS = 20;
/** Seconds in which an event is to arrive beside endpoints of another account that hang: fewer than the first of those takes to time out. */
const PROMPT = 12;

const setup = setUpWebhooks(1);

const own = callsOf(
  () => setup.server,
  () => setup.server.liveKey,
);
const stranger = callsOf(
  () => setup.server,
  () => setup.strangersKey,
);

test("endpoints that hang hold up no other account, nor for long their own; they hold few requests open, and get less time", async () => {
  const { receiver } = setup;
  const hanging = Array.from({ length: SUBSCRIPTIONS - 1 }, (_, index) => `/hanging-${index}`);
  const open = new Set<object>();
  let mostOpen = 0;
  let back = false;
  for (const path of hanging) {
    receiver.answer(path, (response) => {
      if (back) return void response.end();
      open.add(response);
      mostOpen = Math.max(mostOpen, open.size);
      response.on("close", () => open.delete(response));
    });
  }
  const subscriptions: Subscription[] = [];
  for (const path of hanging) subscriptions.push(await own.subscribe(receiver.url + path));
  await stranger.subscribe(`${receiver.url}/stranger`);
  const isPrompt = async (events: number) => {
    await stranger.makeKey();
    await until(() => receiver.at("/stranger").length === events, PROMPT);
  };

  // More is waiting than the lanes take, the lanes are held, and nothing has timed out yet.
  for (let event = 0; event < 4; event += 1) await own.makeKey();
  await until(() => open.size === lanes.fast.attempts);
  await isPrompt(1);
  expect(open.size).toBe(lanes.fast.attempts);
  // The others get their turn before those that have timed out.
  await until(() => hanging.every((path) => receiver.at(path).length > 0), 60);
  await isPrompt(2);
  // Some have become slow.
  await until(() => hanging.some((path) => receiver.at(path).length > 4), 120);
  await isPrompt(3);

  // An endpoint of the same account that works is given the next lane that is free.
  await own.subscribe(`${receiver.url}/healthy`);
  await own.makeKey();
  await until(() => receiver.at("/healthy").length > 0, 20);
  // Twice: the receiver hears of the end of a request a little after the next one has begun.
  expect(mostOpen).toBeLessThanOrEqual(2 * (lanes.fast.attempts + lanes.slow.attempts));
  const attempts = (await Promise.all(subscriptions.map((one) => own.deliveries(one))))
    .flat()
    .flatMap((one) => one.attempts);
  expect(new Set(attempts.map(({ error }) => error))).toEqual(new Set(["timeout"]));
  const limits = attempts.map(({ durationMilliseconds: taken }) =>
    // A busy machine may be late, but the limits are three times apart.
    Object.values(lanes).find(({ milliseconds }) => taken >= milliseconds - 50 && taken < 2.9 * milliseconds),
  );
  expect(new Set(limits)).toEqual(new Set([lanes.fast, lanes.slow]));

  // Once they respond again, everything arrives.
  back = true;
  await until(
    async () =>
      (await Promise.all(subscriptions.map((one) => own.deliveries(one))))
        .flat()
        .every(({ state }) => state === "succeeded"),
    150,
  );
}, 500_000);
