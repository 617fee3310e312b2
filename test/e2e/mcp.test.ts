import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, type JsonSchemaType, StreamableHTTPClientTransport, type Tool } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { CreateTaskResultV2Schema, GetTaskResultV2Schema } from "@modelcontextprotocol/ext-tasks/core/v2";
import { unzipSync, zipSync } from "fflate";
import { PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";
import { readPng } from "../harness/images/images.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const url = new URL(`${baseUrl}/mcp`);
const authorization = { Authorization: `Bearer ${liveKey}` };
const example = (name: string): Promise<string> => readFile(join(root, "examples", name), "base64");

type Result = Awaited<ReturnType<Client["callTool"]>>;
interface Structured {
  readonly file?: {
    readonly id: string;
    readonly name: string;
    readonly size: number;
    readonly contentType: string;
    readonly url: string;
  };
  readonly job?: { readonly id: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly credits?: { readonly charged: number };
  readonly result?: Record<string, unknown>;
}

async function connect(mode: "legacy" | "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: authorization } }));
  return client;
}

const clients = { legacy: await connect("legacy"), auto: await connect("auto") };
const client = clients.auto;
afterAll(() => Promise.all(Object.values(clients).map((one) => one.close())));

const validator = new AjvJsonSchemaValidator();

interface Manual {
  readonly description: string;
  readonly example?: Record<string, unknown>;
  readonly inputSchema?: JsonSchemaType;
  readonly outputSchema?: JsonSchemaType;
}

const manuals = new Map<string, Promise<Manual>>();
/** What `describe-tool` says about a tool. */
function manualOf(name: string): Promise<Manual> {
  const asked = async (): Promise<Manual> => {
    const { structuredContent } = await client.callTool({ name: "describe-tool", arguments: { name } });
    return structuredContent as unknown as Manual;
  };
  const manual = manuals.get(name) ?? asked();
  manuals.set(name, manual);
  return manual;
}

async function call(
  name: string,
  parameters: Record<string, unknown>,
  by = client,
): Promise<Structured & { readonly raw: Result }> {
  const raw = await by.callTool({ name, arguments: parameters });
  if (raw.isError === true) throw new Error(JSON.stringify(raw.content));
  const { outputSchema = {} } = await manualOf(name);
  const { errorMessage } = validator.getValidator(outputSchema)(raw.structuredContent ?? {});
  expect([name, errorMessage]).toEqual([name, undefined]);
  return { ...(raw.structuredContent as Structured), raw };
}

/** The bytes behind the link of a result. */
async function linked({ raw }: { readonly raw: Result }): Promise<Uint8Array> {
  const link = raw.content.find((one) => one.type === "resource_link");
  const response = await fetch(link?.type === "resource_link" ? link.uri : "", { headers: authorization });
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

const letter = await example("letter.pdf");

describe("tools", () => {
  let tools: readonly Tool[] = [];
  beforeAll(async () => void ({ tools } = await client.listTools()));

  test("the tools are the operations, and those for files and jobs", async () => {
    const { paths } = (await (await fetch(`${baseUrl}/api/v1/openapi.json`)).json()) as {
      paths: Record<string, { post?: { tags: readonly string[] } }>;
    };
    const operations = Object.entries(paths).flatMap(([path, { post }]) =>
      post?.tags.includes("Operations") ? [path.slice("/api/v1/".length)] : [],
    );
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    expect(clients.legacy.getNegotiatedProtocolVersion()).toBe("2025-11-25");
    const names = tools.map(({ name }) => name);
    expect(names.slice(0, operations.length)).toEqual(operations);
    expect(names.slice(operations.length)).toEqual([
      "create-file",
      "read-file",
      "get-job-result",
      "list-files",
      "get-file",
      "delete-file",
      "list-jobs",
      "get-job",
      "cancel-job",
      "get-usage",
      "describe-tool",
    ]);
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
    expect(reading).toEqual([
      "extract-text",
      "verify-signatures",
      "validate",
      "read-file",
      "list-files",
      "get-file",
      "list-jobs",
      "get-job",
      "get-usage",
      "describe-tool",
    ]);
    // By the protocol, a tool that does not only read is destructive if it does not say otherwise.
    const destructive = tools.filter(({ annotations = {} }) => {
      const { readOnlyHint = false, destructiveHint = true } = annotations;
      return !readOnlyHint && destructiveHint;
    });
    expect(destructive.map(({ name }) => name)).toEqual(["delete-file", "cancel-job"]);
  });

  test("all tools cost a model at most 9,000 tokens, and none more than 700", () => {
    // A token is about four bytes of English and JSON.
    const tokens = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length / 4;
    expect(client.getInstructions()).toContain("after 60 minutes");
    expect(tokens(tools)).toBeLessThan(9_000);
    expect(tools.filter((tool) => tokens(tool) > 700).map(({ name }) => name)).toEqual([]);
  });

  test("the tools have schemas that a validator compiles, and manuals with valid examples", async () => {
    const manuals = await Promise.all(tools.map(({ name }) => manualOf(name)));
    const examples = tools.flatMap(({ name, inputSchema }, at) => {
      const manual: Partial<Manual> = manuals[at] ?? {};
      const { description = "", example, outputSchema = { type: "object" } } = manual;
      const whole = validator.getValidator(manual.inputSchema ?? (inputSchema as JsonSchemaType));
      expect([name, whole({ "not a parameter": 1 }).valid]).toEqual([name, false]);
      const inList = validator.getValidator(inputSchema as JsonSchemaType);
      const accepts = (given: unknown) => (whole(given).valid ? inList(given) : whole(given));
      expect(validator.getValidator(outputSchema as JsonSchemaType), name).toBeTypeOf("function");
      expect(description.length, name).toBeGreaterThan(40);
      return example === undefined ? [] : [[name, accepts(example).errorMessage]];
    });
    // Of every operation.
    expect(examples).toHaveLength(tools.findIndex(({ name }) => name === "create-file"));
    expect(examples.filter(([, problem]) => problem !== undefined)).toEqual([]);
    const unknown = await client.callTool({ name: "describe-tool", arguments: { name: "merg" } });
    expect([unknown.isError, JSON.stringify(unknown.content)]).toEqual([
      true,
      expect.stringContaining("Did you mean `merge`?"),
    ]);
  });

  test("the tools are those that a client requests", async () => {
    const listed = async (query: string): Promise<Response> =>
      fetch(`${url.href}${query}`, {
        method: "POST",
        headers: {
          ...authorization,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
    const names = async (query: string): Promise<string[]> => {
      const [, message = ""] = /^data: (.*)$/m.exec(await (await listed(query)).text()) ?? [];
      return (JSON.parse(message) as { result: { tools: Tool[] } }).result.tools.map(({ name }) => name);
    };
    expect(await names("?tools=merge,jobs,%20usage")).toEqual([
      "merge",
      "get-job-result",
      "list-jobs",
      "get-job",
      "cancel-job",
      "get-usage",
      "describe-tool",
    ]);
    expect(await names("?tools=")).toHaveLength(tools.length);
    const refused = await listed("?tools=merge,spilt");
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      {
        error: {
          code: "invalid_parameters",
          message: expect.stringMatching(
            /^`tools` has no tool or group `spilt`\. Did you mean `split`\? It takes: `operations`, `files`, .*`merge`/,
          ),
        },
      },
    ]);
    const other = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL("?tools=rotate", url), {
      requestInit: { headers: authorization },
    });
    await other.connect(transport);
    await expect(other.callTool({ name: "merge", arguments: {} })).rejects.toThrow("There is no tool of this name.");
    await other.close();
  });
});

describe.each(["legacy", "auto"] as const)("client (%s)", (mode) => {
  test("a client gets a PDF as a file that the next tool takes", async () => {
    const by = clients[mode];
    const file = `data:application/pdf;name=my%20letter.pdf;base64,${letter}`;
    const rotated = await call("rotate", { file, angle: 90, pages: "1" }, by);
    expect(rotated).toMatchObject({
      file: { name: "my letter-rotate.pdf", contentType: "application/pdf" },
      headers: { "X-Page-Count": "2" },
    });
    const merged = await call("merge", { files: [rotated.file?.id, letter] }, by);
    const pages = (await PDFDocument.load(await linked(merged))).getPages();
    expect(pages.map((page) => page.getRotation().angle)).toEqual([90, 0, 0, 0]);
    const read = await by.readResource({ uri: merged.file?.url ?? "" });
    expect(read.contents).toMatchObject([{ uri: merged.file?.url, mimeType: "application/pdf" }]);
  });

  test("a client gets JSON, and a problem that it can correct", async () => {
    const by = clients[mode];
    const { result, raw } = await call("extract-text", { file: letter }, by);
    expect(result?.["text"]).toContain("patterns, just as the loom weaves flowers");
    expect(raw.content).toHaveLength(1);
    const refused = await by.callTool({
      name: "rotate",
      arguments: { file: letter, angle: 91, pages: "1-9", turn: true },
    });
    expect(refused.isError).toBe(true);
    const [text] = refused.content;
    expect(text?.type === "text" && text.text).toMatch(
      /^invalid_parameters: .*\n- `angle` must be 0, 90, 180, or 270\.\n(?:- .*\n)*`angle` takes \{.*"enum":\["0","90","180","270"\].*\n(?:`.*\n)*Example: \{"file":.*\nRequest ID: req_/,
    );
  });
});

test("a client gets a ZIP archive, an image for the model, and a filled form", async () => {
  const parts = unzipSync(await linked(await call("split", { file: letter, mode: "pages" })));
  expect(Object.keys(parts)).toEqual(["document-001.pdf", "document-002.pdf"]);
  const image = await call("to-images", { file: letter, pages: "1", dpi: 36 });
  const [, , seen] = image.raw.content;
  const png = seen?.type === "image" ? Buffer.from(seen.data, "base64") : Buffer.from([]);
  expect(png.equals(await linked(image))).toBe(true);
  expect(readPng(new Uint8Array(png)).width).toBe(298);
  const filled = await call("fill-form", {
    file: await example("form.pdf"),
    values: { name: "Ada Lovelace", punched: true },
  });
  const { widgets } = await readPage(await linked(filled));
  expect(widgets).toContainEqual(expect.objectContaining({ name: "name", value: "Ada Lovelace" }));
});

test("a client gets a PDF of another kind of document and its files", async () => {
  const assets = zipSync({ "mark.png": await readFile(join(root, "examples", "signature.png")) });
  const { headers, raw } = await call("to-pdf", {
    file: Buffer.from("# Report\n\n![mark](mark.png)\n").toString("base64"),
    assets: Buffer.from(assets).toString("base64"),
  });
  expect(headers).toMatchObject({ "X-Converted-From": "markdown", "X-Page-Count": "1" });
  expect(headers).not.toHaveProperty("X-Not-Converted");
  const { pages, outline } = await openPdf(new Uint8Array(await linked({ raw })));
  expect(outline.map(({ title }) => title)).toEqual(["Report"]);
  expect(pages[0]?.text.trim()).toBe("Report");
});

test("a client's pipeline takes its files by their own names", async () => {
  const signature = await example("signature.png");
  const steps = [
    { operation: "extract-pages", range: "2" },
    { operation: "watermark", kind: "image", image: "part:mark" },
  ];
  const { headers, file, raw } = await call("pipeline", { file: letter, parts: { mark: signature }, steps });
  expect(headers).toMatchObject({ "X-Page-Count": "1" });
  expect(JSON.parse(headers?.["X-Pipeline-Steps"] ?? "")).toMatchObject([
    { operation: "extract-pages" },
    { operation: "watermark", bytes: file?.size },
  ]);
  expect((await PDFDocument.load(await linked({ raw }))).getPageCount()).toBe(1);
});

test("a client gets a text that is too long for a response as a file, which is read in pieces", async () => {
  const lines = Array.from({ length: 60 }, (_, line) => show("Ada Lovelace wrote. ".repeat(5), 40, 780 - line * 12, 8));
  const bytes = textDocument(Array.from({ length: 30 }, () => ({ content: lines })));
  const { id } = ((await call("create-file", { content: Buffer.from(bytes).toString("base64"), name: "long.pdf" })).raw
    .structuredContent ?? {}) as { id: string };
  const { file, result } = await call("extract-text", { file: id });
  expect([result, file?.contentType]).toEqual([undefined, "application/json"]);
  let text = "";
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { raw }: { readonly raw: Result } = await call("read-file", { id: file?.id, offset, length: 50_000 });
    const [part] = raw.content;
    const piece = part?.type === "text" ? part.text : "";
    const next: RegExpExecArray | null = /\n\n\[\d+ of \d+ bytes\. Continue with "offset": (\d+)\.\]$/.exec(piece);
    text += next === null ? piece : piece.slice(0, next.index);
    offset = next === null ? undefined : Number(next[1]);
  }
  expect((JSON.parse(text) as { pages: unknown[] }).pages).toHaveLength(30);
  expect(new TextEncoder().encode(text)).toHaveLength(file?.size ?? 0);
  await call("delete-file", { id });
  const gone = await client.callTool({ name: "get-file", arguments: { id } });
  expect([gone.isError, JSON.stringify(gone.content)]).toEqual([true, expect.stringContaining("not_found")]);
});

test("a client's long work is a job, whose result is that of the tool", async () => {
  const { job } = await call("rotate", { file: letter, angle: 180, background: true });
  const ended = await call("get-job", { id: job?.id, wait: 30 });
  expect(ended).toMatchObject({ status: "succeeded", operation: "rotate", credits: { charged: 1 } });
  const pages = (await PDFDocument.load(await linked(await call("get-job-result", { id: job?.id })))).getPages();
  expect(pages.map((page) => page.getRotation().angle)).toEqual([180, 180]);
});

describe("protocol", () => {
  const REVISION = "2026-07-28";
  const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: {
        ...authorization,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  /** A request of the current revision. `name`: what intermediaries route it by. */
  const modern = async (method: string, name: string, params: object): Promise<Record<string, unknown>> => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": REVISION,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": tasks,
    };
    const headers = { "MCP-Protocol-Version": REVISION, "Mcp-Method": method, "Mcp-Name": name };
    const response = await post({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, headers);
    const { result, error } = (await response.json()) as { result?: Record<string, unknown>; error?: unknown };
    if (result === undefined) throw new Error(JSON.stringify(error));
    return result;
  };

  test("a client with the Tasks extension gets a task, and no task of others", async () => {
    const created = CreateTaskResultV2Schema.parse(
      await modern("tools/call", "extract-pages", {
        name: "extract-pages",
        arguments: { file: letter, range: "2", background: true },
      }),
    );
    const { taskId } = created;
    let task = GetTaskResultV2Schema.parse(await modern("tasks/get", taskId, { taskId }));
    for (; task.status === "working"; task = GetTaskResultV2Schema.parse(await modern("tasks/get", taskId, { taskId })))
      await new Promise((done) => setTimeout(done, 200));
    if (task.status !== "completed") throw new Error(task.status);
    const raw = task.result as unknown as Result;
    expect((await PDFDocument.load(await linked({ raw }))).getPageCount()).toBe(1);
    // A task that has ended stays as it is.
    expect(await modern("tasks/cancel", taskId, { taskId })).toMatchObject({ resultType: "complete" });
    expect(await modern("tasks/get", taskId, { taskId })).toMatchObject({ status: "completed" });
    const wrong = await modern("tasks/get", "job_x", { taskId: "job_x" }).catch(String);
    expect(wrong).toContain("-32602");
    // A result that fails is a result, with the error in it.
    const failing = { file: Buffer.from("%PDF-1.7 nothing").toString("base64"), angle: 90, background: true };
    expect(await modern("tools/call", "rotate", { name: "rotate", arguments: failing })).toMatchObject({
      isError: true,
    });
  });

  test.each(["2025-06-18", "2025-03-26", "2024-11-05"])(
    "the protocol version %s is negotiated",
    async (protocolVersion) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const response = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      expect(await response.text()).toContain(`"protocolVersion":"${protocolVersion}"`);
    },
  );

  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const deep = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
  const nested = JSON.stringify({ ...ping, params: { a: 1 } }).replace("1}}", `${"[".repeat(70)}${"]".repeat(70)}}}`);
  test.each<[string, unknown, Record<string, string>, number, string]>([
    ["no key", ping, { Authorization: "" }, 401, "Missing API key"],
    ["a made-up key", ping, { Authorization: "Bearer sk_live_x" }, 401, "Invalid API key"],
    ["a page that a name server pointed here", ping, { Origin: "http://evil.example:8787" }, 403, "origin"],
    ["a sandboxed page", ping, { Origin: "null" }, 403, "origin"],
    ["a page elsewhere", ping, { Origin: "https://inspector.example" }, 200, '"result":{}'],
    ["an unknown revision", ping, { "MCP-Protocol-Version": "1999-01-01" }, 400, "Unsupported protocol version"],
    ["another type", ping, { "Content-Type": "text/plain" }, 415, "application/json"],
    ["no JSON", "{", {}, 400, "-32700"],
    ["no message", { hello: 1 }, {}, 400, "-32"],
    ["an empty body", "", {}, 400, "-32700"],
    ["JSON of a million brackets", deep, {}, 400, "-32600"],
    ["71 levels", nested, {}, 400, "levels"],
    ["3 MB", `"${"x".repeat(3_000_000)}"`, {}, 413, "file_too_large"],
    ["a batch", [ping, { ...ping, id: 2 }], { "MCP-Protocol-Version": "2025-03-26" }, 200, '"id":2'],
    ["a batch of a revision without them", [ping], { "MCP-Protocol-Version": "2025-06-18" }, 400, "2025-03-26"],
    ["a large batch", Array.from({ length: 21 }, () => ping), {}, 400, "up to 20"],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, {}, 202, ""],
    ["a method that is not there", { ...ping, method: "prompts/list" }, {}, 200, "-32601"],
    [
      "a tool by a prototype's name",
      { ...ping, method: "tools/call", params: { name: "constructor" } },
      {},
      200,
      "-32602",
    ],
    [
      "parameters by such names",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rotate","arguments":{"__proto__":{"file":"x"},"constructor":1,"toString":"2"}}}',
      {},
      200,
      "`constructor` is not a parameter",
    ],
    [
      "a path",
      { ...ping, method: "tools/call", params: { name: "rotate", arguments: { file: "/home/ada/a.pdf", angle: 90 } } },
      {},
      200,
      "A path cannot be read",
    ],
    [
      "a name that leaves the path",
      { ...ping, method: "tools/call", params: { name: "get-file", arguments: { id: "../keys" } } },
      {},
      200,
      "not_found",
    ],
    [
      "a resource elsewhere",
      { ...ping, method: "resources/read", params: { uri: "https://example.com/" } },
      {},
      200,
      '"error"',
    ],
  ])("the protocol responds to %s", async (_, body, headers, status, text) => {
    const response = await post(body, headers);
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)]);
    expect(response.headers.get("WWW-Authenticate")).toBe(status === 401 ? "Bearer" : null);
    // Nothing of it lasts.
    expect((await post(ping)).status).toBe(200);
  });

  test("the endpoint has only POST, even for pages", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await fetch(url, { method, headers: authorization });
      expect([method, response.status, response.headers.get("Allow")]).toEqual([method, 405, "POST, OPTIONS"]);
    }
    const preflight = await fetch(url, { method: "OPTIONS", headers: { Origin: "https://inspector.example" } });
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("MCP-Protocol-Version");
  });
});
