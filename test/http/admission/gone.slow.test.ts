import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { expectConsistency } from "../../billing/ledger-facts.ts";
import { paidService, pdf } from "../paid-service.ts";
import { sweep } from "../../../src/billing/sweep.ts";
import { createApp } from "../../../src/app.ts";
import { openDatabase } from "../../../src/db/client.ts";
import { Admission } from "../../../src/http/admission/admission.ts";
import { defineOperation, type OutputFile } from "../../../src/operations/definition/define.ts";
import { pdfFile, text } from "../../../src/operations/definition/fields.ts";
import { formChoice } from "../../../src/operations/definition/values.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

/** A promise that is never settled: what is left of a request that the platform has dropped. */
const never = new Promise<never>(() => {});

/** Resolved when `goOn` is called; calls with `act=wait` stay at work until then. */
let wait = Promise.withResolvers<void>();
/** Slices of the calls with `act=loop`. */
let slices = 0;
/** A request stands in the queue from the moment that it asks for its turn. */
const admit = vi.spyOn(Admission.prototype, "admit");
const turnsAsked = (): number => admit.mock.calls.filter(([, { to }]) => to === "work").length;
/** What to do when the operation runs, or its ZIP is made. */
let reached = (): void => {};

const staged = defineOperation({
  name: "staged",
  summary: "Staged",
  group: "More",
  keywords: "",
  example: {},
  description: "Staged.",
  credits: 2,
  modes: { scope: "pdf:write", returns: ["application/pdf", "application/zip"] },
  fields: { file: pdfFile(), act: text(formChoice("hang", "loop", "wait", "zip"), "") },
  headers: [],
  async run({ file, act }, { work }) {
    if (act === "loop") reached();
    for (const turns = act === "loop" ? Infinity : 0; slices < turns; slices += 1) {
      work.spend(1_000_000);
      await work.pause();
    }
    if (act === "hang") reached();
    if (act === "hang") await never;
    if (act === "wait") reached();
    if (act === "wait") await wait.promise;
    if (act !== "zip") return { kind: "json", value: {}, headers: {} };
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100_000);
      reached();
      await never;
    }
    function* entries(): Generator<OutputFile> {
      yield { name: "a.pdf", bytes: file.bytes };
      yield { name: "b.pdf", bytes: bytes() };
    }
    return { kind: "zip", entries: entries(), headers: {} };
  },
});

const app = createApp([staged]);
const service = await paidService("enterprise", undefined, app);

/** Time that has passed beside the real one: nothing in these tests waits for a clock. */
let skipped = 0;
const now = Date.now.bind(Date);
vi.spyOn(Date, "now").mockImplementation(() => now() + skipped);

interface Started {
  readonly response: Promise<Response>;
  leave(): void;
}

/** Sends a call whose client can leave. Nothing that the service hands to `waitUntil` is waited for. */
async function start(act: string, options: { bindings?: object; body?: "stalls" } = {}): Promise<Started> {
  const form = new FormData();
  form.append("act", act);
  form.append("file", pdf("x".repeat(1_000)), "report.pdf");
  const encoded = new Response(form);
  const headers = new Headers(encoded.headers);
  headers.set("Authorization", `Bearer ${service.token}`);
  const bytes = await encoded.bytes();
  headers.set("Content-Length", String(bytes.length));
  const stalls = new ReadableStream({
    type: "bytes",
    start: (controller) => controller.enqueue(bytes.slice(0, 500)),
    pull: () => {
      reached();
      return never;
    },
  });
  const leaving = new AbortController();
  const body = options.body === "stalls" ? stalls : bytes;
  const init = { method: "POST", headers, body, signal: leaving.signal };
  const request = new Request("http://localhost/api/v1/staged", init);
  const response = Promise.resolve(app.fetch(request, options.bindings ?? env, createExecutionContext()));
  response.catch(() => {});
  return { response, leave: () => leaving.abort() };
}

/** A call that is where `reached` says, and whose client leaves then. */
async function startAndLeave(act: string, options?: Parameters<typeof start>[1]): Promise<void> {
  const there = Promise.withResolvers<void>();
  reached = there.resolve;
  const { leave, response } = await start(act, options);
  response.then((response) => response.arrayBuffer()).catch(() => {});
  await there.promise;
  leave();
  skipped += 2_001;
}

/** The database, of which the second batch of a request never ends: that of the reservation. */
function stallingDatabase(): object {
  let batches = 0;
  const DB = new Proxy(env.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "batch") return typeof value === "function" ? value.bind(target) : value;
      return (statements: D1PreparedStatement[]) => {
        batches += 1;
        if (batches === 1) return target.batch(statements);
        reached();
        return never;
      };
    },
  });
  return { ...env, DB };
}

/** Both places are free: two calls can be at work at the same time. */
async function expectBothPlaces(): Promise<void> {
  wait = Promise.withResolvers();
  const both = Promise.withResolvers<void>();
  let inside = 0;
  reached = () => {
    inside += 1;
    if (inside === 2) both.resolve();
  };
  const calls = [await start("wait"), await start("wait")];
  await both.promise;
  wait.resolve();
  for (const { response } of calls) expect((await response).status).toBe(200);
}

const ROUNDS = 40;

describe("departed clients", () => {
  /** Its name, the credits that it costs, and how often other calls succeed meanwhile. */
  const stages: readonly [string, number, number, () => Promise<void>][] = [
    ["while the body is uploaded", 0, 0, () => startAndLeave("hang", { body: "stalls" })],
    ["while the credits are reserved", 0, 0, () => startAndLeave("hang", { bindings: stallingDatabase() })],
    ["during the work", 0, 0, () => startAndLeave("hang")],
    ["while a ZIP is streamed", 2, 0, () => startAndLeave("zip")],
    [
      "while they wait for a place",
      0,
      2,
      async () => {
        wait = Promise.withResolvers();
        const there = Promise.withResolvers<void>();
        let inside = 0;
        reached = () => {
          inside += 1;
          if (inside === 2) there.resolve();
        };
        const before = [await start("wait"), await start("wait")];
        await there.promise;
        const asked = turnsAsked();
        const waiting = await start("hang");
        await vi.waitFor(() => expect(turnsAsked()).toBe(asked + 1), { timeout: 100_000, interval: 1 });
        waiting.leave();
        expect((await waiting.response).status).toBe(499);
        wait.resolve();
        for (const { response } of before) expect((await response).status).toBe(200);
      },
    ],
  ];

  test.each(stages)("both places are free after clients have left: %s", async (_, credits, others, leaveOnce) => {
    const before = await service.used();
    for (let round = 0; round < ROUNDS; round += 1) await leaveOnce();
    await expectBothPlaces();
    // What a request that never ends has reserved is released by the sweep.
    await sweep(openDatabase(env.DB), new Date(Date.now() + 16 * 60_000));
    const succeeded = ROUNDS * others + 2;
    expect((await service.used()) - before).toBe(ROUNDS * credits + succeeded * 2);
  });
});

test("a client that leaves during the work stops it at its next slice, and is not charged", async () => {
  const before = await service.used();
  const there = Promise.withResolvers<void>();
  reached = there.resolve;
  const { response, leave } = await start("loop");
  await there.promise;
  leave();
  expect((await response).status).toBe(499);
  const stopped = slices;
  await expectBothPlaces();
  expect(slices).toBe(stopped);
  expect((await service.used()) - before).toBe(4);
});
