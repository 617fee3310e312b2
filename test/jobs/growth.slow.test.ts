import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { consumeOnce, jobService, operationForm } from "./job-service.ts";
import { type Counts, countedDatabase } from "../accounts/counted-database.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openDatabase } from "../../src/db/client.ts";
import { claimPart, renewClaim } from "../../src/jobs/claim.ts";
import { finishPart } from "../../src/jobs/finish.ts";

const letter = document({ name: "letter", pages: 2 });
const ofParts = (job: string, count: number) =>
  env.DB.prepare(
    `with recursive n(page) as (select 10 union all select page + 1 from n where page < ?)
     insert into job_parts select ?, page, 1, 'queued', 0, null, 0, null, null from n`,
  )
    .bind(count + 9, job)
    .run();

it("the database cost of a part does not depend on the number of parts", async () => {
  const costs: (readonly [number, number, number])[] = [];
  for (const parts of [20, 2_500]) {
    await env.DB.batch([env.DB.prepare("delete from job_parts"), env.DB.prepare("delete from jobs")]);
    const services = [await jobService(), await jobService()];
    for (const service of services) {
      for (let job = 0; job < 3; job++) await ofParts((await service.start("extract-text", letter)).id, parts);
    }
    const { database, counts } = countedDatabase();
    const db = openDatabase(database);
    // Several are at work.
    for (let other = 0; other < 5; other++) await claimPart(db, new Date());
    Object.assign(counts, { trips: 0, rowsRead: 0, rowsWritten: 0 });
    const claim = await claimPart(db, new Date());
    if (claim === undefined) throw new Error("there was nothing to do");
    expect(await renewClaim(db, claim, new Date())).toBe(true);
    expect(await finishPart(db, claim, "file_x", new Date())).toEqual({ isMine: true, isLast: false });
    costs.push([counts.trips, counts.rowsRead, counts.rowsWritten]);
  }
  const [few, many] = costs;
  console.info(`claim, renew and finish a part: ${JSON.stringify(costs)} round trips, rows read, rows written`);
  expect(many?.[0]).toBe(3);
  expect(many?.[1]).toBeLessThanOrEqual((few?.[1] ?? 0) + 20);
  expect(many?.[1]).toBeLessThan(200);
  expect(many?.[2]).toBeLessThan(20);
});

it("a part costs at most eight round trips, from its claim to its end", async () => {
  await env.DB.batch([env.DB.prepare("delete from job_parts"), env.DB.prepare("delete from jobs")]);
  const costs: Omit<Counts, "statements">[] = [];
  for (const pages of [100, 400]) {
    const service = await jobService();
    await service.start("extract-text", document({ name: "long", pages }));
    const { database, counts } = countedDatabase();
    await consumeOnce({ ...env, DB: database });
    costs.push(counts);
  }
  const [one, four] = costs;
  const ofPart = (name: "trips" | "rowsRead" | "rowsWritten"): number => ((four?.[name] ?? 0) - (one?.[name] ?? 0)) / 3;
  console.info(
    `a part: ${ofPart("trips")} round trips, ${ofPart("rowsRead")} rows read, ${ofPart("rowsWritten")} written`,
  );
  expect(ofPart("trips")).toBeLessThanOrEqual(8);
});

it("the account that was served longest ago comes first, and so does the oldest of its jobs", async () => {
  await env.DB.batch([env.DB.prepare("delete from job_parts"), env.DB.prepare("delete from jobs")]);
  const [long, short] = [await jobService(), await jobService()];
  const large = await long.start("extract-text", letter);
  await ofParts(large.id, 500);
  const db = openDatabase(env.DB);
  // Each part is done before the next is claimed, as by one consumer.
  const next = async (): Promise<string | undefined> => {
    await scheduler.wait(2);
    const claim = await claimPart(db, new Date());
    if (claim !== undefined) await finishPart(db, claim, "file_x", new Date());
    return claim?.job.id;
  };
  for (let part = 0; part < 5; part++) expect(await next()).toBe(large.id);
  const responses = await Promise.all([
    short.start("extract-text", letter),
    long.send("POST", "/rotate", {
      headers: { Prefer: "respond-async" },
      body: operationForm(letter, { angle: "90" }),
    }),
  ]);
  const [other] = responses;
  const order = [await next(), await next(), await next(), await next()];
  // The other account's job has a part of pages and a last part; the account's own second job has one part.
  expect(order[0]).toBe(other.id);
  expect(order.filter((id) => id === other.id)).toHaveLength(2);
  expect(new Set(order).size).toBe(3);
});

it("an account has no more parts at work than its plan allows, and other accounts continue", async () => {
  await env.DB.batch([env.DB.prepare("delete from job_parts"), env.DB.prepare("delete from jobs")]);
  const [free, other] = [await jobService({ plan: "free" }), await jobService()];
  const { id } = await free.start("extract-text", letter);
  await ofParts(id, 20);
  const db = openDatabase(env.DB);
  const claimed = [await claimPart(db, new Date()), await claimPart(db, new Date()), await claimPart(db, new Date())];
  expect(claimed.map((claim) => claim?.job.id)).toEqual([id, id, undefined]);
  const second = await other.start("extract-text", letter);
  expect((await claimPart(db, new Date()))?.job.id).toBe(second.id);
});
