import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Operation } from "../../src/operations/definition/define.ts";
import { operations } from "../../src/operations/index.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

/** The registry, and how often it was read to describe it. */
function countedOperations() {
  let read = 0;
  const counted = operations.map(
    (operation) =>
      new Proxy<Operation>(operation, {
        get: (target, name) => {
          if (name === "description") read += 1;
          return Reflect.get(target, name) as unknown;
        },
      }),
  );
  return { counted, reads: () => read };
}

test.each([
  ["/api/v1/openapi.json", "application/json"],
  ["/docs", "text/html; charset=UTF-8"],
])("%s is made once for a configuration, and a client that has it gets a 304", async (path, type) => {
  const { counted, reads } = countedOperations();
  const app = createApp(counted);
  const get = async (headers: Readonly<Record<string, string>> = {}, bindings: object = env, method = "GET") =>
    app.fetch(new Request(`http://localhost${path}`, { method, headers }), bindings, createExecutionContext());

  const before = reads();
  const first = await get();
  const made = reads();
  expect(made).toBeGreaterThan(before);
  const text = await first.text();
  const etag = first.headers.get("ETag") ?? "";
  expect([first.status, first.headers.get("Content-Type"), first.headers.get("Cache-Control")]).toEqual([
    200,
    type,
    "no-cache",
  ]);
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);

  const again = await Promise.all(Array.from({ length: 20 }, () => get()));
  for (const response of again) expect(await response.text()).toBe(text);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const response = await get({ "If-None-Match": known });
    expect([response.status, response.headers.get("ETag"), await response.text()]).toEqual([304, etag, ""]);
  }
  expect((await get({ "If-None-Match": '"other"' })).status).toBe(200);
  const head = await get({}, env, "HEAD");
  expect([head.status, head.headers.get("ETag"), await head.text()]).toEqual([200, etag, ""]);
  expect(reads()).toBe(made);

  const elsewhere = await get({ "If-None-Match": etag }, { ...env, BASE_URL: "http://localhost:1234" });
  expect(elsewhere.status).toBe(200);
  expect(await elsewhere.text()).toContain("http://localhost:1234");
});
