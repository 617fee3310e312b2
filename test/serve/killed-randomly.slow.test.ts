/** `KILLS=200 WORKERS=4 npx vitest run --mode slow --project served test/serve/killed-randomly` kills more often, and one of more processes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isWorkerd, processesBelow } from "../../src/serve/processes.ts";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import { files, jobParts, ledger, periods, webhookDeliveries } from "../../src/db/schema.ts";
import type { StartedServer } from "../e2e/server.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { Random } from "../harness/fuzz/random.ts";
import { type Receiver, startReceiver } from "../servers/webhook-receiver.ts";
import { callsOf, startWebhookServer } from "../servers/webhook-server.ts";

const KILLS = Number(process.env["KILLS"] ?? 15);
const WORKERS = Number(process.env["WORKERS"] ?? 2);
/** One in so many kills is of the server. All others are of a worker or, if there are several, of the process that owns the storage. */
const SERVERS = 5;
/** In ms: as long as the leases of parts and deliveries, and a sweep. */
const REPAIRED_WITHIN = 300_000;
/** In ms: on a busy machine, for a kill until all is ready again. */
const ROUND_WITHIN = 20_000;

const start = (): Promise<StartedServer> => startWebhookServer(data, 1, ["--var", `WORKERS:${WORKERS}`]);

let data: string;
let server: StartedServer;
let receiver: Receiver;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "pdf-service-killed-"));
  [server, receiver] = await Promise.all([start(), startReceiver()]);
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
  await rm(data, { recursive: true, force: true });
});

const { subscribe, makeKey } = callsOf(
  () => server,
  () => server.liveKey,
);
const letter = document({ name: "letter", pages: 2 });

/** What clients were told, which must be so whatever is killed. */
const told = { charged: 0, failed: 0, files: [] as string[], jobs: [] as string[], keys: [] as string[] };

const send = (path: string, init: RequestInit = {}, key = server.liveKey): Promise<Response> =>
  fetch(`${server.baseUrl}/api/v1${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, ...(init.headers as Record<string, string> | undefined) },
  });

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  form.append("file", new Blob([letter.slice()]), "letter.pdf");
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

async function operate(): Promise<void> {
  const response = await send("/rotate", { method: "POST", body: formOf({ angle: "90" }) });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error("refused");
  told.charged += 1;
}

async function upload(): Promise<void> {
  const response = await send("/files", { method: "POST", body: formOf({}) });
  const { id } = (await response.json()) as { id?: string };
  if (response.status === 201 && id !== undefined) told.files.push(id);
}

async function startJob(): Promise<void> {
  const body = formOf({ angle: "90" });
  const response = await send("/rotate", { method: "POST", headers: { Prefer: "respond-async" }, body });
  const { id } = (await response.json()) as { id?: string };
  if (response.status === 202 && id !== undefined) told.jobs.push(id);
}

async function createKey(): Promise<void> {
  const { key } = (await makeKey()) as { key?: string };
  if (key !== undefined) told.keys.push(key);
}

/** Sends SIGKILL to the server, which is started again, or to one of its processes. */
async function kill(isServer: boolean, random: Random): Promise<void> {
  if (isServer) {
    await server.kill();
    server = await start();
    return;
  }
  const processes = (await processesBelow(server.pid)).filter(isWorkerd);
  const victim = processes[random.below(processes.length)];
  if (victim !== undefined) process.kill(victim.pid, "SIGKILL");
}

test(
  `keys, credits, files, jobs, and deliveries are consistent with the clients' responses after ${KILLS} kills`,
  {
    timeout: KILLS * ROUND_WITHIN + 2 * REPAIRED_WITHIN,
  },
  async () => {
    const random = new Random(48);
    await subscribe(`${receiver.url}/killed`, ["operation.completed", "job.succeeded"]);
    for (let round = 0; round < KILLS; round++) {
      const calls = [operate, operate, operate, operate, upload, startJob, createKey].map((call) => call());
      const all = Promise.allSettled(calls);
      await sleep(random.below(200));
      await kill(round % SERVERS === SERVERS - 1, random);
      for (const { status } of await all) if (status === "rejected") told.failed += 1;
      await expect.poll(async () => (await send("/ready")).status, { timeout: 60_000 }).toBe(200);
    }
    expect(told.failed).toBeGreaterThan(0);
    await operate();

    const pending = async (): Promise<Record<string, number>> => {
      await server.sweep();
      return withLocalDatabases(data, async ([db]) => {
        const deliveries = await db.select({ state: webhookDeliveries.state }).from(webhookDeliveries);
        return {
          parts: await db.$count(jobParts),
          deliveries: deliveries.filter(({ state }) => state === "pending").length,
        };
      });
    };
    await expect.poll(pending, { timeout: REPAIRED_WITHIN, interval: 2_000 }).toEqual({ parts: 0, deliveries: 0 });

    for (const key of told.keys) expect((await send("/usage", {}, key)).status).toBe(200);
    for (const id of told.files) {
      const content = new Uint8Array(await (await send(`/files/${id}/content`)).arrayBuffer());
      expect(Buffer.from(content).equals(letter), id).toBe(true);
    }
    for (const id of told.jobs) {
      expect(await (await send(`/jobs/${id}`)).json()).toMatchObject({
        id,
        status: "succeeded",
        credits: { charged: 1 },
      });
      expect((await send(`/jobs/${id}/result`)).status).toBe(200);
    }
    const facts = await withLocalDatabases(data, async ([db]) => {
      const rows = await db.select().from(ledger);
      const [period] = await db.select().from(periods);
      const deliveries = await db.select().from(webhookDeliveries);
      return {
        settled: rows.filter(({ state }) => state === "settled").length,
        reserved: rows.filter(({ state }) => state === "reserved").length,
        used: period?.used ?? 0,
        states: new Set(deliveries.map(({ state }) => state)),
        events: deliveries.map(({ event }) => event),
        ready: await db.$count(files),
      };
    });
    // What was cut off is charged, or reserved until the sweep releases it after 15 minutes.
    expect(facts.used).toBe(facts.settled + facts.reserved);
    expect(facts.settled).toBeGreaterThanOrEqual(told.charged + told.jobs.length);
    expect(facts.states).toEqual(new Set(["succeeded"]));
    const delivered = new Set(receiver.at("/killed").map(({ id }) => id));
    expect(facts.events.filter((event) => !delivered.has(event))).toEqual([]);
    // Every charge has its event.
    expect(new Set(facts.events).size).toBeGreaterThanOrEqual(facts.settled);
  },
);
