import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";
import { documentBytes, type ErrorBody, type FileBody, fileService, sha256Of } from "./file-service.ts";

const server = inject("documents");
const local = { ...env, FETCH_ALLOW_LOCAL: "true" };
const service = await fileService();

interface ApiResponse {
  readonly status: number;
  readonly body: FileBody & ErrorBody;
}

async function create(body: object, from = service): Promise<ApiResponse> {
  const init = { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), bindings: local };
  const response = await from.send("POST", "/files", init);
  return { status: response.status, body: await response.json() };
}

/** What the account has, and what of it is in the bucket. */
async function kept(account: string): Promise<unknown> {
  const { results } = await env.DB.prepare("SELECT id, state FROM files WHERE account = ?").bind(account).all();
  const objects = await Promise.all(results.map(({ id }) => env.FILES.head(`${String(id).slice(-1)}/${String(id)}`)));
  return [results.filter(({ state }) => state !== "deleted"), objects.filter((object) => object !== null)];
}

test("a file is fetched from its URL and kept", async () => {
  const bytes = documentBytes(9_000_000);
  await (await fetch(`${server}/kept/Q3%20report.pdf`, { method: "PUT", body: bytes })).text();
  const { status, body } = await create({ url: `${server}/kept/Q3%20report.pdf`, expiresIn: 600 });
  expect([status, body]).toMatchObject([
    201,
    { name: "Q3 report.pdf", size: bytes.length, sha256: await sha256Of(bytes), contentType: "application/pdf" },
  ]);
  // From the time at which it was there.
  expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBeGreaterThanOrEqual(600_000);
  expect(Date.parse(body.expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);
  const content = await service.send("GET", `/files/${body.id}/content`);
  expect(await sha256Of(new Uint8Array(await content.arrayBuffer()))).toBe(body.sha256);
  // No Content-Length, a name of its own, and redirects.
  expect((await create({ url: `${server}/chunked`, name: "a/b.pdf" })).body).toMatchObject({
    name: "b.pdf",
    size: 180_009,
  });
  expect((await create({ url: `${server}/redirects/3` })).body).toMatchObject({ name: "3", size: 180_009 });
});

test.each([
  ["/status/404", 422, "fetch_failed", { input: "url", status: 404 }],
  ["/short", 422, "fetch_failed", { input: "url" }],
  ["/to?https://10.0.0.1/", 422, "fetch_failed", { input: "url" }],
  ["/empty", 400, "invalid_file", undefined],
  ["/huge", 413, "file_too_large", { limit: 26_214_400, actual: 1e9 }],
])("a failed fetch of %s stores nothing", async (path, status, code, details) => {
  const free = await fileService({ plan: "free" });
  const refused = await create({ url: server + path }, free);
  expect(refused).toMatchObject({ status, body: { error: { code, ...(details && { details }) } } });
  expect(await kept(free.account)).toEqual([[], []]);
});

test("a request gives either the URL of the file or its size", async () => {
  const issuesOf = async (body: object): Promise<unknown> => (await create(body)).body.error.details?.["fields"];
  expect(await issuesOf({})).toEqual([
    { name: "size", issue: "is required unless `url` is sent" },
    { name: "name", issue: "is required unless `url` is sent" },
  ]);
  expect(await issuesOf({ url: `${server}/report.pdf`, size: 1 })).toEqual([
    { name: "size", issue: "is not used with `url`" },
  ]);
  expect(await issuesOf({ url: "https://10.0.0.1/a.pdf", expiresIn: 1 })).toEqual([
    { name: "url", issue: "must have a host name, not an IP address" },
    { name: "expiresIn", issue: "must be at least 300" },
  ]);
  expect(await issuesOf({ url: "http://localhost:8787/" })).toEqual([
    { name: "url", issue: "must not be an address of this service" },
  ]);
});
