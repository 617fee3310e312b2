/** The queues of a server of several workers, without the workers. */
import { describe, expect, test } from "vitest";
import { Broker, type Delivered, type QueueOutcome } from "../../src/serve/broker.ts";

const OK: QueueOutcome = { outcome: "ok", retryBatch: { retry: false }, retryMessages: [] };
const queues = {
  work: { maxBatchSize: 1, maxBatchTimeout: 0, maxRetries: 1, deadLetterQueue: "dead" },
  events: { maxBatchSize: 3, maxBatchTimeout: 0, maxRetries: 5 },
  dead: { maxBatchSize: 10, maxBatchTimeout: 5, maxRetries: 0 },
};

/** A broker whose deliveries the test ends. */
function brokerOf({ workers = 2 } = {}) {
  const deliveries: {
    readonly queue: string;
    readonly messages: readonly Delivered[];
    readonly end: (outcome: Partial<QueueOutcome>) => void;
    readonly lose: () => void;
  }[] = [];
  const lost: string[] = [];
  const state = { workers };
  const broker = new Broker({
    queues,
    workers: () => state.workers,
    deliver: (queue, messages) =>
      new Promise((done, fail) => {
        const end = (outcome: Partial<QueueOutcome>): void => done({ ...OK, ...outcome });
        deliveries.push({ queue, messages, end, lose: () => fail(new Error("killed")) });
      }),
    lost: (queue) => lost.push(queue),
  });
  const bodies = () => deliveries.map(({ messages }) => messages.map(({ body }) => body));
  return { broker, deliveries, lost, bodies, state };
}

const bodiesOf = (...bodies: readonly unknown[]) => bodies.map((body) => ({ body }));

describe("the broker", () => {
  test("messages that come one by one are worked on by all workers at once, and by no more", async () => {
    const { broker, deliveries, bodies } = brokerOf();
    broker.send("work", bodiesOf("a", "b", "c"));
    expect(bodies()).toEqual([["a"], ["b"]]);
    expect(broker.backlog("work")).toBe(1);
    deliveries[1]?.end({});
    await expect.poll(bodies).toEqual([["a"], ["b"], ["c"]]);
  });

  test("batches of several messages are delivered one after the other, in the order in which they were sent", async () => {
    const { broker, deliveries, bodies } = brokerOf();
    broker.send("events", bodiesOf(1, 2, 3, 4));
    broker.send("events", bodiesOf(5));
    expect(bodies()).toEqual([[1, 2, 3]]);
    deliveries[0]?.end({});
    await expect.poll(bodies).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  test("a message whose worker is lost is delivered again, and counts as an attempt", async () => {
    const { broker, deliveries, lost } = brokerOf();
    broker.send("work", bodiesOf("a"));
    deliveries[0]?.lose();
    await expect.poll(() => deliveries.length).toBe(2);
    const [first, second] = deliveries.flatMap(({ messages }) => messages);
    expect(second).toEqual({ ...first, attempts: 2 });
    expect(lost).toEqual(["work"]);
  });

  test("messages whose worker is lost come before those that were sent after them", async () => {
    const { broker, deliveries, bodies } = brokerOf();
    broker.send("events", bodiesOf(1, 2));
    broker.send("events", bodiesOf(3, 4));
    deliveries[0]?.lose();
    await expect.poll(bodies).toEqual([
      [1, 2],
      [1, 2, 3],
    ]);
    deliveries[1]?.end({});
    await expect.poll(() => bodies().slice(2)).toEqual([[4]]);
  });

  test("only messages that the consumer returns are delivered again", async () => {
    const { broker, deliveries, bodies } = brokerOf();
    broker.send("events", bodiesOf(1, 2, 3));
    const returned = deliveries[0]?.messages[1]?.id ?? "";
    deliveries[0]?.end({ retryMessages: [{ msgId: returned }] });
    await expect.poll(bodies).toEqual([[1, 2, 3], [2]]);
    deliveries[1]?.end({ outcome: "exception" });
    await expect.poll(bodies).toEqual([[1, 2, 3], [2], [2]]);
  });

  test("a message that fails too often goes to the dead-letter queue as a new one", async () => {
    const { broker, deliveries } = brokerOf();
    broker.send("work", bodiesOf("a"));
    deliveries[0]?.end({ retryBatch: { retry: true } });
    await expect.poll(() => deliveries.length).toBe(2);
    deliveries[1]?.end({ retryBatch: { retry: true } });
    await expect.poll(() => deliveries.length).toBe(3);
    expect(deliveries[2]).toMatchObject({ queue: "dead", messages: [{ body: "a", attempts: 1 }] });
    deliveries[2]?.end({ retryBatch: { retry: true } });
    await expect.poll(() => broker.backlog("dead")).toBe(0);
    expect(deliveries).toHaveLength(3);
  });

  test("messages wait while no worker is ready, and are delivered once one is", () => {
    const { broker, bodies, state } = brokerOf({ workers: 0 });
    broker.send("work", bodiesOf("a"));
    broker.send("events", bodiesOf(1));
    expect(bodies()).toEqual([]);
    state.workers = 1;
    broker.wake();
    expect(bodies()).toEqual([["a"], [1]]);
  });

  test("a delayed message is no backlog, and a stopped broker delivers nothing", () => {
    const { broker, bodies } = brokerOf();
    broker.send("work", [{ body: "later", delaySeconds: 3_600 }]);
    expect(broker.backlog("work")).toBe(0);
    broker.stop();
    broker.send("work", bodiesOf("a"));
    expect(bodies()).toEqual([]);
  });
});
