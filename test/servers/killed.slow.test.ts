import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import { plans } from "../../src/accounts/plans.ts";
import { ledger, periodOperations, periods } from "../../src/db/schema.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { startServer, type StartedServer } from "../e2e/server.ts";

/** The plan of the development account. */
const LIMIT = plans.enterprise.credits;
const LEFT_AT_THE_END = 50;

let persistTo: string;
let server: StartedServer;
beforeAll(async () => {
  persistTo = await mkdtemp(join(tmpdir(), "pdf-service-killed-"));
  server = await startServer(persistTo);
});
afterAll(async () => {
  await server.stop();
  await rm(persistTo, { recursive: true, force: true });
});

const small = document({ name: "small", pages: 1 });
/** Seconds of work. */
const large = document({
  name: "large",
  pages: 4_000,
  features: ["outline", "links", "destinations", "labels", "tagged"],
});

async function extractAll(bytes: Uint8Array, idempotencyKey?: string) {
  const form = new FormData();
  form.append("file", new Blob([bytes.slice()]), "document.pdf");
  form.append("range", "all");
  const headers = new Headers({ Authorization: `Bearer ${server.liveKey}` });
  if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
  const response = await fetch(`${server.baseUrl}/api/v1/extract-pages`, { method: "POST", headers, body: form });
  const body = await response.text();
  const [charged, remaining] = ["X-Credits-Charged", "X-Credits-Remaining"].map((name) => response.headers.get(name));
  return { status: response.status, charged, remaining, body };
}

/** Waits until a call has its credits set aside, as another process that reads the database's file sees it. */
async function untilReserved(): Promise<void> {
  const folder = join(persistTo, "v3/d1/miniflare-D1DatabaseObject");
  const files = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  expect(files).toHaveLength(1);
  const reader = new DatabaseSync(join(folder, files[0] ?? ""), { readOnly: true });
  try {
    const reserved = reader.prepare("SELECT COUNT(*) AS count FROM ledger WHERE state = 'reserved'");
    while (reserved.get()?.count !== 1) await setImmediate();
  } finally {
    reader.close();
  }
}

/** The calls in the ledger as state and credits, `used`, and what was charged by operation. */
const ledgerState = () =>
  withLocalDatabases(persistTo, async ([db]) => ({
    calls: (await db.select().from(ledger).orderBy(ledger.createdAt)).map(
      ({ state, credits }) => `${state} ${credits}`,
    ),
    used: (await db.select().from(periods)).map(({ used }) => used),
    charged: (await db.select().from(periodOperations)).map(({ operation, credits }) => [operation, credits]),
  }));

test("a process killed at work loses nothing, charges nothing twice, and refunds nothing twice", async () => {
  expect(await extractAll(small)).toMatchObject({ status: 200, charged: "1", remaining: String(LIMIT - 1) });
  expect(await extractAll(small, "paid")).toMatchObject({ status: 200, charged: "1", remaining: String(LIMIT - 2) });
  const lost = extractAll(large, "lost");
  await Promise.race([
    untilReserved(),
    lost.then(({ status, body }) => expect.fail(`${status} ${body.slice(0, 300)}`)),
  ]);
  await server.kill();
  await expect(lost).rejects.toThrow(/fetch failed|terminated/);
  expect(await ledgerState()).toEqual({
    calls: ["settled 1", "settled 1", "reserved 1"],
    used: [3],
    charged: [["extract-pages", 2]],
  });

  // Fifteen minutes and a millisecond go by. And so many credits are spent that 50 are left when this test has ended.
  const spent = LIMIT - LEFT_AT_THE_END - 4;
  await withLocalDatabases(persistTo, async ([db]) => {
    const [row] = await db.select().from(ledger).where(eq(ledger.state, "reserved"));
    if (row === undefined) throw new Error("the reservation is gone");
    await db.batch([
      db.update(ledger).set({ createdAt: sql`${ledger.createdAt} - ${15 * 60_000 + 1}` }),
      db.insert(ledger).values({ ...row, id: "earlier", operation: "earlier", credits: spent, state: "settled" }),
      db.insert(periodOperations).values({ period: row.period, operation: "earlier", credits: spent }),
      db.update(periods).set({ used: sql`${periods.used} + ${spent}` }),
    ]);
  });
  const { account, liveKey, testKey } = server;
  server = await startServer(persistTo);
  expect(server).toMatchObject({ account, liveKey, testKey });
  await server.sweep();
  const left = (calls: number): string => String(LIMIT - spent - calls);
  expect(await extractAll(small)).toMatchObject({ status: 200, charged: "1", remaining: left(3) });
  expect(await extractAll(small, "paid")).toMatchObject({ status: 200, charged: "0", remaining: left(3) });
  expect(await extractAll(small, "lost")).toMatchObject({ status: 200, charged: "1", remaining: left(4) });
  await server.sweep();
  expect(await extractAll(small, "lost")).toMatchObject({ status: 200, charged: "0", remaining: left(4) });
});

test("200 concurrent requests with 50 credits left spend exactly these", async () => {
  const counts: Record<string, number> = {};
  for (let left = 200; left > 0;) {
    const responses = await Promise.all(Array.from({ length: left }, () => extractAll(small)));
    left = 0;
    for (const { status, charged, body } of responses) {
      // Turned away because too many were at work: asked again.
      if (status === 503) left += 1;
      else {
        const code =
          status === 200 ? `charged ${charged}` : (JSON.parse(body) as { error: { code: string } }).error.code;
        counts[`${status} ${code}`] = (counts[`${status} ${code}`] ?? 0) + 1;
      }
    }
  }
  expect(counts).toEqual({ "200 charged 1": 50, "429 quota_exceeded": 150 });
  await server.stop();
  const { calls, used } = await ledgerState();
  expect(used).toEqual([LIMIT]);
  const tally = Object.groupBy(calls, (call) => call);
  expect(Object.fromEntries(Object.entries(tally).map(([call, all]) => [call, all?.length]))).toEqual({
    "settled 1": LEFT_AT_THE_END + 4,
    "settled 0": 2,
    "released 1": 1,
    [`settled ${LIMIT - LEFT_AT_THE_END - 4}`]: 1,
  });
});
