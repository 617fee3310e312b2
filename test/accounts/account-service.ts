import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { createAccount } from "../../src/accounts/operator.ts";
import { createKey, type NewKey } from "../../src/keys/operator.ts";
import { createApp } from "../../src/app.ts";
import { readEnv } from "../../src/env.ts";
import { operations } from "../../src/operations/index.ts";

// The service's log would be all that a run of these tests shows.
vi.spyOn(console, "log").mockImplementation(() => {});

const app = createApp(operations);
const [db] = readEnv(env).databases;

export interface Made {
  readonly id: string;
  readonly token: string;
}

/** An account of its own; `key` makes keys for it as the operator does, without asking the API. */
export async function newAccount() {
  const account = await createAccount(db, { name: "test", plan: "enterprise" }, new Date());
  return {
    account,
    key: (options: Partial<NewKey> = {}): Promise<Made> =>
      createKey(db, account, { name: "test", livemode: true, ...options }, new Date()),
  };
}

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  readonly json: Record<string, unknown>;
  readonly code: string | undefined;
  readonly details: Record<string, unknown> | undefined;
}

/** Sends a request to the whole service; a body is sent as JSON. */
export async function send(method: string, path: string, token?: string, body?: unknown): Promise<Sent> {
  const headers = new Headers();
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  return sendRaw(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
}

export async function sendRaw(path: string, init: RequestInit): Promise<Sent> {
  const request = new Request(`http://localhost/api/v1${path}`, init);
  const response = await app.fetch(request, env, createExecutionContext());
  const text = await response.text();
  const json = (response.headers.get("Content-Type")?.startsWith("application/json") ? JSON.parse(text) : {}) as Record<
    string,
    unknown
  >;
  const error = json["error"] as { code: string; details?: Record<string, unknown> } | undefined;
  return { status: response.status, headers: response.headers, text, json, code: error?.code, details: error?.details };
}

/** A key as the API shows it, with `key` where it was just made. */
export type Key = Record<string, unknown> & { readonly id: string; readonly key: string; readonly name: string };

/** Makes a key over the API. */
export async function makeKey(token: string, body: Readonly<Record<string, unknown>>): Promise<Key> {
  const { status, json, text } = await send("POST", "/keys", token, body);
  if (status !== 201) throw new Error(`POST /keys: ${status} ${text}`);
  return json as Key;
}

/** The status of a call that a key with `keys:manage` may make. */
export const statusOf = async (token: string): Promise<number> => (await send("GET", "/keys", token)).status;

export const fieldsOf = (details: Sent["details"]): readonly { readonly name: string; readonly issue: string }[] =>
  details?.["fields"] as { name: string; issue: string }[];

export const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

/** Puts the expiry of a key into the past, as waiting would. */
export async function expire(id: string): Promise<void> {
  await env.DB.prepare("UPDATE api_keys SET expires_at = ? WHERE id = ?")
    .bind(Date.now() - 1, id)
    .run();
}
