/** A worker that is replaced while it works. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import { newWorker, Pool } from "../../src/serve/pool.ts";
import { isWorkerd, processesBelow } from "../../src/serve/processes.ts";
import { Supervisor } from "../../src/serve/supervisor.ts";
import { root } from "../e2e/server.ts";

test("a worker is replaced once it has ended its requests, and the other works meanwhile", async () => {
  const data = await mkdtemp(join(tmpdir(), "pdf-service-replaced-"));
  await withLocalDatabases(data, async () => undefined);
  const [first, second] = [newWorker("replaced-1"), newWorker("replaced-2")];
  const pool = new Pool([first, second]);
  const supervisor = new Supervisor({ data, pool, say: () => {} });
  await supervisor.start({
    app: join(root, process.env["SERVED_APP"] ?? ""),
    variables: { SERVER_SECRET: "the secret of the servers that are tested", BASE_URL: "http://localhost:1" },
    allowPrivate: false,
    log: () => {},
  });
  const pidOf = async (name: string) =>
    (await processesBelow(process.pid)).filter((one) => isWorkerd(one) && one.name === name).map(({ pid }) => pid);
  const before = await Promise.all(["state", first.name, second.name].map(pidOf));
  first.atWork = 1;
  let isReplaced = false;
  const replaced = supervisor.replace(first, "it has grown").then(() => (isReplaced = true));
  expect(pool.states()).toEqual(["starting", "ready"]);
  for (let count = 0; count < 3; count++) {
    expect(pool.pick()).toBe(second);
    expect((await fetch(new URL("/api/v1/health", second.url))).status).toBe(200);
  }
  expect([isReplaced, await pidOf(first.name)]).toEqual([false, before[1]]);
  first.atWork = 0;
  await replaced;
  expect(pool.states()).toEqual(["ready", "ready"]);
  expect((await fetch(new URL("/api/v1/ready", first.url))).status).toBe(200);
  const after = await Promise.all(["state", first.name, second.name].map(pidOf));
  expect(after.map((pids) => pids.length)).toEqual([1, 1, 1]);
  expect([after[0], after[2]]).toEqual([before[0], before[2]]);
  expect(after[1]).not.toEqual(before[1]);
  await supervisor.stop();
  expect((await processesBelow(process.pid)).filter(({ name }) => name?.startsWith("replaced") === true)).toEqual([]);
  await rm(data, { recursive: true, force: true });
});
