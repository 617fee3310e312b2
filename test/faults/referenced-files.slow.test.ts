import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { failing, interrupted } from "./failing-bucket.ts";
import { fileService } from "../files/file-service.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { largeDocument } from "../harness/bombs/large-document.ts";
import { concatenate } from "../harness/fixtures/pdf-writer.ts";
import worker from "../../src/worker.ts";

const MiB = 1024 * 1024;
const scopes = ["files:read", "files:write", "pdf:read", "pdf:write"] as const;
const service = await fileService({ scopes });

/** One that is held in memory, and one that is read in ranges. */
const held = document({ name: "held", pages: 3, features: ["image-per-page"], imageBytes: 64 * 1024 });
const large = concatenate([...largeDocument({ pages: 34, pictureBytes: MiB })]);
const kinds = [
  ["held", held, "Page 3 of held"],
  ["large", large, "Page 3 of 34"],
] as const;

async function run(operation: string, fields: Readonly<Record<string, string>>, init: object = {}): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const encoded = new Response(form);
  const body = await encoded.arrayBuffer();
  const headers = {
    "Content-Type": encoded.headers.get("Content-Type") ?? "",
    "Content-Length": String(body.byteLength),
  };
  return service.send("POST", `/${operation}`, { body, headers, ...init });
}

const text = (file: string, bindings: object = env, init: object = {}) =>
  run("extract-text", { file, pages: "3" }, { bindings, ...init });

/** The credits of the account that are used or reserved. */
const used = async (): Promise<number> =>
  (await env.DB.prepare("SELECT sum(used) AS used FROM periods WHERE id LIKE ?")
    .bind(`${service.account}%`)
    .first<number>("used")) ?? 0;

const stored = async (bytes: Uint8Array): Promise<string> => (await service.upload(bytes)).id;
const remove = (id: string) => service.json("DELETE", `/files/${id}`);
/** Files that no test removes. */
const kept = { held: stored(held), large: stored(large) };

const errorOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  (await response.json<{ error: { code: string } }>()).error.code,
];

afterEach(async () => {
  // No fault holds memory or an engine: the next request gets them.
  const { status } = await text(await kept.held);
  if (status !== 200) throw new Error(`the next request got ${status}`);
});

describe.each(kinds)("bucket failures during an operation on a file of %s", (kind, _, words) => {
  test.each(["throws", "breaks off", "short"] as const)(
    "a referenced file is read again if the bucket fails once: %s",
    async (fault) => {
      const before = await used();
      const { bindings, trips } = failing("get", "once", fault);
      const response = await text(await kept[kind], bindings);
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(words)]);
      expect(trips()).toBeGreaterThan(1);
      expect(await used()).toBe(before + 1);
    },
  );

  test.each(["throws", "breaks off", "short"] as const)(
    "a referenced file is an error without charge if the bucket always fails: %s",
    async (fault) => {
      const before = await used();
      const response = await text(await kept[kind], failing("get", "always", fault).bindings);
      expect(await errorOf(response)).toEqual([500, "internal_error"]);
      expect(await used()).toBe(before);
    },
  );
});

test("a response breaks off and is refunded if the bucket fails while the original is sent before its changes", async () => {
  const before = await used();
  const { bindings } = failing("get", "always", "throws", 20);
  const response = await run("rotate", { file: await kept.large, angle: "90", pages: "3" }, { bindings });
  expect(response.status).toBe(200);
  await expect(response.arrayBuffer()).rejects.toThrow("the response broke off");
  await vi.waitFor(async () => expect(await used()).toBe(before), 60_000);
});

describe.each(kinds)("a removed file of %s", (kind, bytes, words) => {
  /** What is already read when it happens. */
  const number = kind === "held" ? 1 : 3;

  test("a file that is deleted while two operations read it gives each the right bytes, or an error without charge", async () => {
    const id = await stored(bytes);
    const before = await used();
    const bindings = interrupted(number, () => remove(id));
    const responses = await Promise.all([text(id, bindings), text(id, bindings)]);
    let paid = 0;
    for (const response of responses) {
      const body = await response.text();
      if (response.status === 200) paid += 1;
      expect([200, 404, 410]).toContain(response.status);
      expect(body).toMatch(response.status === 200 ? words : /"(not_found|expired)"/);
    }
    expect(paid).toBeLessThan(2);
    expect(await used()).toBe(before + paid);
    expect(await errorOf(await text(id))).toEqual([404, "not_found"]);
  });

  test("a file that expires during a read is read to its end, unless the sweep has removed it", async () => {
    const id = await stored(bytes);
    const expire = () => env.DB.prepare("UPDATE files SET expires_at = 1 WHERE id = ?").bind(id).run();
    const response = await text(id, interrupted(number, expire));
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(words)]);
    expect(await errorOf(await text(id))).toEqual([410, "expired"]);
    const other = await stored(bytes);
    const before = await used();
    const swept = interrupted(number, async () => {
      await env.DB.prepare("UPDATE files SET expires_at = 1 WHERE id = ?").bind(other).run();
      await worker.scheduled(
        { cron: "* * * * *", scheduledTime: Date.now(), noRetry() {} },
        env,
        createExecutionContext(),
      );
    });
    expect(await errorOf(await text(other, swept))).toEqual([410, "expired"]);
    expect(await used()).toBe(before);
  });

  test("a file is not read further for a client that leaves", async () => {
    const gone = new AbortController();
    const bindings = interrupted(number, async () => gone.abort());
    expect((await text(await kept[kind], bindings, { signal: gone.signal })).status).toBe(499);
  });
});
