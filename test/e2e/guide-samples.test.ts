import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { PDFDocument } from "pdf-lib";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PdfService } from "../../client/src/index.ts";
import { compileWithClient, installClient } from "./client-examples.ts";
import { sampleWith, samplesOf } from "./guide-samples.ts";
import { hasPython } from "./installed-programs.ts";
import { ownServer } from "./own-server.ts";
import { freePort, root } from "./server.ts";

const server = ownServer();
const run = promisify(execFile);
const service = new PdfService({ baseUrl: server.baseUrl, apiKey: server.liveKey });
const env = { ...process.env, PDF_SERVICE_KEY: server.liveKey };
const typescript = await samplesOf("ts", server.baseUrl);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pdf-service-guides-"));
  await symlink(join(root, "examples"), join(folder, "examples"));
  await installClient(folder);
  await symlink(join(root, "node_modules/aws4fetch"), join(folder, "node_modules/aws4fetch"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a program of the guides in a folder of its own until it ends. */
async function runProgram(name: string, code: string): Promise<string> {
  await writeFile(join(folder, name), code);
  const [command, variables] = name.endsWith(".py")
    ? ["python3", { ...env, PYTHONPATH: join(root, "clients/python"), PYTHONDONTWRITEBYTECODE: "1" }]
    : [process.execPath, env];
  return (await run(command, [name], { cwd: folder, env: variables })).stdout;
}

/** Runs a program of the guides that listens, for as long as `use` takes. `use` gets its URL, and reads its output. */
async function whileListening(
  name: string,
  code: string,
  variables: Readonly<Record<string, string>>,
  use: (url: string, printed: () => string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const path = join(folder, name);
  await writeFile(path, code.replace(/\.listen\(\d+\)/, `.listen(${port}, "127.0.0.1")`));
  const program = spawn(process.execPath, [path], { cwd: folder, env: { ...env, ...variables } });
  const printed: Buffer[] = [];
  program.stdout.on("data", (chunk: Buffer) => printed.push(chunk));
  const url = `http://127.0.0.1:${port}/`;
  const status = () =>
    fetch(url).then(
      (response) => response.status,
      () => 0,
    );
  try {
    await expect.poll(status).not.toBe(0);
    await use(url, () => Buffer.concat(printed).toString());
  } finally {
    program.kill();
  }
}

/** An event as the service sends it. */
function signedEvent(
  secret: string,
  event: object,
): { readonly body: string; readonly headers: Record<string, string> } {
  const now = new Date();
  const body = JSON.stringify({ timestamp: now.toISOString(), ...event });
  return {
    body,
    headers: {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign("evt_1", now, body),
    },
  };
}

const SECRET = `whsec_${Buffer.from("the secret of the webhook").toString("base64")}`;

describe("samples of the guides", () => {
  test("the shell examples run one after the other as pasted", async () => {
    // Hosts on the internet cannot be reached here; generated-client.slow.test.ts runs the generator.
    const commands = (await samplesOf("sh", server.baseUrl))
      .filter((code) => !code.includes("https://www.") && !code.includes("npm install"))
      .map((code) =>
        code.replaceAll("/tmp/", "./").replaceAll("./.dev-account.json", join(server.persistTo, ".dev-account.json")),
      );
    expect(commands.length).toBeGreaterThan(10);
    const { stderr } = await run("sh", ["-e", "-c", commands.join("\n")], { cwd: folder });
    expect(stderr).not.toMatch(/curl: \(/);
    for (const name of ["merged.pdf", "last-page-rotated.pdf", "rotated.pdf", "searchable.pdf", "report.pdf"]) {
      expect(await readdir(folder)).toContain(name);
      expect((await readFile(join(folder, name))).subarray(0, 5).toString()).toBe("%PDF-");
    }
    expect(await readFile(join(folder, "letter.html"), "utf8")).toMatch(/^<!doctype html>/i);
  });

  test("the TypeScript examples compile", async () => {
    // That one has types of its own.
    const files = typescript
      .filter((code) => !code.includes("openapi-fetch"))
      .map((text, index) => [`example-${index}.ts`, text] as const);
    expect(files.length).toBeGreaterThan(5);
    expect(await compileWithClient(folder, files)).toBe("");
  });

  test("the loop that deletes files and jobs leaves none", async () => {
    const bytes = await readFile(join(root, "examples/letter.pdf"));
    for (const name of ["a.pdf", "b.pdf"]) await service.uploadFile({ data: bytes, name });
    await (await service.jobs.rotate({ file: bytes, angle: "90" })).result();
    const counts = async () => [(await service.listFiles()).data.length, (await service.listJobs()).data.length];
    expect(await counts()).toEqual([expect.any(Number), expect.any(Number)]);
    expect((await counts()).every((count) => count > 0)).toBe(true);
    const loop = sampleWith(await samplesOf("sh", server.baseUrl), "-X DELETE");
    await run("sh", ["-e", "-c", loop], { cwd: folder, env });
    expect(await counts()).toEqual([0, 0]);
  });

  const programs = [
    ["TypeScript", "ts", () => sampleWith(typescript, "scans/")],
    ["Python", "py", async () => sampleWith(await samplesOf("python", server.baseUrl), '"scans"')],
  ] as const;
  test.each(programs.filter(([language]) => language !== "Python" || hasPython))(
    "the batch program in %s compresses a folder, names a damaged file, and is not charged again after a restart",
    async (_language, ending, code) => {
      for (const name of ["scans", "small"]) await rm(join(folder, name), { recursive: true, force: true });
      await mkdir(join(folder, "scans"));
      for (const name of ["letter", "enclosure", "form"])
        await copyFile(join(root, `examples/${name}.pdf`), join(folder, `scans/${ending}-${name}.pdf`));
      await writeFile(join(folder, `scans/${ending}-none.pdf`), "no PDF");
      const used = async () => (await service.getUsage()).used;
      const before = await used();
      const output = await runProgram(`batch.${ending}`, await code());
      expect(output).toMatch(/^3 of 4 files compressed \[\s*['"]\w+-none\.pdf: .*/);
      const small = (await readdir(join(folder, "small"))).toSorted();
      expect(small).toEqual(["enclosure", "form", "letter"].map((name) => `${ending}-${name}.pdf`));
      const letter = await PDFDocument.load(await readFile(join(folder, `small/${ending}-letter.pdf`)));
      expect(letter.getPageCount()).toBe(2);
      const charged = (await used()) - before;
      expect(charged).toBe(3 * 2);
      // As if the program had been stopped before it wrote this one.
      await rm(join(folder, `small/${ending}-letter.pdf`));
      expect(await runProgram(`batch.${ending}`, await code())).toMatch(/^1 of 2 files compressed/);
      expect((await readdir(join(folder, "small"))).toSorted()).toEqual(small);
      expect((await used()) - before).toBe(charged);
    },
  );

  test("the job with an Idempotency-Key is found again by a second run", async () => {
    const code = sampleWith(typescript, "recognized.pdf");
    const count = async () => (await service.listJobs({ limit: 100 })).data.length;
    await runProgram("job.ts", code);
    const jobs = await count();
    await runProgram("job.ts", code);
    expect(await count()).toBe(jobs);
    const recognized = await PDFDocument.load(await readFile(join(folder, "recognized.pdf")));
    expect(recognized.getPageCount()).toBe(2);
  });

  test("the receiver of job events fetches the result, and nothing for an event with a wrong signature", async () => {
    const job = await service.jobs.rotate({ file: await readFile(join(root, "examples/letter.pdf")), angle: "90" });
    await job.result();
    const code = sampleWith(typescript, "openJob");
    await whileListening("results.ts", code, { WEBHOOK_SECRET: SECRET }, async (url) => {
      const event = { type: "job.succeeded", data: await service.getJob(job.id) };
      const { body, headers } = signedEvent(SECRET, event);
      const forged = { method: "POST", body: body.replace(job.id, "job_other"), headers };
      expect((await fetch(url, forged)).status).toBe(400);
      expect((await fetch(url, { method: "POST", body, headers })).status).toBe(204);
    });
    const rotated = await PDFDocument.load(await readFile(join(folder, `${job.id}.pdf`)));
    expect(rotated.getPage(0).getRotation().angle).toBe(90);
  });

  test("the server that adds the key compresses what a page sends, and passes on errors", async () => {
    const code = sampleWith(typescript, "/compress");
    await whileListening("proxy.ts", code, {}, async (url) => {
      const body = await readFile(join(root, "examples/letter.pdf"));
      const compressed = await fetch(`${url}compress`, { method: "POST", body });
      expect([compressed.status, compressed.headers.get("Content-Type")]).toEqual([200, "application/pdf"]);
      expect((await PDFDocument.load(await compressed.arrayBuffer())).getPageCount()).toBe(2);
      const refused = await fetch(`${url}compress`, { method: "POST", body: "no PDF" });
      expect([refused.status, await refused.json()]).toEqual([
        415,
        { error: expect.objectContaining({ code: "unsupported_format" }) as unknown },
      ]);
    });
  });

  test("the webhook example accepts a delivery whose chunks divide a character, and no other body", async () => {
    const example = sampleWith(typescript, "event.type, event.data");
    await whileListening("receiver.ts", example, { WEBHOOK_SECRET: SECRET }, async (url, printed) => {
      const { body, headers } = signedEvent(SECRET, { type: "webhook.test", data: { webhook: "wh_漢" } });
      const bytes = Buffer.from(body);
      const divided = bytes.indexOf("漢") + 1;
      const deliver = async (...chunks: readonly Uint8Array[]): Promise<number | undefined> => {
        const delivery = request(url, { method: "POST", headers });
        for (const chunk of chunks) {
          delivery.write(chunk);
          // Otherwise the receiver would read both at once.
          await setTimeout(50);
        }
        delivery.end();
        const [response] = (await once(delivery, "response")) as [IncomingMessage];
        response.resume();
        return response.statusCode;
      };
      expect(await deliver(bytes.subarray(0, divided), bytes.subarray(divided))).toBe(204);
      await expect.poll(printed).toContain("evt_1 webhook.test { webhook: 'wh_漢' }");
      expect(await deliver(bytes.subarray(0, divided), bytes.subarray(divided + 1))).toBe(400);
    });
  });
});

test("the API allows browsers what the guide lists", async () => {
  const guide = await readFile(join(root, "docs/api.md"), "utf8");
  const row = (name: string): string => new RegExp(`^\\| ${name} +\\|([^|]*)\\|`, "m").exec(guide)?.[1] ?? "";
  const url = `${server.baseUrl}/api/v1/rotate`;
  const headers = { Origin: "https://app.example.com", "Access-Control-Request-Method": "POST" };
  const preflight = await fetch(url, { method: "OPTIONS", headers });
  const allowed = (name: string): string[] => (preflight.headers.get(`Access-Control-Allow-${name}`) ?? "").split(", ");
  expect([preflight.status, allowed("Origin")]).toEqual([204, ["*"]]);
  expect(row("Methods").trim().split(", ")).toEqual(allowed("Methods").filter((name) => name !== "OPTIONS"));
  const named = Array.from(row("Request headers").matchAll(/`([\w-]+)`/g), ([, name]) => name);
  expect(named).toEqual(allowed("Headers").filter((name) => !/^mcp/i.test(name)));
  const refused = await fetch(url, { method: "POST", headers, body: new FormData() });
  expect(refused.headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(refused.headers.get("Access-Control-Expose-Headers")?.split(", ")).toEqual(
    expect.arrayContaining(["X-Page-Count", "X-Request-Id"]),
  );
});
