import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { consumeOnce, jobService, sweepLater } from "./job-service.ts";
import { document } from "../harness/fixtures/fixtures.ts";

const letter = document({ name: "letter", pages: 1 });
const url = "https://bucket.example.com/letter.pdf?X-Amz-Signature=secret";

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** Replaces the network, which tests do not have: the receiver responds with these statuses, one after the other. */
function receiver(...statuses: readonly (number | "unreachable")[]): readonly Sent[] {
  const sent: Sent[] = [];
  const left = [...statuses];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const status = left.shift() ?? 200;
    const bytes = new Uint8Array(await request.arrayBuffer());
    sent.push({ url: request.url, method: request.method, headers: request.headers, bytes });
    if (status === "unreachable") throw new TypeError("no route");
    return new Response("", { status });
  });
  return sent;
}

afterEach(() => void vi.restoreAllMocks());

const deliver = (job: string) => consumeOnce(env, { kind: "result", shard: 0, job });

describe("deliverTo", () => {
  it("the result is sent with PUT, once, and stays available", async () => {
    const sent = receiver(200);
    const service = await jobService();
    const { id, delivery } = await service.start("rotate", letter, { angle: "90", deliverTo: url });
    expect(delivery).toEqual({ status: "pending", attempts: 0, httpStatus: null, error: null });
    // Not before there is a result.
    await deliver(id);
    expect(sent).toEqual([]);
    await consumeOnce();
    await deliver(id);
    await deliver(id);
    const result = await service.result(id);
    const bytes = await result.bytes();
    expect(sent.map(({ method, url: target }) => [method, target])).toEqual([["PUT", url]]);
    expect(sent[0]?.bytes).toEqual(bytes);
    const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("base64");
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
      "content-type": "application/pdf",
      "content-digest": `sha-256=:${digest}:`,
    });
    expect(await service.job(id)).toMatchObject({
      status: "succeeded",
      delivery: { status: "succeeded", attempts: 1, httpStatus: 200, error: null },
    });
  });

  it("an attempt is repeated twice, and the job then has the last failure", async () => {
    const sent = receiver(503, "unreachable", 403);
    const service = await jobService();
    const { id } = await service.start("rotate", letter, { angle: "90", deliverTo: url });
    await consumeOnce();
    await deliver(id);
    expect((await service.job(id)).delivery).toMatchObject({ status: "pending", attempts: 1, httpStatus: 503 });
    for (const attempts of [2, 3]) {
      // Not before it is due.
      await deliver(id);
      await env.DB.prepare("update job_deliveries set due_at = 0 where job = ?").bind(id).run();
      await deliver(id);
      expect((await service.job(id)).delivery).toMatchObject({ attempts });
      expect(sent).toHaveLength(attempts);
    }
    expect(await service.job(id)).toMatchObject({
      status: "succeeded",
      delivery: { status: "failed", attempts: 3, httpStatus: 403, error: null },
    });
    expect((await service.result(id)).status).toBe(200);
    const { results } = await env.DB.prepare("select * from job_deliveries where job = ?").bind(id).all();
    expect(results).toEqual([]);
  });

  it("a lost message or a lost attempt is found by the sweep", async () => {
    const sent = receiver(200);
    const service = await jobService();
    const { id } = await service.start("rotate", letter, { angle: "90", deliverTo: url });
    await consumeOnce();
    const wake = vi.fn<(...messages: unknown[]) => Promise<void>>();
    await sweepLater(3_600_000, { ...env, JOBS: { sendBatch: wake, send: wake } });
    expect(wake.mock.calls.flat(2)).toContainEqual({ body: { kind: "result", shard: 0, job: id } });
    expect(sent).toEqual([]);
  });

  it("the URL is stored encrypted, and nothing is sent of a job that failed or was deleted", async () => {
    const sent = receiver();
    const service = await jobService();
    const { id } = await service.start("rotate", letter, { angle: "90", pages: "9", deliverTo: url });
    const stored = await env.DB.prepare("select url from job_deliveries where job = ?")
      .bind(id)
      .first<{ url: string }>();
    expect(stored?.url).not.toContain("bucket");
    await consumeOnce();
    expect(await service.job(id)).toMatchObject({ status: "failed", delivery: null });
    const other = await service.start("rotate", letter, { angle: "90", deliverTo: url });
    await consumeOnce();
    await service.send("DELETE", `/jobs/${other.id}`);
    for (const job of [id, other.id]) await deliver(job);
    const rows = env.DB.prepare("select * from job_deliveries where job in (?, ?)").bind(id, other.id);
    expect([sent, (await rows.all()).results]).toEqual([[], []]);
  });

  it.each([
    ["http://example.com/a", "must be an HTTPS URL"],
    ["https://10.0.0.1/a", "must have a host name, not an IP address"],
    ["https://metadata.google.internal/a", "must have a public host name"],
    ["nothing", "must be an HTTPS URL such as https://example.com/path"],
  ])("the URL %s is refused before anything is charged", async (deliverTo, issue) => {
    const service = await jobService();
    const starting = service.start("rotate", letter, { angle: "90", deliverTo });
    await expect(starting).rejects.toThrow(issue);
  });
});
