import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, inject, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";

const logged = vi.spyOn(console, "log").mockImplementation(() => {});
const app = createApp([]);

async function ask(bindings: object): Promise<[number, unknown]> {
  const response = await app.fetch(new Request("http://localhost/api/v1/ready"), bindings, createExecutionContext());
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  return [response.status, await response.json()];
}

/** A binding whose methods fail. */
const broken = (binding: object, ...methods: readonly string[]): object =>
  new Proxy(binding, {
    get: (target, name) =>
      methods.includes(String(name))
        ? () => {
            throw new Error("the secret address of the database");
          }
        : Reflect.get(target, name),
  });

describe("GET /api/v1/ready", () => {
  test("reports that all parts work", async () => {
    expect(await ask({ ...env })).toEqual([200, { status: "ready", database: "ok", files: "ok", queues: "ok" }]);
  });

  test.each([
    ["database", { DB: broken(env.DB, "prepare", "batch") }],
    ["files", { FILES: broken(env.FILES, "head") }],
    ["queues", { WEBHOOKS: broken(env.WEBHOOKS, "metrics") }],
  ])("reports that %s fails, without the reason", async (part, bindings) => {
    const all = { status: "unready", database: "ok", files: "ok", queues: "ok" };
    expect(await ask({ ...env, ...bindings })).toEqual([503, { ...all, [part]: "failed" }]);
    const [line] = logged.mock.calls.flat().filter((one) => String(one).includes('"not ready"'));
    expect(line).toContain(`"part":"${part}"`);
    expect(line).not.toContain("secret");
    logged.mockClear();
  });

  test.each([
    ["pdf", "ok"],
    ["503", "failed"],
    ["hang", "failed"],
  ])("an office converter (%s) is reported as %s, and does not decide", async (how, office) => {
    const OFFICE_URL = `${inject("documents")}/office/${how}`;
    const all = { status: "ready", database: "ok", files: "ok", queues: "ok" };
    expect(await ask({ ...env, OFFICE_URL })).toEqual([200, { ...all, office }]);
  });

  test("asks the database at most once a second", async () => {
    const prepare = vi.fn<typeof env.DB.prepare>((text) => env.DB.prepare(text));
    const counted = { ...env, DB: { prepare, batch: env.DB.batch.bind(env.DB) } };
    await Promise.all(Array.from({ length: 20 }, () => ask(counted)));
    expect(prepare).toHaveBeenCalledTimes(1);
  });
});
