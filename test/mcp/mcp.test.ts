/** What the MCP server has of the API: scopes, credits, rates, accounts, and files. Requests are those of revision 2025-06-18. */
import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { PDFDocument } from "pdf-lib";
import { expect, inject, test } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Scope } from "../../src/accounts/scopes.ts";
import { operations } from "../../src/operations/index.ts";
import { failing } from "../faults/failing-bucket.ts";
import { type FileService, fileService } from "../files/file-service.ts";
import { document } from "../harness/fixtures/fixtures.ts";

const app = createApp(operations);
const every: readonly Scope[] = ["pdf:read", "pdf:write", "files:read", "files:write", "billing:read"];
const small = document({ name: "small", pages: 2 });
const base64 = btoa(String.fromCharCode(...small));

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: {
    readonly file?: { readonly id: string; readonly url: string; readonly expiresAt: string };
    readonly result?: { readonly text: string };
    readonly credits?: { readonly charged: number };
  };
  readonly _meta?: { readonly error: { readonly code: string; readonly details?: Record<string, unknown> } };
}

/** Posts a message; `bindings` replace those of wrangler.toml. */
async function post(
  { token }: FileService,
  message: object,
  bindings: object = env,
  signal?: AbortSignal,
): Promise<Response> {
  const request = new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-03-26",
    },
    body: JSON.stringify(message),
    ...(signal && { signal }),
  });
  const context = createExecutionContext();
  const response = await app.fetch(request, bindings, context);
  void waitOnExecutionContext(context);
  return response;
}

const messageOf = (name: string, parameters: object, id = 1): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: parameters },
});

/** The results of a stream of events, by the IDs of their requests. */
async function resultsOf(response: Response): Promise<ReadonlyMap<number, Result>> {
  const text = await response.text();
  const lines = text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice("data: ".length)] : []));
  const messages = lines.map((line) => JSON.parse(line) as { id: number; result: Result });
  return new Map(messages.map(({ id, result }) => [id, result]));
}

async function call(service: FileService, name: string, parameters: object, bindings?: object): Promise<Result> {
  const response = await post(service, messageOf(name, parameters), bindings);
  const result = (await resultsOf(response)).get(1);
  if (result === undefined) throw new Error(`${name}: ${response.status}`);
  return result;
}

const codeOf = ({ isError, _meta }: Result): unknown => [isError, _meta?.error.code, _meta?.error.details];
const usedBy = async ({ account }: FileService): Promise<unknown> =>
  (
    await env.DB.prepare("select sum(used) as used from periods where id like ?")
      .bind(`${account}:%`)
      .first<{ used: number }>()
  )?.used ?? 0;

const service = await fileService({ scopes: every });

test("a call needs the scopes of its operation and of its files before anything is charged", async () => {
  const reader = await fileService({ scopes: ["pdf:read"] });
  expect(codeOf(await call(reader, "rotate", { file: base64, angle: "90" }))).toEqual([
    true,
    "forbidden",
    { requiredScope: "files:write" },
  ]);
  expect(codeOf(await call(reader, "ocr", { file: base64, output: "pdf" }))).toEqual([
    true,
    "forbidden",
    { requiredScope: "files:write" },
  ]);
  expect(codeOf(await call(reader, "metadata", { file: base64, action: "set", metadata: {} }))).toEqual([
    true,
    "forbidden",
    { requiredScope: "files:write" },
  ]);
  expect(codeOf(await call(reader, "list-files", {}))).toEqual([true, "forbidden", { requiredScope: "files:read" }]);
  expect(codeOf(await call(reader, "extract-text", { file: "file_6SxJexb5CgzsCcpSpB1Ftl0" }))).toEqual([
    true,
    "forbidden",
    { requiredScope: "files:read" },
  ]);
  const files = await fileService({ scopes: ["files:read", "files:write"] });
  expect(codeOf(await call(files, "rotate", { file: base64, angle: "90" }))).toEqual([
    true,
    "forbidden",
    { requiredScope: "pdf:write" },
  ]);
  expect([await usedBy(reader), await usedBy(files)]).toEqual([0, 0]);
  const attachments = await call(reader, "attachments", { file: base64, action: "list" });
  expect(attachments.structuredContent?.result).toEqual({ attachments: [] });
  const { structuredContent } = await call(reader, "extract-text", { file: base64 });
  expect(structuredContent?.result?.text).toContain("Page 1 of small");
  expect(await usedBy(reader)).toBe(2);
});

test("a key sees only the tools that it can use", async () => {
  const listed = async (scopes: readonly Scope[]): Promise<string[]> => {
    const response = await post(await fileService({ scopes }), { jsonrpc: "2.0", id: 1, method: "tools/list" });
    const result = (await resultsOf(response)).get(1) as unknown as { tools: readonly { name: string }[] };
    return result.tools.map(({ name }) => name);
  };
  // What has a result other than a file.
  expect(await listed(["pdf:read"])).toEqual([
    "outline",
    "extract-text",
    "ocr",
    "invoice",
    "verify-signatures",
    "metadata",
    "attachments",
    "redact",
    "validate",
    "pipeline",
    "get-job-result",
    "list-jobs",
    "get-job",
    "cancel-job",
    "describe-tool",
  ]);
  expect(await listed(["files:read"])).toEqual(["read-file", "list-files", "get-file", "describe-tool"]);
  expect(await listed(["billing:read"])).toEqual(["get-usage", "describe-tool"]);
  const all = await listed(every);
  for (const { name } of operations) expect(all).toContain(name);
});

test("a result is kept for an hour, or as long as the call requests", async () => {
  const kept = async (parameters: object): Promise<number> => {
    const { structuredContent } = await call(service, "rotate", { file: base64, angle: "90", ...parameters });
    const facts = await (
      await service.send("GET", `/files/${structuredContent?.file?.id ?? ""}`)
    ).json<{
      createdAt: string;
      expiresAt: string;
    }>();
    expect(structuredContent?.file?.expiresAt).toBe(facts.expiresAt);
    return (Date.parse(facts.expiresAt) - Date.parse(facts.createdAt)) / 1_000;
  };
  expect(await kept({})).toBeCloseTo(3_600, -1);
  expect(await kept({ expiresIn: 7_200 })).toBeCloseTo(7_200, -1);
});

test("parameters are read as form fields are, and ignored ones are listed", async () => {
  const given = { file: base64, format: "JPG", dpi: " 36.0 ", pages: 1, quality: "80.0" };
  expect((await call(service, "to-images", given)).structuredContent).toMatchObject({
    file: { contentType: "image/jpeg" },
  });
  const png = await call(service, "to-images", { ...given, format: "Png", background: null });
  expect(png.structuredContent).toMatchObject({ headers: { "X-Ignored-Parameters": "quality" } });
  const marked = await call(service, "watermark", {
    file: base64,
    kind: "TEXT",
    text: 7,
    color: "C00",
    tile: "True",
    postion: 1,
  });
  expect(marked._meta?.error.details).toEqual({
    fields: [{ name: "postion", issue: "is not a parameter of this operation. Did you mean `position`?" }],
  });
});

test("files and jobs of another account are not found", async () => {
  const other = await fileService({ scopes: every });
  const { id } = await other.upload(small);
  for (const [name, parameters] of [
    ["get-file", { id }],
    ["read-file", { id }],
    ["delete-file", { id }],
    ["extract-text", { file: id }],
  ] as const)
    expect([name, (await call(service, name, parameters))._meta?.error.code]).toEqual([name, "not_found"]);
  expect((await call(other, "extract-text", { file: id })).isError).toBeUndefined();
});

test("each tool call of a batch counts as one request of the account's minute", async () => {
  const free = await fileService({ plan: "free", scopes: every });
  // The next minute, so that none begins in the middle.
  const minute = Math.floor(Date.now() / 60_000) + 1;
  await env.DB.prepare("UPDATE accounts SET minute = ? WHERE id = ?").bind(minute, free.account).run();
  // The operation, and the upload of its result.
  const one = await post(free, messageOf("rotate", { file: base64, angle: "90" }));
  expect(one.headers.get("RateLimit")).toMatch(/;r=9;/);
  await one.text();
  const batch = await post(
    free,
    [1, 2, 3].map((id) => messageOf("get-usage", {}, id)),
  );
  expect(Array.from((await resultsOf(batch)).values(), ({ isError }) => isError)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const next = await post(free, { jsonrpc: "2.0", id: 1, method: "ping" });
  expect(next.headers.get("RateLimit")).toMatch(/;r=5;/);
  for (let left = 5; left > 0; left -= 1) await (await post(free, { jsonrpc: "2.0", id: 1, method: "ping" })).text();
  const result = await call(free, "get-usage", {});
  expect([result.isError, result._meta?.error.code, result.content[0]?.text]).toEqual([
    true,
    "rate_limit_exceeded",
    expect.stringContaining("Retry after "),
  ]);
  expect((await post(free, { jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(429);
});

test("a message with more values than any tool takes is refused before it is inspected", async () => {
  const free = await fileService({ plan: "free", scopes: every });
  const parameters = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, at]));
  for (const sent of [parameters(100_000), { values: parameters(20_000) }, { values: Array(20_000).fill(1) }]) {
    const response = await post(free, messageOf("rotate", sent));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32600, message: "Invalid Request: more than 20,000 values" },
    });
  }
  // What a tool makes of fewer is up to the tool.
  expect(codeOf(await call(free, "rotate", parameters(2_000)))).toEqual([true, "limit_exceeded", { limit: 1_000 }]);
});

test("a tool call without credits is an error that says when credits reset", async () => {
  const free = await fileService({ plan: "free", scopes: every });
  await call(free, "extract-text", { file: base64 });
  await env.DB.prepare("update periods set used = 100 where id like ?").bind(`${free.account}:%`).run();
  const result = await call(free, "extract-text", { file: base64 });
  expect([...(codeOf(result) as unknown[]).slice(0, 2), result.content[0]?.text]).toEqual([
    true,
    "quota_exceeded",
    expect.stringContaining("Credits reset on"),
  ]);
});

test("files come from URLs and in base64 up to 1 MiB", async () => {
  const url = `${inject("documents")}/kept/small.pdf`;
  await (await fetch(url, { method: "PUT", body: small })).text();
  const local = { ...env, FETCH_ALLOW_LOCAL: "true" };
  const { structuredContent } = await call(service, "extract-text", { file: url }, local);
  expect(structuredContent?.result?.text).toContain("Page 2 of small");
  expect((await call(service, "create-file", { url, name: "kept.pdf" }, local)).structuredContent).toMatchObject({
    name: "kept.pdf",
  });
  expect(codeOf(await call(service, "rotate", { file: "https://10.0.0.1/a.pdf", angle: "90" }))).toMatchObject([
    true,
    "invalid_parameters",
    { fields: [{ name: "file" }] },
  ]);
  const large = btoa("x".repeat(1024 * 1024 + 3));
  expect(codeOf(await call(service, "merge", { files: [base64, large] }))).toEqual([
    true,
    "file_too_large",
    { limit: 1024 * 1024, actual: 1024 * 1024 + 3, input: "files[1]" },
  ]);
  expect(codeOf(await call(service, "merge", { files: [base64, btoa("hello")] }))).toEqual([
    true,
    "unsupported_format",
    { input: "files[1]" },
  ]);
  expect(codeOf(await call(service, "merge", { files: base64 }))).toMatchObject([
    true,
    "invalid_parameters",
    { fields: [{ name: "files", issue: "must be an array of strings" }] },
  ]);
  expect(codeOf(await call(service, "merge", { files: [base64, 7] }))).toMatchObject([
    true,
    "invalid_parameters",
    { fields: [{ name: "files[1]" }] },
  ]);
});

test("a tool call that is retried with its key is charged once, as is one whose result was not stored", async () => {
  const payer = await fileService({ scopes: every });
  const again = { file: base64, angle: "90", idempotencyKey: "one" };
  await call(payer, "rotate", again);
  await call(payer, "rotate", again);
  expect(await usedBy(payer)).toBe(1);
  expect(codeOf(await call(payer, "rotate", { ...again, angle: "180" }))).toEqual([
    true,
    "idempotency_key_reused",
    undefined,
  ]);
  const { bindings } = failing("put", "always");
  const lost = await call(payer, "rotate", { file: base64, angle: "270" }, bindings);
  const [, key] = /"idempotencyKey": "([^"]+)"/.exec(lost.content[0]?.text ?? "") ?? [];
  expect([lost.isError, key, await usedBy(payer)]).toEqual([true, expect.any(String), 2]);
  const { structuredContent } = await call(payer, "rotate", { file: base64, angle: "270", idempotencyKey: key });
  expect([structuredContent?.credits?.charged, await usedBy(payer)]).toEqual([0, 2]);
  const kept = await payer.send("GET", `/files/${structuredContent?.file?.id ?? ""}/content`);
  const [page] = (await PDFDocument.load(await kept.arrayBuffer())).getPages();
  expect(page?.getRotation().angle).toBe(270);
});

test("the parameters that a tool adds to an operation are checked before anything is charged", async () => {
  const payer = await fileService({ scopes: every });
  const issuesOf = async (name: string, parameters: object): Promise<unknown> =>
    (await call(payer, name, parameters))._meta?.error.details?.["fields"];
  expect(
    await issuesOf("extract-text", {
      file: base64,
      background: "yes",
      idempotencyKey: "é",
      expiresIn: 5,
    }),
  ).toMatchObject([
    { name: "background", issue: "must be true or false" },
    { name: "idempotencyKey" },
    { name: "expiresIn", issue: expect.stringContaining("from 300 to") },
  ]);
  expect(await issuesOf("get-job", { waits: 1 })).toMatchObject([
    { name: "waits", issue: "is not a known parameter. Did you mean `wait`?" },
    { name: "id", issue: "is required" },
  ]);
  expect(await issuesOf("create-file", { name: "a.pdf" })).toMatchObject([
    { name: "url", issue: "or `content` is required" },
  ]);
  // Each would be a part of the form.
  const many = Array.from({ length: 15_000 }, () => "AAAA");
  expect(codeOf(await call(payer, "merge", { files: many }))).toEqual([true, "limit_exceeded", { limit: 1_000 }]);
  expect(await usedBy(payer)).toBe(0);
  const named = await call(payer, "create-file", { content: base64, name: 'C:\\files\\a"b\r\n.pdf', expiresIn: 600 });
  expect(named.structuredContent).toMatchObject({ name: "a_b.pdf", size: small.length });
});

test("concurrent tool calls get their own results, and a canceled one leaves nothing", async () => {
  const angles = ["90", "180", "270", "90", "180"];
  const results = await Promise.all(angles.map((angle) => call(service, "rotate", { file: base64, angle })));
  const turned = results.map(async ({ structuredContent }) => {
    const response = await service.send("GET", `/files/${structuredContent?.file?.id ?? ""}/content`);
    return (await PDFDocument.load(await response.arrayBuffer())).getPages()[0]?.getRotation().angle;
  });
  expect(await Promise.all(turned)).toEqual(angles.map(Number));
  const gone = new AbortController();
  const response = await post(service, messageOf("to-images", { file: base64, dpi: 600 }), env, gone.signal);
  gone.abort();
  await response.text().catch(() => {});
  expect((await call(service, "extract-text", { file: base64 })).isError).toBeUndefined();
});
