/** Every header and type that is sent, against the description. */
import { describe, expect, it } from "vitest";
import { at, document, type Json } from "./description.ts";
import { document as fixture } from "../../harness/fixtures/fixtures.ts";
import { consumeOnce, jobService, operationForm } from "../../jobs/job-service.ts";
import { endpoints } from "../../../src/http/endpoints/index.ts";

/** Those of HTTP itself, of caches, and of browsers. */
const GENERAL =
  /^(?:access-control-.*|cache-control|connection|content-encoding|content-type|date|transfer-encoding|vary|x-content-type-options)$/;

const letter = fixture({ name: "letter", pages: 3 });
const service = await jobService({
  scopes: [
    "pdf:read",
    "pdf:write",
    "files:read",
    "files:write",
    "keys:manage",
    "webhooks:read",
    "webhooks:write",
    "billing:read",
  ],
});
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** What the description says of a response. */
function describedResponse(method: string, path: string, status: number): Json {
  const operation = at(document, "paths", `/api/v1${path}`, method.toLowerCase());
  const own = at(operation, "responses", String(status));
  const given = own ?? at(document, "components", "responses", `Public${status}`);
  const reference = String(at(given, "$ref") ?? "").replace("#/", "");
  const found = reference === "" ? given : at(document, ...reference.split("/"));
  expect(found, `${method} ${path} ${status} is not described`).toBeDefined();
  return found as Json;
}

/** Sends a request, and returns what of its response is not described. */
async function undescribed(
  method: string,
  path: string,
  init: RequestInit = {},
  ids: Readonly<Record<string, string>> = {},
): Promise<{ response: Response; missing: string[] }> {
  const headers = new Headers(init.headers);
  headers.set("traceparent", traceparent);
  const actual = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "");
  const sent = await service.send(method, actual, { ...init, headers: Object.fromEntries(headers) });
  // A response that is not read keeps its memory.
  const body = await sent.arrayBuffer();
  const response = new Response(sent.status === 304 ? null : body, sent);
  expect(response.headers.get("traceparent"), path).toContain("0af7651916cd43dd8448eb211c80319c");
  const described = describedResponse(method === "HEAD" ? "GET" : method, path, response.status);
  const names = new Set(Object.keys((described["headers"] ?? {}) as Json).map((name) => name.toLowerCase()));
  const missing = [...response.headers.keys()].filter((name) => !GENERAL.test(name) && !names.has(name));
  const type = response.headers.get("Content-Type")?.split(";")[0];
  if (type !== undefined && !Object.keys((described["content"] ?? {}) as Json).includes(type)) missing.push(type);
  return { response, missing: missing.map((name) => `${method} ${path} ${response.status}: ${name}`) };
}

type Exchange = Parameters<typeof undescribed>;

const form = (fields: Readonly<Record<string, string>> = {}): FormData => operationForm(letter, fields);
const json = (value: object): RequestInit => ({
  body: JSON.stringify(value),
  headers: { "Content-Type": "application/json" },
});
const prefer = { Prefer: "respond-async" };

describe("described responses", () => {
  const once = { "Idempotency-Key": "headers-test" };
  it.each<[string, number, ...Exchange]>([
    ["health", 200, "GET", "/health"],
    ["readiness", 200, "GET", "/ready"],
    ["the description", 200, "GET", "/openapi.json"],
    ["a known description", 304, "GET", "/openapi.json", { headers: { "If-None-Match": "*" } }],
    ["another method", 405, "DELETE", "/health"],
    ["a PDF", 200, "POST", "/rotate", { body: form({ angle: "90", format: "x", pages: "1" }) }],
    ["one that is not charged twice", 200, "POST", "/rotate", { body: form({ angle: "90" }), headers: once }],
    ["one that is not charged twice, again", 200, "POST", "/rotate", { body: form({ angle: "90" }), headers: once }],
    ["parameters that are ignored", 200, "POST", "/to-images", { body: form({ format: "png", quality: "5" }) }],
    ["an archive", 200, "POST", "/split", { body: form({ mode: "pages" }) }],
    ["JSON", 200, "POST", "/extract-text", { body: form() }],
    ["text", 200, "POST", "/extract-text", { body: form({ format: "markdown" }) }],
    ["a job", 202, "POST", "/rotate", { body: form({ angle: "90" }), headers: prefer }],
    ["an invalid parameter", 400, "POST", "/rotate", { body: form({ angle: "91" }) }],
    ["no form", 415, "POST", "/rotate", json({})],
    ["no table", 422, "POST", "/extract-text", { body: form({ format: "csv" }) }],
    ["no file", 404, "GET", "/files/{id}", {}, { id: "file_0" }],
    ["no JSON", 400, "POST", "/keys", { body: "{", headers: { "Content-Type": "application/json" } }],
    ["a key", 201, "POST", "/keys", json({ name: "a" })],
    ["a webhook", 201, "POST", "/webhooks", json({ url: "https://example.com/hook", events: ["job.failed"] })],
  ])("the description has the status and headers of %s", async (_, status, ...exchange) => {
    const init = exchange[2] ?? {};
    if (init.body instanceof FormData && init.body.get("format") === "x") init.body.delete("format");
    const { response, missing } = await undescribed(...exchange);
    expect(response.status).toBe(status);
    expect(missing).toEqual([]);
  });

  it.each(endpoints.filter(({ method, path }) => method === "GET" && !path.includes("{")).map(({ path }) => path))(
    "the description has the headers of the list %s",
    async (path) => {
      const { response, missing } = await undescribed("GET", path);
      expect(response.status).toBe(200);
      expect(missing).toEqual([]);
    },
  );

  /** The requests for a file with this ID at this path. */
  async function ofFile(path: string, id: string): Promise<void> {
    const whole = await undescribed("GET", path, {}, { id });
    const etag = whole.response.headers.get("ETag") ?? "";
    const requests: [number, RequestInit, string?][] = [
      [200, {}, "HEAD"],
      [206, { headers: { Range: "bytes=0-9" } }],
      [304, { headers: { "If-None-Match": etag } }],
      [416, { headers: { Range: "bytes=999999999-" } }],
    ];
    const problem = whole.response.ok ? "" : await whole.response.text();
    expect([problem, whole.response.status, whole.missing]).toEqual(["", 200, []]);
    for (const [status, init, method = "GET"] of requests) {
      const { response, missing } = await undescribed(method, path, init, { id });
      expect([response.status, missing]).toEqual([status, []]);
    }
  }

  it("the description has the headers of a stored file", async () => {
    const { response, missing } = await undescribed("POST", "/files", { body: form() });
    expect([response.status, missing]).toEqual([201, []]);
    const { id } = await response.json<{ id: string }>();
    await ofFile("/files/{id}/content", id);
    const removed = await undescribed("DELETE", "/files/{id}", {}, { id });
    expect([removed.response.status, removed.missing]).toEqual([200, []]);
    const gone = await undescribed("GET", "/files/{id}/content", {}, { id });
    expect([gone.response.status, gone.missing]).toEqual([404, []]);
  });

  it.each([
    ["rotate", { angle: "90" }],
    ["extract-text", { format: "html" }],
    ["extract-text", {}],
    ["to-images", { format: "jpeg" }],
  ])("the description has the headers of a job of %s with %j", async (operation, fields) => {
    const { id } = await service.start(operation, letter, fields);
    const early = await undescribed("GET", "/jobs/{id}/result", {}, { id });
    expect([early.response.status, early.missing]).toEqual([409, []]);
    await consumeOnce();
    const view = await undescribed("GET", "/jobs/{id}", {}, { id });
    expect([view.response.status, view.missing]).toEqual([200, []]);
    await ofFile("/jobs/{id}/result", id);
  });
});
