/**
 * `npm run measure -- workers [--workers 1,2] [--seconds N] [--clients N] [--port N] [--only text]`: starts `npm run serve` with each number of workers.
 * Clients (4) send the example of an operation for so long (10 s), each with a key of its own. Prints requests per second, and the CPU time of all
 * processes per request, which depends less on other programs of the machine. Then prints how long a small `rotate` takes, alone and beside clients that
 * recognize text, and the memory of each process. Linux only (/proc).
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Call, prepareCall, send } from "./call.ts";
import { loadMix } from "./load-mix.ts";
import { cpuSeconds, startMeasuredServer } from "./server-process.ts";
import { createAccount } from "../src/accounts/operator.ts";
import { createKey } from "../src/keys/operator.ts";
import { isWorkerd, processesBelow } from "../src/serve/processes.ts";

const OPERATIONS = ["rotate", "extract-text", "to-images", "compress", "ocr"];
/** The examples are sent so often before they are measured: engines load, and V8 compiles. */
const WARM_UP = 3;
const MIB = 1024 * 1024;

const { values } = parseArgs({
  options: {
    workers: { type: "string", default: "1,2" },
    seconds: { type: "string", default: "10" },
    clients: { type: "string", default: "4" },
    port: { type: "string", default: "8890" },
    only: { type: "string", default: "" },
  },
});
const [seconds, clients] = [Number(values.seconds), Number(values.clients)];

interface Client {
  readonly baseUrl: string;
  readonly key: string;
}

/** Sends calls one after the other until a time, and returns how long each took, in ms. Throws for any response but 200 and those that ask to wait. */
async function sendUntil(client: Client, call: Call, until: number): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < until) {
    const start = performance.now();
    const { status, retryAfter } = await send(client, call);
    if (status === 200) times.push(performance.now() - start);
    else if (status === 429 || status === 503) await new Promise((done) => setTimeout(done, retryAfter * 1_000));
    else throw new Error(`${call.operation}: ${status}`);
  }
  return times;
}

const p95 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN;

async function privateBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}

const mix = await loadMix();
const callOf = async (operation: string): Promise<Call> => {
  const parts = mix.get(operation)?.[0];
  if (parts === undefined) throw new Error(`${operation} has no example`);
  return prepareCall(operation, parts);
};
const wanted = OPERATIONS.filter((name) => name.includes(values.only));

for (const workers of values.workers.split(",").map(Number)) {
  const keys: string[] = [];
  const server = await startMeasuredServer(Number(values.port), "serve", {
    workers,
    prepare: async ([db]) => {
      if (db === undefined) throw new Error("there is no database");
      for (let count = 0; count < clients + 1; count++) {
        const account = await createAccount(db, { name: "measured", plan: "enterprise" }, new Date());
        keys.push((await createKey(db, account, { name: "measured", livemode: true }, new Date())).token);
      }
    },
  });
  try {
    const all = keys.map((key) => ({ baseUrl: server.baseUrl, key }));
    const [own, ...others] = all as [Client, ...Client[]];
    console.log(`\n${workers} ${workers === 1 ? "worker" : "workers"}, ${clients} clients, ${seconds} s each`);
    console.log("operation       requests/s   CPU ms   p95 ms");
    for (const operation of wanted) {
      const call = await callOf(operation);
      await Promise.all(
        others.map(async (client) => {
          for (let count = 0; count < WARM_UP; count++) await send(client, call);
        }),
      );
      const [start, cpu] = [performance.now(), await cpuSeconds(server.serverPid)];
      const times = (
        await Promise.all(others.map((client) => sendUntil(client, call, start + seconds * 1_000)))
      ).flat();
      const rate = times.length / ((performance.now() - start) / 1_000);
      const each = (((await cpuSeconds(server.serverPid)) - cpu) * 1_000) / times.length;
      console.log(
        operation.padEnd(16) +
          [rate.toFixed(1), each.toFixed(1), p95(times).toFixed(0)].map((cell) => cell.padStart(9)).join(" "),
      );
    }
    if (wanted.includes("ocr")) {
      const [small, recognition] = [await callOf("rotate"), await callOf("ocr")];
      const quiet = await sendUntil(own, small, performance.now() + seconds * 1_000);
      const until = performance.now() + seconds * 1_000;
      const [busy] = await Promise.all([
        sendUntil(own, small, until),
        ...others.map((client) => sendUntil(client, recognition, until)),
      ]);
      console.log(
        `rotate, p95: ${p95(quiet).toFixed(0)} ms alone, ${p95(busy).toFixed(0)} ms beside ${clients} clients of ocr`,
      );
    }
    for (const { pid, name } of (await processesBelow(server.serverPid)).filter(isWorkerd))
      console.log(`${name ?? "workerd"}: ${((await privateBytes(pid)) / MIB).toFixed(0)} MiB private`);
    console.log(`server: ${((await privateBytes(server.serverPid)) / MIB).toFixed(0)} MiB private`);
  } finally {
    await server.stop();
  }
}
