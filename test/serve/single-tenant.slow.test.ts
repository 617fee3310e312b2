/** `npm run serve -- --single-tenant`: one account, one key, no limits. */
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { program, start, type Started } from "./started.ts";
import { newToken } from "../../src/accounts/token.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { pdfPart, post } from "../harness/requests/client.ts";

const letter = document({ name: "letter", pages: 2 });

let data: string;
let server: Started;
let key: string;
const made = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => /"key":"(sk_live_\w{49})"/.exec(line)?.[1] ?? []);
const ask = async (path: string, token: string, init: RequestInit = {}, baseUrl = server.baseUrl) =>
  fetch(`${baseUrl}/api/v1${path}`, { ...init, headers: { Authorization: `Bearer ${token}`, ...init.headers } });

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "pdf-service-single-"));
  server = await start(data, ["--single-tenant"]);
  [key = ""] = made(server.lines);
});
afterAll(async () => {
  await server.stop();
  await rm(data, { recursive: true, force: true });
});

describe("npm run serve -- --single-tenant", () => {
  test("the first start makes a key, prints it, and keeps it in a file that only its user can read", async () => {
    expect(made(server.lines)).toHaveLength(1);
    expect((await readFile(join(data, "api-key"), "utf8")).trim()).toBe(key);
    expect((await stat(join(data, "api-key"))).mode & 0o777).toBe(0o600);
  });

  test("operations work with that key, and their responses have no limits", async () => {
    const response = await post({ baseUrl: server.baseUrl ?? "", key }, "rotate", {
      file: pdfPart(letter),
      angle: "90",
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("X-Credits-Charged")).toBe("1");
    for (const name of ["X-Credits-Remaining", "RateLimit", "RateLimit-Policy"])
      expect(response.headers.get(name), name).toBeNull();
  });

  test("the usage has no limit and no plan with one", async () => {
    const response = await ask("/usage", key);
    expect(await response.json()).toMatchObject({ plan: "unlimited", limit: null, remaining: null });
  });

  test("the rate limiter in front of the database lets more requests of a key through than a machine can handle", async () => {
    const settings = await readFile(join(dirname(program), "../settings.json"), "utf8");
    const { rateLimits } = JSON.parse(settings) as { rateLimits: Record<string, { limit: number }> };
    expect(rateLimits["KEY_SHIELD"]?.limit).toBeGreaterThan(1_000_000);
    expect(rateLimits["ADDRESS_SHIELD"]?.limit).toBe(300);
  });

  test("files, jobs, webhooks, and tools work as in any account", async () => {
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(letter)]), "letter.pdf");
    const stored = await ask("/files", key, { method: "POST", body: form });
    expect(stored.status).toBe(201);
    const { id } = (await stored.json()) as { id: string };
    const rotation = new FormData();
    rotation.append("file", id);
    rotation.append("angle", "90");
    const job = await ask("/rotate", key, { method: "POST", body: rotation, headers: { Prefer: "respond-async" } });
    expect(job.status).toBe(202);
    const { id: jobId } = (await job.json()) as { id: string };
    await expect
      .poll(async () => ((await (await ask(`/jobs/${jobId}`, key)).json()) as { status: string }).status)
      .toBe("succeeded");
    const webhook = await ask("/webhooks", key, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ url: "https://example.com/hook", events: ["job.succeeded"] }),
    });
    expect(webhook.status).toBe(201);
    const tools = await fetch(`${server.baseUrl}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(tools.status).toBe(200);
    expect(await tools.text()).toContain('"rotate"');
  });

  test("the pages know that there is no account to create", async () => {
    expect(await (await fetch(`${server.baseUrl}/`)).text()).toContain('<html lang="en" data-auth="single">');
  });

  test("later starts print no key, take API_KEY in its place, and limit requests if told to", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pdf-service-single-"));
    const first = await start(folder, [], { AUTH: "single" });
    const [own = ""] = made(first.lines);
    await first.stop();
    const chosen = newToken(true, 0);
    const second = await start(folder, [], { AUTH: "single", API_KEY: chosen, REQUESTS_PER_MINUTE: "7" });
    expect(made(second.lines)).toEqual([]);
    expect((await ask("/usage", own, {}, second.baseUrl)).status).toBe(401);
    const response = await ask("/usage", chosen, {}, second.baseUrl);
    expect([response.status, response.headers.get("RateLimit-Policy")]).toEqual([200, '"default";q=7;w=60']);
    await second.stop();
    const third = await start(folder, ["--single-tenant"]);
    expect(made(third.lines)).toEqual([]);
    expect((await ask("/usage", own, {}, third.baseUrl)).status).toBe(200);
    expect((await ask("/usage", chosen, {}, third.baseUrl)).status).toBe(401);
    await third.stop();
    await rm(folder, { recursive: true, force: true });
  });
});
