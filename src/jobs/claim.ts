import { and, eq, exists, gt, sql, type SQL } from "drizzle-orm";
import { isLive, type JobRow, live, type PartRow } from "./job.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { accounts, jobParts, jobs } from "../db/schema.ts";
import { limits } from "../limits.ts";

/** A part that this consumer alone works on while it renews its lease. */
export interface Claim {
  readonly job: JobRow;
  readonly part: PartRow;
  readonly token: string;
}

const leaseEnd = (now: Date): Date => new Date(now.getTime() + limits.jobs.leaseMilliseconds);

/** The jobs, named `j`, of which a part is claimed: all, short ones, or one of them. */
export const anyJob: SQL = sql`true`;
/** The parts that a consumer has, by its name; all parts if it is undefined. */
export const claimedBy = (consumer: string | undefined): SQL | undefined =>
  consumer === undefined ? undefined : sql`${jobParts.token} like ${`${consumer}/%`}`;

/** A short job has one part, or one and its result. */
export const shortJobs: SQL = sql`not exists (select 1 from ${jobParts} as s where s.job = j.id and s.page > 0 and s.pages > 0)`;
export const jobOf = (id: string): SQL => sql`j.id = ${id}`;

/**
 * Claims the part that is next: of the account with the fewest parts at work, then the one that was served longest ago, and the
 * same among the jobs of that account. So a long job delays a short one by one part, and an account with many jobs delays
 * nobody else's. Undefined if there is nothing to do, or if the accounts with work have all the parts at work that they may
 * have. `consumer`: the name of this process, by which its parts are found if it dies.
 */
export async function claimPart(
  db: Database,
  now: Date,
  of = anyJob,
  consumer = "isolate",
): Promise<Claim | undefined> {
  const token = `${consumer}/${crypto.randomUUID()}`;
  const claimed = eq(jobParts.token, token);
  // Few jobs are live at once; the number of their parts does not matter.
  const busy = sql`(select count(*) from ${jobs} as k join ${jobParts} as r on r.job = k.id and r.state = 'running'
    where k.account = j.account and k.state in ('queued', 'running'))`;
  const next = sql`(select j.id from ${jobs} as j join ${accounts} as a on a.id = j.account where j.state in ('queued', 'running')
    and ${of} and exists (select 1 from ${jobParts} as p where p.job = j.id and p.state = 'queued' and p.due_at <= ${now.getTime()})
    and ${busy} < j.lanes
    order by ${busy}, a.served_at, (select count(*) from ${jobParts} as r where r.job = j.id and r.state = 'running'), j.served_at, j.id
    limit 1)`;
  const first = sql`(select p.rowid from ${jobParts} as p where p.job = ${next} and p.state = 'queued'
    and p.due_at <= ${now.getTime()} order by p.page limit 1)`;
  const isTheirs = exists(
    db
      .select({ one: sql`1` })
      .from(jobParts)
      .where(and(eq(jobParts.job, jobs.id), eq(jobParts.state, "running"), claimed)),
  );
  const servedAccount = db.select({ account: jobs.account }).from(jobs).where(and(live, isTheirs));
  const { part, job } = await batch(db, {
    part: db
      .update(jobParts)
      .set({ state: "running", attempts: sql`${jobParts.attempts} + 1`, token, dueAt: leaseEnd(now) })
      .where(sql`${jobParts}.rowid = ${first}`)
      .returning(),
    job: db
      .update(jobs)
      .set({ state: "running", startedAt: sql`coalesce(${jobs.startedAt}, ${now.getTime()})`, servedAt: now })
      .where(and(live, isTheirs))
      .returning(),
    account: db.update(accounts).set({ servedAt: now }).where(eq(accounts.id, servedAccount)),
  });
  const [row, own] = [part[0], job[0]];
  if (row === undefined || own === undefined) return undefined;
  return { job: own, part: row, token };
}

/** Renews the lease. Returns whether the part is still this consumer's, and its job still live. */
export async function renewClaim(db: Database, { job, part, token }: Claim, now: Date): Promise<boolean> {
  const { renewed, found } = await batch(db, {
    renewed: db
      .update(jobParts)
      .set({ dueAt: leaseEnd(now) })
      .where(and(isPart(part), eq(jobParts.token, token)))
      .returning({ page: jobParts.page }),
    found: db.select({ state: jobs.state }).from(jobs).where(eq(jobs.id, job.id)),
  });
  return renewed.length > 0 && found.some(isLive);
}

/** Returns a part that could not be begun: it is due again after a while, and the attempt does not count. */
export async function returnClaim(db: Database, { part, token }: Claim, dueAt: Date): Promise<void> {
  await db
    .update(jobParts)
    .set({ state: "queued", token: null, attempts: sql`${jobParts.attempts} - 1`, dueAt })
    .where(and(isPart(part), eq(jobParts.token, token), gt(jobParts.attempts, 0)));
}

export const isPart = ({ job, page }: Pick<PartRow, "job" | "page">) =>
  and(eq(jobParts.job, job), eq(jobParts.page, page));
