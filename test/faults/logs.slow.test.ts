import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { paidService } from "../http/paid-service.ts";
import { due, own, ownAccounts } from "../webhooks/delivery-facts.ts";
import { newToken } from "../../src/accounts/token.ts";
import { createApp } from "../../src/app.ts";
import { faultOf } from "../../src/faults.ts";
import { operations } from "../../src/operations/index.ts";
import type { DeliveryMessage } from "../../src/webhooks/message.ts";
import worker from "../../src/worker.ts";
import { document } from "../harness/fixtures/fixtures.ts";

ownAccounts();

const methods = ["log", "info", "warn", "error", "debug", "trace"] as const;
const spies = methods.map((method) => vi.spyOn(console, method).mockImplementation(() => {}));
const logged = (): string => spies.flatMap(({ mock }) => mock.calls.flat().map(String)).join("\n");
afterEach(() => spies.forEach((spy) => spy.mockClear()));

/** In everything that a client brings, and in everything that a binding throws. */
const MARK = "zq7marked";

/** What a library throws that knows no restraint: all that it was given, in its name, message, stack and cause. */
function outspoken(given: unknown): Error {
  const all = `${MARK} ${JSON.stringify(given) ?? ""}\n    at ${MARK} (${MARK}.js:1:1)`;
  const error = new Error(all, { cause: new TypeError(all, { cause: { [MARK]: all } }) });
  error.name = `Library${MARK}Error`;
  return error;
}

/** A binding of which each method throws what it was called with, from call `after` on. */
function failing<T extends object>(binding: T, after = 0): T {
  let calls = 0;
  const wrapped = <U extends object>(target: U): U =>
    new Proxy(target, {
      get(inner, name) {
        const member: unknown = Reflect.get(inner, name);
        if (typeof member !== "function") return member;
        return (...values: unknown[]): unknown => {
          const isChained = name === "prepare" || name === "bind";
          if (!isChained && calls++ >= after) {
            const error = outspoken(values);
            if (name === "input") throw error;
            return Promise.reject(error);
          }
          const result: unknown = Reflect.apply(
            member,
            inner,
            values.map((value) => originals.get(value as object) ?? originalsIn(value)),
          );
          return isChained ? remember(wrapped(result as object), result as object) : result;
        };
      },
    });
  const originals = new WeakMap<object, object>();
  const originalsIn = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((one: object) => originals.get(one) ?? one) : value;
  const remember = (proxy: object, original: object): object => {
    originals.set(proxy, original);
    return proxy;
  };
  return wrapped(binding);
}

const form = (fields: Readonly<Record<string, string | Blob>>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") data.append(name, value);
    else data.append(name, value, `${MARK}.pdf`);
  }
  return data;
};
const file = new Blob([document({ name: MARK, pages: 1 }).slice()]);
const json = (body: unknown): string => JSON.stringify(body);
const url = `https://hooks.example.com/${MARK}?token=${MARK}`;
const webhook = { url, events: ["key.created"], description: MARK };

/** Everything that has a client's words in it on its way to a binding. */
const calls: readonly [string, string, string, (FormData | string)?][] = [
  ["webhooks", "POST", "/webhooks", json(webhook)],
  ["webhooks", "GET", `/webhooks?cursor=${MARK}`],
  ["webhooks", "PATCH", `/webhooks/${MARK}`, json({ url })],
  ["webhooks", "POST", `/webhooks/${MARK}/rotate-secret`],
  ["webhooks", "POST", `/webhooks/${MARK}/deliveries/${MARK}/replay`],
  ["keys", "POST", "/keys", json({ name: MARK })],
  ["keys", "PATCH", `/keys/${MARK}`, json({ name: MARK })],
  ["usage", "GET", `/usage?${MARK}=${MARK}`],
  ["an operation", "POST", "/metadata", form({ file, set: json({ title: MARK }) })],
  ["stamps", "POST", "/watermark", form({ file, kind: "text", text: `${MARK} \u05d0` })],
  ["ocr", "POST", "/ocr", form({ file, languages: "deu" })],
  ["a large WebP", "POST", "/to-images", form({ file, format: "webp", dpi: "350" })],
  ["pages", "GET", `/docs?${MARK}`],
];

const app = createApp(operations);
async function send(
  bindings: object,
  token: string,
  [, method, path, body]: (typeof calls)[number],
): Promise<Response> {
  const encoded = new Response(body ?? null);
  const headers = new Headers({
    Authorization: `Bearer ${token}`,
    "Idempotency-Key": MARK + crypto.randomUUID(),
    "CF-Connecting-IP": MARK,
  });
  const type = encoded.headers.get("Content-Type");
  if (type !== null) headers.set("Content-Type", typeof body === "string" ? "application/json" : type);
  const bytes = body === undefined ? null : await encoded.bytes();
  if (bytes !== null) headers.set("Content-Length", String(bytes.byteLength));
  const context = createExecutionContext();
  const request = new Request(`http://localhost${path.startsWith("/docs") ? "" : "/api/v1"}${path}`, {
    method,
    headers,
    body: bytes,
  });
  const response = await app.fetch(request, bindings, context);
  const read = new Response(await response.arrayBuffer().catch(() => null), { status: response.status });
  await waitOnExecutionContext(context);
  return read;
}

/** Each binding, and the calls after which it fails: until a request no longer gets so far. */
const bindings = ["ASSETS", "DB", "WEBHOOKS", "IMAGES", "KEY_SHIELD", "ADDRESS_SHIELD"] as const;
/** Those whose failure has become a 500. */
const reached = new Set<string>();

describe.each(bindings)("failures of %s", (name) => {
  test.each(calls)("a failed request logs nothing of a client: %s: %s %s", async (...call) => {
    const service = await paidService();
    // That shield is asked about bad keys alone.
    const token = name === "ADDRESS_SHIELD" ? newToken(true, 0) : service.token;
    const given = env as unknown as Record<string, object>;
    for (let after = 0; after < 6; after += 1) {
      const failed = { ...given, [name]: failing(given[name] ?? {}, after) };
      const response = await send(failed, token, call);
      const lines = logged();
      expect(lines).toContain(`"status":${response.status}`);
      expect(lines).not.toContain(MARK);
      expect(lines).not.toContain(token);
      expect(lines).not.toMatch(/whsec_|insert into|Failed query/i);
      if (response.status < 500) break;
      reached.add(name);
      // What is there suffices to find the fault.
      expect(lines).toMatch(/"cause":\{"name":"\w+".*"frames":\[".+:\d+:\d+"/);
      expect(await response.text()).not.toContain(MARK);
    }
  });
});

test("every binding fails a request of these tests, except the queue, which fails none", () => {
  expect(Array.from(reached).toSorted()).toEqual(bindings.filter((name) => name !== "WEBHOOKS").toSorted());
});

describe("failures of deliveries", () => {
  test.each(["DB", "WEBHOOKS"] as const)("a failure of %s during deliveries logs nothing of them", async (name) => {
    const delivery = await due();
    await env.DB.prepare("UPDATE webhooks SET url = ?, secret = ? WHERE id = ?").bind(url, MARK, own.webhook).run();
    for (const queue of ["pdf-service-webhooks", "pdf-service-webhooks-dead"]) {
      for (let after = 0; after < 4; after += 1) {
        const bindings = { ...env, [name]: failing(env[name] as object, after) };
        const message = {
          id: "0",
          timestamp: new Date(),
          attempts: 1,
          body: { kind: "delivery" as const, shard: 0, delivery },
        };
        const context = createExecutionContext();
        await worker.queue(createMessageBatch<DeliveryMessage>(queue, [message]), bindings, context);
        await waitOnExecutionContext(context);
        expect(logged()).not.toContain(MARK);
      }
    }
    expect(logged()).toContain(`"delivery":"${delivery}"`);
  });

  test("a failed sweep neither logs nor throws anything of the deliveries", async () => {
    const given = { scheduledTime: Date.now(), cron: "* * * * *", noRetry: () => {} };
    const bindings = { ...env, DB: failing(env.DB) };
    const thrown: unknown = await worker
      .scheduled(given, bindings, createExecutionContext())
      .catch((error: unknown) => error);
    if (!(thrown instanceof Error)) throw new Error("the runtime is to know that it failed");
    expect([thrown.message, thrown.cause]).toEqual(["the scheduled work failed", undefined]);
    expect(String(thrown.stack)).not.toContain(MARK);
    expect(logged()).toMatch(/"message":"sweep","shard":0,"cause"/);
    expect(logged()).not.toContain(MARK);
  });
});

test("the log of an error has only closed lists of names and reasons, and where it was thrown", () => {
  const error = new TypeError(`D1_ERROR: Network connection lost. ${MARK}\n    at ${MARK} (${MARK}.js:1:1)`);
  const { frames, ...rest } = faultOf(error);
  expect(rest).toEqual({ name: "TypeError", reason: "Network connection lost" });
  expect(frames?.[0]).toMatch(/logs\.slow\.test\.ts:\d+:\d+$/);
  expect(frames?.join()).not.toContain(MARK);
  const changed = new Error("before");
  changed.message = MARK;
  changed.stack = `${MARK}\n    at ${MARK} (${MARK}.js:1:1)`.replace(MARK, "other");
  expect(faultOf(changed)).toEqual({ name: "Error" });
  expect(faultOf({ message: MARK })).toEqual({ name: "other" });
  expect(faultOf(MARK)).toEqual({ name: "other" });
});
