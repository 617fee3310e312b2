import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { startServer, type StartedServer } from "../e2e/server.ts";
import { type Receiver, startReceiver } from "./webhook-receiver.ts";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import { createAccount } from "../../src/accounts/operator.ts";
import { createKey } from "../../src/keys/operator.ts";

/** A server that delivers to loopback, and tries again so many seconds later, thirty times. */
export function startWebhookServer(
  persistTo: string,
  retrySeconds: number,
  more: readonly string[] = [],
): Promise<StartedServer> {
  const retries = Array.from({ length: 30 }, () => retrySeconds).join(",");
  return startServer(persistTo, [
    "--var",
    "WEBHOOK_ALLOW_LOCAL:true",
    "--var",
    `WEBHOOK_RETRY_SECONDS:${retries}`,
    ...more,
  ]);
}

/** What the tests of a file share from their beginning to their end. `server` is the one that runs: a test may start another. */
export interface WebhookSetup {
  readonly persistTo: string;
  server: StartedServer;
  readonly receiver: Receiver;
  /** A live key of an account that is not the server's own. */
  readonly strangersKey: string;
}

/** Sets up a server and a receiver for the tests of a file. What it returns is filled in before the first test. */
export function setUpWebhooks(retrySeconds: number, more: readonly string[] = []): WebhookSetup {
  const setup = {} as WebhookSetup;
  beforeAll(async () => {
    const persistTo = await mkdtemp(join(tmpdir(), "pdf-service-webhooks-"));
    const strangersKey = await withLocalDatabases(persistTo, async ([db]) => {
      const account = await createAccount(db, { name: "stranger", plan: "pro" }, new Date());
      return (await createKey(db, account, { name: "stranger", livemode: true }, new Date())).token;
    });
    const [server, receiver] = await Promise.all([startWebhookServer(persistTo, retrySeconds, more), startReceiver()]);
    Object.assign(setup, { persistTo, server, receiver, strangersKey });
  });
  afterAll(async () => {
    await setup.receiver.close();
    await setup.server.stop();
    await rm(setup.persistTo, { recursive: true, force: true });
  });
  return setup;
}

export interface Subscription {
  readonly id: string;
  readonly secret: string;
}

export interface ShownAttempt {
  readonly attempt: number;
  readonly startedAt: string;
  readonly durationMilliseconds: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

export interface ShownDelivery {
  readonly id: string;
  readonly event: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: readonly ShownAttempt[];
}

/** The calls of one key. */
export function callsOf(server: () => Pick<StartedServer, "baseUrl">, key: () => string) {
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${server().baseUrl}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key()}`, "Content-Type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return JSON.parse(text) as T;
  }
  return {
    call,
    subscribe: (url: string, events: readonly string[] = ["key.created", "key.revoked"]) =>
      call<Subscription>("POST", "/webhooks", { url, events }),
    remove: ({ id }: Subscription) => call("DELETE", `/webhooks/${id}`),
    deliveries: async ({ id }: Subscription) =>
      (await call<{ data: readonly ShownDelivery[] }>("GET", `/webhooks/${id}/deliveries`)).data,
    makeKey: () => call<{ readonly id: string }>("POST", "/keys", { name: "made" }),
    /** Replaces a key by another, which are two events. */
    rotate: (id: string) => call<{ readonly id: string }>("POST", `/keys/${id}/rotate`, { gracePeriodSeconds: 0 }),
  };
}
