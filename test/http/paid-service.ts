import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { createAccount } from "../../src/accounts/operator.ts";
import { createKey } from "../../src/keys/operator.ts";
import { monthOf, periodId } from "../../src/accounts/periods.ts";
import { type PlanName, plans } from "../../src/accounts/plans.ts";
import type { Scope } from "../../src/accounts/scopes.ts";
import { createApp } from "../../src/app.ts";
import { openDatabase } from "../../src/db/client.ts";
import { Refusal } from "../../src/engines/errors.ts";
import { MiB } from "../../src/limits.ts";
import { defineOperation, type OutputFile } from "../../src/operations/definition/define.ts";
import { pdfFile, text } from "../../src/operations/definition/fields.ts";
import { formChoice, formText } from "../../src/operations/definition/values.ts";

/** Where the calls wait that are to be at work for a while: `reached` when one is there, until `goOn`. */
export const gate = { ...Promise.withResolvers<void>(), reached: Promise.withResolvers<void>() };

/** Costs two credits and gives its file back, or ends in the way it is asked to. */
const work = defineOperation({
  name: "work",
  summary: "Work",
  group: "More",
  keywords: "",
  example: {},
  description: "Work.",
  credits: 2,
  modes: { scope: "pdf:write", returns: ["application/pdf", "application/zip"] },
  fields: {
    file: pdfFile(),
    note: text(formText(100), ""),
    act: text(formChoice("refuse", "throw", "trap", "first", "late", "spoiled", "zip", "wait"), ""),
  },
  headers: [],
  async run({ file, act }, { pdf }) {
    if (act === "refuse") throw new Refusal("invalid_file", "No.", { input: file.field });
    if (act === "throw") throw new TypeError("a fault");
    if (act === "trap") throw new WebAssembly.RuntimeError(`unreachable ${pdf.heapBytes}`);
    if (act === "wait") {
      gate.reached.resolve();
      await gate.promise;
    }
    if (act !== "late" && act !== "spoiled" && act !== "zip" && act !== "first")
      return { kind: "pdf", bytes: file.bytes, headers: {} };
    function* entries(): Generator<OutputFile> {
      if (act === "first") throw new TypeError("a fault");
      yield { name: "a.pdf", bytes: file.bytes };
      if (act === "late") throw new TypeError("a fault");
      if (act === "spoiled") throw new Refusal("invalid_file", "No.", { input: file.field });
    }
    return { kind: "zip", entries: entries(), headers: {} };
  },
});

/** Like `work`, at another path, for one credit. */
const other = defineOperation({
  name: "other",
  summary: "Other",
  group: "More",
  keywords: "",
  example: {},
  description: "Other.",
  credits: 1,
  modes: { scope: "pdf:read", returns: ["application/pdf"] },
  fields: { file: pdfFile() },
  headers: [],
  run: async ({ file }) => ({ kind: "pdf", bytes: file.bytes, headers: {} }),
});

const workApp = createApp([work, other]);
const db = openDatabase(env.DB);

export const pdf = (content = "content"): Blob => new Blob(["%PDF-1.7\n", content]);
/** Too large to be copied at once: its response is streamed. */
export const largePdf = (): Blob => pdf("x".repeat(3 * MiB));

export interface Call {
  readonly fields?: Readonly<Record<string, string>>;
  readonly file?: Blob;
  /** The name of its field; `file` where it is not given. */
  readonly fileField?: string;
  readonly idempotencyKey?: string;
  readonly path?: string;
  readonly method?: "GET";
  readonly bindings?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** In the place of a form. */
  readonly body?: string | ReadableStream<Uint8Array>;
}

/** A response, and what it left running. */
export interface Sent {
  readonly response: Response;
  /** Waits until all of it has ended. */
  ended(): Promise<void>;
}

/** The service, of `work` and `other` unless another is given, an account, and a key for it. */
export async function paidService(plan: PlanName = "enterprise", scopes?: readonly Scope[], app = workApp) {
  const now = new Date();
  const account = await createAccount(db, { name: "test", plan }, now);
  const { token } = await createKey(db, account, { name: "test", livemode: true, ...(scopes && { scopes }) }, now);
  const period = periodId(account, true, monthOf(now));

  /** Sends a call and returns its response unread. */
  async function open(call: Call = {}): Promise<Sent> {
    const headers = new Headers({ Authorization: `Bearer ${token}`, ...call.headers });
    if (call.idempotencyKey !== undefined) headers.set("Idempotency-Key", call.idempotencyKey);
    const form = new FormData();
    for (const [name, value] of Object.entries(call.fields ?? {})) form.append(name, value);
    form.append(call.fileField ?? "file", call.file ?? pdf(), "report.pdf");
    const context = createExecutionContext();
    const waited = vi.spyOn(context, "waitUntil");
    let body: Uint8Array | ReadableStream<Uint8Array>;
    if (call.body instanceof ReadableStream) body = call.body;
    else {
      const encoded = new Response(call.body ?? form, { headers });
      const type = encoded.headers.get("Content-Type");
      if (type !== null) headers.set("Content-Type", type);
      body = await encoded.bytes();
      // Without it a body counts as the plan's largest, and each call would be at work alone.
      headers.set("Content-Length", String(body.byteLength));
    }
    const request = new Request(`http://localhost${call.path ?? "/api/v1/work"}`, {
      method: call.method ?? "POST",
      headers,
      ...(call.method !== "GET" && { body }),
    });
    const response = await app.fetch(request, call.bindings ?? env, context);
    return { response, ended: async () => void (await Promise.all(waited.mock.calls.flat())) };
  }

  /** Sends a call, reads its response and waits for its end. One that breaks off is of type `error`. */
  async function send(call: Call = {}): Promise<Response> {
    const { response, ended } = await open(call);
    const body = await response.arrayBuffer().catch(() => undefined);
    await ended();
    return body === undefined ? Response.error() : new Response(body, response);
  }

  return {
    account,
    period,
    token,
    open,
    send,
    /** Another key of the account. */
    async newKey({ livemode }: { livemode: boolean }): Promise<string> {
      return (await createKey(db, account, { name: "test", livemode }, now)).token;
    },
    /** Leaves the account this many credits of its month. */
    async leave(credits: number): Promise<void> {
      const spent = plans[plan].credits - credits;
      await env.DB.batch([
        env.DB.prepare("INSERT INTO periods VALUES (?, ?, ?, 0)").bind(period, monthOf(now).start.getTime(), spent),
        env.DB.prepare("INSERT INTO period_operations VALUES (?, 'earlier', ?)").bind(period, spent),
        env.DB.prepare("INSERT INTO ledger VALUES (?, ?, 'earlier', ?, 'settled', ?, NULL)").bind(
          `${account}/earlier`,
          period,
          spent,
          now.getTime(),
        ),
      ]);
    },
    /** Credits used this month. */
    async used(): Promise<number> {
      const row = await env.DB.prepare("SELECT used FROM periods WHERE id = ?").bind(period).first<{ used: number }>();
      return row?.used ?? 0;
    },
  };
}

/** Status and code of a response; the code is undefined where it is no error. */
export async function outcome(response: Response): Promise<[number, string | undefined]> {
  if (response.ok) return [response.status, undefined];
  const { error } = await response.clone().json<{ error: { code: string } }>();
  return [response.status, error.code];
}

/** What a response says of credits: charged, remaining, and whether it is a repetition. */
export function creditsOf({ headers }: Response): [string | null, string | null, string | null] {
  return [headers.get("X-Credits-Charged"), headers.get("X-Credits-Remaining"), headers.get("Idempotency-Replayed")];
}

export function expectNoCredits(response: Response): void {
  expect(creditsOf(response)).toEqual([null, null, null]);
}
