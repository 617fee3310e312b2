import { afterAll, beforeAll, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { isSignedBy, type Receiver, startReceiver, until } from "../servers/webhook-receiver.ts";
import { callsOf } from "../servers/webhook-server.ts";

const { baseUrl, liveKey } = ownServer();
const { call, subscribe, remove } = callsOf(
  () => ({ baseUrl }),
  () => liveKey,
);
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test("a delivery is signed with the secret of its own subscription only", async () => {
  const [one, other] = [await subscribe(`${receiver.url}/one`), await subscribe(`${receiver.url}/other`)];
  await call("POST", `/webhooks/${one.id}/test`);
  await until(() => receiver.at("/one").length === 1);
  const [received] = receiver.at("/one");
  if (received === undefined) throw new Error("the event did not arrive");
  expect(received.body).toMatchObject({ type: "webhook.test", data: { webhook: one.id } });
  expect([one, other].map(({ secret }) => isSignedBy(secret, received))).toEqual([true, false]);
  expect(receiver.at("/other")).toEqual([]);
  for (const subscription of [one, other]) await remove(subscription);
});
