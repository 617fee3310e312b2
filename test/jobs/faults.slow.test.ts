import { env } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { consumeOnce, creditsOf, jobService, leftOf, operationForm, sweepLater } from "./job-service.ts";
import { failing as failingBucket, type Trip } from "../faults/failing-bucket.ts";
import { type Fault, failing as failingDatabase } from "../faults/failing-database.ts";
import { type Sabotage, sabotage } from "../faults/engine-sabotage.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { pdf } from "../harness/fixtures/pdf-writer.ts";
import type { JobMessage } from "../../src/jobs/message.ts";
import module from "../../wasm/generated/mupdf.wasm";

const letter = document({ name: "letter", pages: 2 });
const MINUTE = 60_000;

type Service = Awaited<ReturnType<typeof jobService>>;

/** As if the time of those who work on parts were up, and parts that failed due again: what a minute does. */
const forgetLeases = () => env.DB.prepare("update job_parts set due_at = 0 where state in ('running', 'queued')").run();

/** What happens by itself after a fault: the sweep finds what is lost, and consumers go on. */
async function recover(service: Service, id: string): Promise<string> {
  for (let round = 0; round < 8; round++) {
    const { status } = await service.job(id);
    if (status !== "queued" && status !== "running") break;
    await forgetLeases();
    await sweepLater(0);
    await consumeOnce();
  }
  await sweepLater(0);
  return (await service.job(id)).status;
}

const ordinary = await (await jobService()).send("POST", "/extract-text", { body: operationForm(letter) });
const text = await ordinary.text();

/** The job has the result of an ordinary request, and was paid once. */
async function expectPaid(service: Service, id: string): Promise<void> {
  expect(await (await service.result(id)).text()).toBe(text);
  expect(await creditsOf(service)).toEqual({ used: 1, ledger: { settled: 1 } });
}

/** Of jobs that have ended, nothing is left but their results. */
async function expectNothingElse(services: readonly Service[]): Promise<void> {
  // Uploads of consumers that died are found a quarter of an hour later.
  await sweepLater(16 * MINUTE);
  await sweepLater(16 * MINUTE);
  for (const [index, service] of services.entries()) {
    expect([index, await leftOf(service)]).toMatchObject([index, { files: 1, parts: 0 }]);
  }
}

async function expectWhole(service: Service, id: string): Promise<void> {
  await expectPaid(service, id);
  await expectNothingElse([service]);
}

describe("lost consumers", () => {
  const faults: readonly (readonly [Fault, "once" | "for good"])[] = [
    ["unreachable", "for good"],
    ["response lost", "once"],
  ];
  it.each(faults)(
    "a job ends as it should if its consumer is lost at any round trip to the database (%s, %s)",
    async (fault, times) => {
      const services: Service[] = [];
      for (let trip = 0; ; trip += 1) {
        const service = await jobService();
        services.push(service);
        const { id } = await service.start("extract-text", letter);
        const { database, trips } = failingDatabase(fault, trip, times);
        await consumeOnce({ ...env, DB: database });
        expect([trip, await recover(service, id)]).toEqual([trip, "succeeded"]);
        await expectPaid(service, id);
        if (trips() <= trip) break;
      }
      await expectNothingElse(services);
    },
  );

  it.each(["get", "put", "delete"] satisfies Trip[])(
    "a job ends as it should if its consumer is lost at any request to the bucket (%s)",
    async (trip) => {
      for (let sound = 0; ; sound++) {
        const service = await jobService();
        const { id } = await service.start("extract-text", letter);
        // The bucket is asked twice.
        const { bindings, trips } = failingBucket(trip, "always", "throws", sound);
        await consumeOnce(bindings);
        expect([sound, await recover(service, id)]).toEqual([sound, "succeeded"]);
        await expectWhole(service, id);
        if (trips() <= 0) break;
      }
    },
  );

  it.each([
    ["rotate", { angle: "90" }, undefined],
    ["extract-text", { pages: "2" }, 2],
  ])(
    "a job that loses its consumer three times at the same page (%s) fails, names the page, and costs nothing",
    async (name, fields, page) => {
      const service = await jobService();
      const { id } = await service.start(name, letter, fields);
      for (let attempt = 0; attempt < 3; attempt++) {
        await env.DB.prepare(
          "update job_parts set state = 'running', token = 'lost', attempts = attempts + 1 where job = ? and state = 'queued'",
        )
          .bind(id)
          .run();
        await forgetLeases();
        await sweepLater(0);
      }
      const { status, error } = await service.job(id);
      expect([status, error?.code, error?.details?.["page"]]).toEqual(["failed", "internal_error", page]);
      expect(await creditsOf(service)).toEqual({ used: 0, ledger: { released: 1 } });
      expect(await leftOf(service)).toMatchObject({ files: 0, parts: 0 });
    },
  );
});

/** The job went on to its end and was paid once. */
async function whatItBecame(service: Service, id: string): Promise<string> {
  const status = await recover(service, id);
  await expectWhole(service, id);
  return status === "succeeded" ? "whole" : status;
}

/** What a request that failed has left, once the database works again. */
async function whatIsLeft(service: Service, sent: readonly JobMessage[]): Promise<unknown> {
  for (const body of sent) await consumeOnce(env, body);
  for (let round = 0; round < 3; round++) {
    await consumeOnce();
    await sweepLater(21 * MINUTE);
  }
  const [{ used }, { files, parts }] = [await creditsOf(service), await leftOf(service)];
  return used + files + parts === 0 ? "nothing" : { used, files, parts };
}

describe("database failures during creation", () => {
  const faults: readonly (readonly [Fault, "once" | "for good"])[] = [
    ["response lost", "once"],
    ["response lost, then unreachable", "for good"],
  ];
  it.each(faults)(
    "a job exists and is paid, or leaves nothing, if the database fails at any round trip (%s, %s)",
    async (fault, times) => {
      for (let trip = 0; ; trip += 1) {
        const service = await jobService();
        const { database, trips } = failingDatabase(fault, trip, times);
        const sent: JobMessage[] = [];
        const queue = { send: async (body: JobMessage) => void sent.push(body), sendBatch: async () => {} };
        const response = await service.send("POST", "/extract-text", {
          headers: { Prefer: "respond-async" },
          body: operationForm(letter),
          bindings: { ...env, DB: database, JOBS: queue },
        });
        const { id, error } = await response.json<{ id?: string; error?: { code: string } }>();
        expect([trip, response.status === 202 || error?.code]).toEqual([
          trip,
          response.status === 202 || "internal_error",
        ]);
        const outcome = id === undefined ? await whatIsLeft(service, sent) : await whatItBecame(service, id);
        expect([trip, outcome]).toEqual([trip, id === undefined ? "nothing" : "whole"]);
        if (trips() <= trip) break;
      }
    },
  );
});

describe("job messages", () => {
  it("a message that is delivered twice at the same time does nothing twice", async () => {
    const service = await jobService();
    const { id } = await service.start("extract-text", letter);
    await Promise.all([consumeOnce(), consumeOnce(), consumeOnce()]);
    await consumeOnce();
    expect(await recover(service, id)).toBe("succeeded");
    await expectWhole(service, id);
  });

  it("the sweep sends a lost message again", async () => {
    const service = await jobService();
    await service.start("extract-text", letter);
    const sent: unknown[] = [];
    const queue = {
      send: async () => {},
      sendBatch: async (messages: readonly unknown[]) => void sent.push(...messages),
    };
    await sweepLater(MINUTE / 2, { ...env, JOBS: queue });
    expect(sent).toHaveLength(0);
    await sweepLater(2 * MINUTE, { ...env, JOBS: queue });
    expect(sent).toMatchObject([{ body: { kind: "parts", shard: 0 } }]);
    await consumeOnce();
  });
});

describe("engine failures", () => {
  let engine: Sabotage;
  beforeAll(() => {
    engine = sabotage(module);
  });
  afterAll(() => engine.end());

  it("an engine that traps in a part is replaced, and the part is retried", async () => {
    for (const call of [50, 400, 1_500]) {
      const service = await jobService();
      const { id } = await service.start("extract-text", letter);
      engine.begin({ fault: "trap", call });
      await consumeOnce();
      engine.begin();
      expect(await recover(service, id)).toBe("succeeded");
      await expectWhole(service, id);
    }
  });

  it("an engine that runs out of memory in a part is replaced, and the part is retried", async () => {
    for (const call of [50, 400]) {
      const service = await jobService();
      const { id } = await service.start("extract-text", letter);
      engine.begin({ fault: "no memory", call });
      await consumeOnce();
      engine.begin();
      expect([call, await recover(service, id)]).toEqual([call, "succeeded"]);
      await expectWhole(service, id);
    }
  });

  it("an engine that fails in the part of one account delays nobody else's parts", async () => {
    const services = [await jobService(), await jobService()];
    const jobs = await Promise.all(
      services.map(async (service) => ({ service, id: (await service.start("rotate", letter, { angle: "90" })).id })),
    );
    const statuses = () => Promise.all(jobs.map(async ({ service, id }) => (await service.job(id)).status));
    engine.begin({ fault: "trap", call: 50 });
    expect(await consumeOnce()).toBe("retried");
    engine.begin();
    expect((await statuses()).toSorted()).toEqual(["running", "succeeded"]);
    for (const { service, id } of jobs) expect(await recover(service, id)).toBe("succeeded");
  });
});

describe("unprocessable pages", () => {
  const page = (size: number): string => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size} ${size}] >>`;
  // The second page has more pixels than an image may have.
  const uneven = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] >>",
      page(72),
      page(9_999),
      page(72),
    ],
    "/Root 1 0 R",
  );

  it("a page that cannot be processed fails the job, which names it and costs nothing", async () => {
    const service = await jobService();
    const { id } = await service.start("to-images", uneven, { dpi: "150" });
    await consumeOnce();
    const { status, error } = await service.job(id);
    expect([status, error?.code, error?.details?.["page"]]).toEqual(["failed", "limit_exceeded", 2]);
    expect((await service.result(id)).status).toBe(413);
    expect(await creditsOf(service)).toEqual({ used: 0, ledger: { released: 2 } });
    expect(await leftOf(service)).toMatchObject({ files: 0, parts: 0 });
  });

  it("a page that cannot be processed is left out where the job continues, which lists it", async () => {
    const service = await jobService();
    const { id } = await service.start("to-images", uneven, { dpi: "150", onPageError: "continue" });
    await consumeOnce();
    const job = await service.job(id);
    expect(job).toMatchObject({
      status: "partial",
      progress: { total: 3, done: 2, failed: 1 },
      credits: { charged: 2 },
    });
    expect(job.pageErrors).toMatchObject([{ page: 2, code: "limit_exceeded" }]);
    const archive = unzipSync(new Uint8Array(await (await service.result(id)).arrayBuffer()));
    expect(Object.keys(archive)).toEqual(["document-1.png", "document-3.png"]);
  });

  it("a job without any page that can be processed fails", async () => {
    const service = await jobService();
    const { id } = await service.start("to-images", uneven, { dpi: "150", pages: "2", onPageError: "continue" });
    await consumeOnce();
    expect(await service.job(id)).toMatchObject({ status: "failed", error: { code: "limit_exceeded" } });
    expect(await creditsOf(service)).toEqual({ used: 0, ledger: { released: 2 } });
  });
});

describe("cancellation and deletion", () => {
  it("a job that is canceled before it begins costs nothing, and leaves nothing", async () => {
    const service = await jobService();
    const { id } = await service.start("extract-text", letter);
    const canceled = await service.send("POST", `/jobs/${id}/cancel`);
    expect([canceled.status, await canceled.json()]).toMatchObject([
      202,
      { status: "canceled", credits: { charged: 0 } },
    ]);
    expect((await service.send("POST", `/jobs/${id}/cancel`)).status).toBe(202);
    expect(await consumeOnce()).toBe("acknowledged");
    expect((await service.result(id)).status).toBe(409);
    expect(await creditsOf(service)).toEqual({ used: 0, ledger: { released: 1 } });
    expect(await leftOf(service)).toMatchObject({ files: 0, parts: 0 });
  });

  it("the output of a part is removed if the job is canceled or deleted during the part", async () => {
    for (const end of ["cancel", "delete"]) {
      const service = await jobService();
      const { id } = await service.start("extract-text", letter);
      const path = end === "cancel" ? `/jobs/${id}/cancel` : `/jobs/${id}`;
      let done = false;
      const bucket = new Proxy(env.FILES, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          return async (...values: unknown[]): Promise<unknown> => {
            if (name === "put" && !done) {
              done = true;
              await service.send(end === "cancel" ? "POST" : "DELETE", path);
            }
            return Reflect.apply(member, target, values) as unknown;
          };
        },
      });
      await consumeOnce({ ...env, FILES: bucket });
      expect(done).toBe(true);
      await sweepLater(0);
      expect(await creditsOf(service)).toEqual({ used: 0, ledger: { released: 1 } });
      expect(await leftOf(service)).toMatchObject({ files: 0, parts: 0 });
    }
  });

  it.each(["cancel", "delete"])("a %s while a part is read reports no fault for the missing files", async (end) => {
    const service = await jobService();
    const { id } = await service.start("extract-text", letter);
    let done = false;
    const bucket = new Proxy(env.FILES, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return async (...values: unknown[]): Promise<unknown> => {
          if (name === "get" && !done) {
            done = true;
            if (end === "cancel") await service.send("POST", `/jobs/${id}/cancel`);
            else await service.send("DELETE", `/jobs/${id}`);
          }
          return Reflect.apply(member, target, values) as unknown;
        };
      },
    });
    const lines: string[] = [];
    using _log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    expect(await consumeOnce({ ...env, FILES: bucket })).toBe("acknowledged");
    expect(done).toBe(true);
    const ofPart = lines.filter((line) => line.includes('"job part"')).map((line) => JSON.parse(line) as object);
    expect(ofPart).toMatchObject([{ level: "info", outcome: "lost" }]);
    expect(lines.filter((line) => line.includes('"error"'))).toEqual([]);
  });

  it("a job that is canceled after some pages costs the finished blocks", async () => {
    const service = await jobService();
    const { id } = await service.start("extract-text", document({ name: "long", pages: 1_001 }));
    expect((await service.job(id)).credits.reserved).toBe(3);
    await env.DB.prepare("update jobs set pages_done = 501 where id = ?").bind(id).run();
    await service.send("POST", `/jobs/${id}/cancel`);
    expect(await service.job(id)).toMatchObject({ status: "canceled", credits: { charged: 2 } });
    expect(await creditsOf(service)).toEqual({ used: 2, ledger: { settled: 2 } });
  });
});
