import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { createAccount } from "../../src/accounts/operator.ts";
import { createKey } from "../../src/keys/operator.ts";
import type { PlanName } from "../../src/accounts/plans.ts";
import type { Scope } from "../../src/accounts/scopes.ts";
import { createApp } from "../../src/app.ts";
import { Refusal } from "../../src/engines/errors.ts";
import { readEnv } from "../../src/env.ts";
import { defineOperation, type Operation, type OutputFile } from "../../src/operations/definition/define.ts";
import { MAKES_PDF } from "../../src/operations/definition/modes.ts";
import { pdfFile, text } from "../../src/operations/definition/fields.ts";
import { formChoice, formText, pageRange } from "../../src/operations/definition/values.ts";

/** What only the document knows. */
export const SECRET = "a-word-of-the-document";

/** Gives its file back, or fails in the way it is asked to: what the pipeline does with it is what is tested. */
export const echo = defineOperation({
  name: "echo",
  summary: "Echo",
  group: "More",
  keywords: "",
  example: {},
  description: "Echo.",
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    act: text(formChoice("zip", "json", "refuse", "throw", "trap", "late"), ""),
    ranges: text(formText(1_000_000), ""),
    pages: text(pageRange(), ""),
  },
  headers: ["X-Page-Count"],
  async run({ file, act }, { pdf }) {
    const headers = { "X-Page-Count": "7" };
    if (act === "refuse") throw new Refusal("incorrect_password", "No.", { input: file.field });
    if (act === "throw") throw new TypeError(SECRET);
    if (act === "trap") throw new WebAssembly.RuntimeError(`unreachable ${pdf.heapBytes}`);
    if (act === "json") return { kind: "json", value: { length: file.bytes.length }, headers };
    if (act !== "zip" && act !== "late") return { kind: "pdf", bytes: file.bytes, headers };
    function* entries(): Generator<OutputFile> {
      yield { name: "a.pdf", bytes: file.bytes };
      if (act === "late") throw new TypeError(SECRET);
    }
    return { kind: "zip", entries: entries(), headers };
  },
});

const base = "http://localhost";

export async function newKey(plan: PlanName, scopes?: readonly Scope[]): Promise<string> {
  const [db] = readEnv(env).databases;
  const now = new Date();
  const account = await createAccount(db, { name: "test", plan }, now);
  const { token } = await createKey(db, account, { name: "test", livemode: true, ...(scopes && { scopes }) }, now);
  return token;
}

/** What sends requests to a service of these operations. */
export function senderTo(...operations: readonly Operation[]) {
  const app = createApp(operations);
  /** Waits until everything that the request left running has ended. A response that breaks off is of type `error`. */
  return async (path: string, init: RequestInit = {}): Promise<Response> => {
    const context = createExecutionContext();
    const waited = vi.spyOn(context, "waitUntil");
    const response = await app.fetch(new Request(base + path, init), env, context);
    const body = response.body === null ? null : await response.arrayBuffer().catch(() => "broken" as const);
    await Promise.all(waited.mock.calls.flat());
    return body === "broken" ? Response.error() : new Response(body, response);
  };
}

const send = senderTo(echo);

export const pdf = (size = 100): Blob => new Blob(["%PDF-1.7\n", new Uint8Array(size)]);

/** The service over `echo` alone, and a key for it. */
export async function echoService() {
  const key = await newKey("business");
  return {
    key,
    send,
    async post(fields: Readonly<Record<string, string>>, file: Blob | null = pdf(), token = key): Promise<Response> {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      if (file !== null) form.append("file", file, "my report.pdf");
      return send("/api/v1/echo", { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: form });
    },
    async postRaw(contentType: string, body: BodyInit | null): Promise<Response> {
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": contentType };
      return send("/api/v1/echo", { method: "POST", headers, body });
    },
  };
}

interface Envelope {
  error: { code: string; message: string; details?: Record<string, unknown> };
}

/** Status, code and details of a response that has to be an error in the envelope. */
export async function errorOf(response: Response): Promise<[number, string, unknown]> {
  expect(response.headers.get("X-Request-Id")).toMatch(/^req_[0-9a-f]{32}$/);
  expect(response.headers.get("Content-Type")).toContain("application/json");
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  const { error } = (await response.json()) as Envelope;
  return [response.status, error.code, error.details];
}
