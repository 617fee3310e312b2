/** What `npm run serve` is beside the service that it runs. */
import { spawn, spawnSync } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRunning, processesBelow } from "../../src/serve/processes.ts";
import { EVERY, FAILURES, PATIENCE } from "../../src/serve/kept-process.ts";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import { periods } from "../../src/db/schema.ts";
import { root, startServer, type StartedServer } from "../e2e/server.ts";
import { pdfPart, post } from "../harness/requests/client.ts";
import { document, largeDocument } from "../harness/fixtures/fixtures.ts";
import { MiB } from "../../src/limits.ts";
import { RawClient, type RawResponse } from "../servers/raw-client.ts";

const program = join(root, process.env["SERVED_APP"] ?? "", "bin/serve.js");
const letter = document({ name: "letter", pages: 2 });

let data: string;
let server: StartedServer;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "pdf-service-serve-"));
  server = await startServer(data);
});
afterAll(async () => {
  await server.stop();
  await rm(data, { recursive: true, force: true });
});

const merge = async () =>
  post({ baseUrl: server.baseUrl, key: server.liveKey }, "merge", { file0: pdfPart(letter), file1: pdfPart(letter) });

/** Runs it to its end. */
function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    encoding: "utf8",
  });
  return { status, stderr };
}

describe("settings", () => {
  const secret = { SERVER_SECRET: "x".repeat(32) };

  test.each([
    ["a short secret", ["--data", "/tmp/none"], { SERVER_SECRET: "short" }, "SERVER_SECRET must have 32 characters"],
    ["the secret for development", ["--data", "/tmp/none"], { SERVER_SECRET: `local-${"x".repeat(40)}` }, "everybody"],
    ["no folder", [], secret, "--data is required"],
    ["no port", ["--data", "/tmp/none", "--port", "70000"], secret, "--port must be"],
    ["proxies", ["--data", "/tmp/none"], { ...secret, TRUSTED_PROXIES: "all" }, "TRUSTED_PROXIES must be"],
    ["an unknown option", ["--data", "/tmp/none", "--dta", "x"], secret, "--dta"],
  ])("the server refuses to start with %s", (_, args, env, message) => {
    const { status, stderr } = run(args, env);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  test("the server refuses to start with a folder that another server uses", () => {
    const { status, stderr } = run(["--data", data, "--port", "0"], secret);
    expect(status).toBe(1);
    expect(stderr).toContain(`Another server (process ${server.pid}) uses the data`);
  });
});

test("the server has no paths and no account for development", async () => {
  for (const path of ["/cdn-cgi/handler/scheduled", "/cdn-cgi/mf/scheduled", "/cdn-cgi/local/explorer", "/__scheduled"])
    expect((await fetch(server.baseUrl + path)).status, path).toBe(404);
  const fresh = await mkdtemp(join(tmpdir(), "pdf-service-serve-"));
  const started = spawn(process.execPath, [program, "--data", fresh, "--port", "0"], {
    env: { PATH: process.env["PATH"] ?? "", SERVER_SECRET: "x".repeat(32) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(started.stdout, "data");
  started.kill("SIGTERM");
  const [code] = (await once(started, "exit")) as [number];
  expect(code).toBe(0);
  expect(await withLocalDatabases(fresh, async ([db]) => db.$count(periods))).toBe(0);
  await expect(readFile(join(fresh, ".dev-account.json"))).rejects.toThrow("ENOENT");
  await rm(fresh, { recursive: true, force: true });
});

test("a checkout is bundled at its first start, and again only after it has changed, and ends with npm", async () => {
  const fresh = await mkdtemp(join(tmpdir(), "pdf-service-serve-"));
  /** The messages of a start until it is ready, or of its failure, and then those of its end. */
  const messages = async (): Promise<string[]> => {
    const started = spawn("npm", ["--silent", "run", "serve", "--", "--data", fresh, "--port", "0"], {
      cwd: root,
      env: { PATH: process.env["PATH"] ?? "", SERVER_SECRET: "x".repeat(32) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const seen: string[] = [];
    for await (const line of createInterface({ input: started.stdout })) {
      seen.push((JSON.parse(line) as { message: string }).message);
      if (seen.at(-1) === "ready") started.kill("SIGTERM");
    }
    return seen;
  };
  const ended = ["ready", "stopping", "stopped"];
  expect(await messages()).toEqual(["building", ...ended]);
  expect(await messages()).toEqual(ended);
  // As after an update: the bundle is that of other sources.
  await writeFile(join(fresh, ".app/sources"), "others");
  expect(await messages()).toEqual(["building", ...ended]);
  await rm(fresh, { recursive: true, force: true });
});

test("the server reaches no private address, whatever its name", async () => {
  const asked: IncomingMessage[] = [];
  const inside = createServer((request, response) => {
    asked.push(request);
    response.end("secret");
  }).listen(0, "127.0.0.1");
  await once(inside, "listening");
  const { port } = inside.address() as AddressInfo;
  // A public name that leads to this machine is not known here; the service itself refuses addresses. So the outbound network is asked directly.
  for (const url of [`http://127.0.0.1:${port}/a.pdf`, `http://localhost:${port}/a.pdf`]) {
    const response = await post({ baseUrl: server.baseUrl, key: server.liveKey }, "rotate", { file: url, angle: "90" });
    expect(response.status).toBe(400);
  }
  expect(asked).toEqual([]);
  inside.close();
});

test("the server passes on the client's address, whatever the client claims", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-serve-"));
  const own = await startServer(folder);
  // Each address may send 300 unknown keys a minute: one that names others is still one.
  const statuses = new Set<number>();
  for (let count = 0; count < 620 && !statuses.has(429); count++) {
    const headers = { Authorization: `Bearer ${server.liveKey}`, "CF-Connecting-IP": `192.0.2.${count % 200}` };
    statuses.add((await fetch(`${own.baseUrl}/api/v1/usage`, { headers })).status);
  }
  expect(statuses).toEqual(new Set([401, 429]));
  await own.stop();
  await rm(folder, { recursive: true, force: true });
});

test("a client that leaves ends the work that it requested", async () => {
  const socket = connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `POST /api/v1/merge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.liveKey}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n--b\r\n`,
  );
  await expect.poll(async () => (await fetch(`${server.baseUrl}/api/v1/health`)).status).toBe(200);
  socket.destroy();
  await expect.poll(() => server.printed()).toMatch(/"route":"\/api\/v1\/merge".*"outcome":"aborted"/);
  expect((await merge()).status).toBe(200);
});

test("headers of a connection end with it, whatever they are", async () => {
  for (const header of ["Trailer: foo", "Connection: x-own\r\nX-Own: 1", "Keep-Alive: nonsense", "Upgrade: h2c"]) {
    const socket = connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
    socket.write(`GET /api/v1/health HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
    const [bytes] = (await once(socket, "data")) as [Buffer];
    expect(bytes.toString(), header).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  }
});

const workerdOf = async (own: StartedServer): Promise<number> => {
  const [workerd] = (await processesBelow(own.pid)).filter(({ command }) => /workerd serve/.test(command));
  return workerd?.pid ?? 0;
};

test("engines that a large document has grown are dropped once no request came for two minutes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-serve-"));
  const own = await startServer(folder);
  /** What the isolate kept after each run. */
  const kept = (): number[] => [...own.printed().matchAll(/"keptBytes":(\d+)/g)].map(([, bytes]) => Number(bytes));
  const service = { baseUrl: own.baseUrl, key: own.liveKey };
  const rotated = await post(service, "rotate", { file: pdfPart(largeDocument(20)), angle: "90" });
  expect(rotated.status).toBe(200);
  // Each tells what was kept before it lets idle engines go.
  await own.sweep();
  await own.sweep();
  await own.sweep();
  expect(kept()[0]).toBeGreaterThan(20 * MiB);
  expect(kept().at(-1)).toBe(0);
  expect((await post(service, "rotate", { file: pdfPart(letter), angle: "90" })).status).toBe(200);
  await own.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("a hanging workerd", () => {
  test("a workerd that hangs is noticed in time for the service to be back within 15 seconds", () => {
    // A start takes about two.
    expect(EVERY + FAILURES * PATIENCE).toBeLessThanOrEqual(10_000);
  });

  test("a workerd that hangs is killed and restarted during scheduled work and a flood of log lines, and keeps no signal from the server", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pdf-service-serve-"));
    await writeFile(join(folder, ".workerd.json"), "");
    const own = await startServer(folder);
    const hangs = (): number => own.printed().split('"restarting","reason":"workerd does not respond"').length - 1;
    const flood = async (): Promise<void> => {
      for (let count = 0; count < 300; count++)
        await fetch(`${own.baseUrl}/api/v1/usage`, { headers: { "X-Count": String(count) } }).catch(() => undefined);
    };
    for (const round of [1, 2]) {
      const floods = Array.from({ length: 8 }, flood);
      const before = own.printed().length;
      await expect.poll(() => own.printed().length).toBeGreaterThan(before);
      process.kill(own.pid, "SIGUSR2");
      process.kill(await workerdOf(own), "SIGSTOP");
      await expect.poll(hangs).toBe(round);
      await expect.poll(async () => (await fetch(`${own.baseUrl}/api/v1/ready`)).status).toBe(200);
      await Promise.all(floods);
    }
    await own.sweep();
    const stopped = await workerdOf(own);
    process.kill(stopped, "SIGSTOP");
    process.kill(own.pid, "SIGUSR2");
    await own.stop();
    expect(isRunning(stopped)).toBe(false);
    await rm(folder, { recursive: true, force: true });
  });
});

describe("concurrent clients", () => {
  const port = (): number => Number(new URL(server.baseUrl).port);
  const logged = (): string[] => server.printed().match(/"requestId":"req_\w+","method":"\w+","route":"[^"]+"/g) ?? [];
  const idOf = (response: RawResponse | undefined): string =>
    /\r\nX-Request-Id: (\w+)/i.exec(response?.head ?? "")?.[1] ?? "none";

  test("requests of several clients arrive as one each, whatever the first has in its body", async () => {
    const inner = "GET /api/v1/ready HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const half = "PUT /api/v1/files/file_1/parts/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 300\r\n\r\n";
    const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    const framings = [inner, half].flatMap((body) => [
      `Transfer-Encoding: chunked\r\n\r\n${chunked(body)}`,
      `Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(body)}`,
      `Content-Length: ${body.length}\r\n\r\n${body}`,
      `Connection: content-length\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(body)}`,
    ]);
    const other = new RawClient(port());
    const before = logged().length;
    const expected: string[] = [];
    for (const [method, path, route] of [
      ["GET", "/api/v1/openapi.json", "/api/v1/openapi.json"],
      ["HEAD", "/api/v1/openapi.json", "/api/v1/openapi.json"],
      ["DELETE", "/api/v1/jobs/job_1", "/api/v1/jobs/{id}"],
      ["OPTIONS", "/api/v1/usage", "preflight"],
      ["POST", "/api/v1/keys", "/api/v1/keys"],
    ] as const)
      for (const framing of framings) {
        const one = new RawClient(port());
        await one.send(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${framing}`);
        const response = await one.response({ isHead: true });
        if (response?.status !== 400)
          expected.push(`"requestId":"${idOf(response)}","method":"${method}","route":"${route}"`);
        await other.send(`GET /api/v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.liveKey}\r\n\r\n`);
        const keys = await other.response();
        expect(keys?.status).toBe(200);
        expect(keys?.body).toContain('"id":"key_');
        expected.push(`"requestId":"${idOf(keys)}","method":"GET","route":"/api/v1/keys"`);
        await one.close();
      }
    await other.close();
    await expect.poll(() => logged().slice(before).toSorted()).toEqual(expected.toSorted());
  });

  test("errors reach clients that are still uploading", async () => {
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(51 * 1024 * 1024)]), "large.pdf");
    const [body, headers] = [form, { Authorization: "Bearer unknown" }];
    const upload = async (): Promise<number> => {
      const response = await fetch(`${server.baseUrl}/api/v1/rotate`, { method: "POST", headers, body });
      await response.arrayBuffer();
      return response.status;
    };
    const statuses: number[] = [];
    for (let round = 0; round < 3; round++) statuses.push(...(await Promise.all(Array.from({ length: 6 }, upload))));
    expect(new Set(statuses)).toEqual(new Set([401]));
  });

  test("a client that waits for 100 Continue gets the error of the checks, or sends its body after them", async () => {
    const head = (key: string): string =>
      `POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5\r\n\r\n`;
    const [refused, accepted] = [new RawClient(port()), new RawClient(port())];
    await refused.send(head("unknown"));
    expect((await refused.response())?.status).toBe(401);
    await accepted.send(head(server.liveKey));
    expect((await accepted.response())?.status).toBe(100);
    await accepted.send("hello");
    expect((await accepted.response())?.status).toBe(400);
    await refused.close();
    await accepted.close();
  });
});

test("the data are unreadable for other users of the machine", async () => {
  expect((await stat(data)).mode & 0o777).toBe(0o700);
});

test("SIGTERM lets requests end, and leaves nothing behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-serve-"));
  const own = await startServer(folder);
  const large = document({ name: "large", pages: 400 });
  const response = post({ baseUrl: own.baseUrl, key: own.liveKey }, "merge", {
    file0: pdfPart(large),
    file1: pdfPart(large),
  });
  const below = (await processesBelow(own.pid)).map(({ pid }) => pid);
  await expect.poll(() => own.printed().length).toBeGreaterThan(0);
  const [{ status }] = await Promise.all([response, own.stop()]);
  expect([200, 503]).toContain(status);
  expect(below.length).toBeGreaterThan(0);
  const left = (await processesBelow(1)).filter(({ pid }) => below.includes(pid));
  expect(left).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

test("the server that follows a killed one completes its work, and has all its data", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-serve-"));
  const first = await startServer(folder);
  const orphans = (await processesBelow(first.pid)).filter(({ command }) => /workerd serve/.test(command));
  process.kill(first.pid, "SIGKILL");
  await expect.poll(async () => (await processesBelow(1)).some(({ pid }) => pid === first.pid)).toBe(false);
  const second = await startServer(folder);
  expect(orphans).toHaveLength(1);
  const running = (await processesBelow(1)).map(({ pid }) => pid);
  expect(running).not.toContain(orphans[0]?.pid);
  const call = { baseUrl: second.baseUrl, key: first.liveKey };
  expect((await post(call, "rotate", { file: pdfPart(letter), angle: "90" })).status).toBe(200);
  await second.stop();
  await rm(folder, { recursive: true, force: true });
});
