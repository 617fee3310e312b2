import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { createAccount } from "../../src/accounts/operator.ts";
import type { PlanName } from "../../src/accounts/plans.ts";
import type { Scope } from "../../src/accounts/scopes.ts";
import { createApp } from "../../src/app.ts";
import { hex } from "../../src/bytes/hex.ts";
import { readEnv } from "../../src/env.ts";
import { createKey } from "../../src/keys/operator.ts";
import { operations } from "../../src/operations/index.ts";

// The service's log would be all that a run of these tests shows.
vi.spyOn(console, "log").mockImplementation(() => {});

const app = createApp(operations);
export const [db] = readEnv(env).databases;

/** The whole service as the owner of one key sees it. */
export interface FileService {
  readonly account: string;
  readonly token: string;
  /** Sends a request; `bindings` replaces those of wrangler.toml. */
  send(method: string, path: string, init?: RequestInit & { readonly bindings?: object }): Promise<Response>;
  /** Uploads bytes as a form, and returns the file. */
  upload(bytes: Uint8Array | ReadableStream, fields?: Readonly<Record<string, string>>): Promise<FileBody>;
  json(method: string, path: string, body?: unknown): Promise<{ status: number; body: FileBody & ErrorBody }>;
}

export interface FileBody {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly contentType: string | null;
  readonly sha256: string | null;
  readonly status: string;
  readonly livemode: boolean;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly parts?: { readonly size: number; readonly count: number; readonly received: readonly number[] };
}

export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly details?: Record<string, unknown> };
}

export async function fileService({
  plan = "enterprise",
  livemode = true,
  scopes = ["files:read", "files:write"],
  account,
}: { plan?: PlanName; livemode?: boolean; scopes?: readonly Scope[]; account?: string } = {}): Promise<FileService> {
  const owner = account ?? (await createAccount(db, { name: "test", plan }, new Date()));
  const { token } = await createKey(db, owner, { name: "test", livemode, scopes }, new Date());
  const send: FileService["send"] = async (method, path, { bindings = env, headers, ...init } = {}) => {
    const all = new Headers(headers);
    all.set("Authorization", `Bearer ${token}`);
    const request = new Request(`http://localhost/api/v1${path}`, { method, headers: all, ...init });
    const context = createExecutionContext();
    const response = await app.fetch(request, bindings, context);
    // What goes on after the response ends with its reader.
    void waitOnExecutionContext(context);
    return response;
  };
  const json: FileService["json"] = async (method, path, body) => {
    const headers = { "Content-Type": "application/json" };
    const init = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const response = await send(method, path, init);
    return { status: response.status, body: await response.json() };
  };
  return {
    account: owner,
    token,
    send,
    json,
    async upload(bytes, fields = {}) {
      const response = await send("POST", "/files", { body: formOf(bytes as Uint8Array<ArrayBuffer>, fields) });
      if (response.status !== 201) throw new Error(`POST /files: ${response.status} ${await response.text()}`);
      return response.json();
    },
  };
}

export function formOf(
  bytes: Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {},
  name = "document.pdf",
): FormData {
  const form = new FormData();
  form.append("file", new File([bytes], name));
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  return form;
}

/** Bytes that begin as a PDF and repeat nowhere. */
export function documentBytes(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  bytes.set(new TextEncoder().encode("%PDF-1.7\n").subarray(0, length));
  return bytes;
}

export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
