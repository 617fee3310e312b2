/** The parts of jobs that a process of one machine had when it died. */
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { consumeOnce, jobService } from "./job-service.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openDatabase } from "../../src/db/client.ts";
import { jobParts } from "../../src/db/schema.ts";
import { claimPart, jobOf } from "../../src/jobs/claim.ts";

const letter = document({ name: "letter", pages: 3 });

/** A job of which the consumer `worker-1` has a part. */
async function claimedJob() {
  const service = await jobService();
  const { id } = await service.start("rotate", letter, { angle: "90" });
  const db = openDatabase(env.DB);
  const claim = await claimPart(db, new Date(), jobOf(id), "worker-1");
  expect(claim?.job.id).toBe(id);
  const states = async () => {
    const rows = await db.select().from(jobParts).where(eq(jobParts.job, id));
    return rows.map(({ state, attempts }) => [state, attempts]);
  };
  return { service, id, states };
}

describe("lost consumers", () => {
  it("a part of a lost consumer is worked on again at once, and the attempt counts", async () => {
    const { service, id, states } = await claimedJob();
    await consumeOnce(env, { kind: "lost consumers", shard: 0, consumer: "worker-1" });
    expect(await states()).toEqual([["queued", 1]]);
    await consumeOnce();
    expect((await service.job(id)).status).toBe("succeeded");
  });

  it("the parts of other consumers stay theirs, also of those whose names begin alike", async () => {
    const { states } = await claimedJob();
    for (const consumer of ["worker-2", "worker", "worker-1/"])
      await consumeOnce(env, { kind: "lost consumers", shard: 0, consumer });
    expect(await states()).toEqual([["running", 1]]);
  });

  it("all parts at work are taken back if all consumers are lost", async () => {
    const { states } = await claimedJob();
    await consumeOnce(env, { kind: "lost consumers", shard: 0 });
    expect(await states()).toEqual([["queued", 1]]);
  });
});
