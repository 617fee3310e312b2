import { execFile } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { setUpWebhooks } from "./webhook-server.ts";
import { PdfService } from "../../client/src/index.ts";
import { installClient } from "../e2e/client-examples.ts";
import { sampleWith, samplesOf } from "../e2e/guide-samples.ts";
import { root } from "../e2e/server.ts";

const setup = setUpWebhooks(1, ["--var", "FETCH_ALLOW_LOCAL:true"]);
const ACCESS = { AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret" };

/** Whether the query of a URL has a valid Signature Version 4 (Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters"). */
function isSigned({ method, url = "", headers }: IncomingMessage): boolean {
  const { pathname, searchParams } = new URL(url, "http://host");
  const given = searchParams.get("X-Amz-Signature");
  searchParams.delete("X-Amz-Signature");
  const pairs = Array.from(searchParams, (pair) => pair.map(encodeURIComponent).join("=")).toSorted();
  const scope = (searchParams.get("X-Amz-Credential") ?? "").split("/").slice(1);
  const canonical = [method, pathname, pairs.join("&"), `host:${headers.host}`, "", "host", "UNSIGNED-PAYLOAD"].join(
    "\n",
  );
  const hash = createHash("sha256").update(canonical).digest("hex");
  const text = ["AWS4-HMAC-SHA256", searchParams.get("X-Amz-Date"), scope.join("/"), hash].join("\n");
  const key = scope.reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${ACCESS.AWS_SECRET_ACCESS_KEY}`,
  );
  return createHmac("sha256", key).update(text).digest("hex") === given;
}

test("the program of the guide reads from a bucket and writes the result to it", async () => {
  const objects = new Map([["/in/letter.pdf", await readFile(join(root, "examples/letter.pdf"))]]);
  const requests: string[] = [];
  const bucket = createServer(async (request, response) => {
    const path = new URL(request.url ?? "", "http://host").pathname;
    const body = await buffer(request);
    requests.push(`${request.method} ${path}`);
    if (!isSigned(request)) return response.writeHead(403).end();
    if (request.method === "PUT") objects.set(path, body);
    response
      .writeHead(200, { "Content-Type": "application/pdf" })
      .end(request.method === "GET" ? objects.get(path) : "");
  }).listen(0, "127.0.0.1");
  await once(bucket, "listening");
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-buckets-"));
  try {
    await installClient(folder);
    await symlink(join(root, "node_modules/aws4fetch"), join(folder, "node_modules/aws4fetch"));
    const { baseUrl, liveKey } = setup.server;
    const url = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`;
    const program = sampleWith(await samplesOf("ts", baseUrl), "aws4fetch").replace(/https:\/\/my-bucket[^"]+/, url);
    const runAs = async (access: typeof ACCESS) => {
      await writeFile(join(folder, "program.ts"), program);
      const env = { ...process.env, ...access, PDF_SERVICE_KEY: liveKey };
      return promisify(execFile)(process.execPath, ["program.ts"], { cwd: folder, env });
    };
    const refused: unknown = await runAs({ ...ACCESS, AWS_SECRET_ACCESS_KEY: "other" }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ stderr: expect.stringContaining("fetch_failed") as unknown });
    expect(requests).toEqual(["GET /in/letter.pdf"]);
    expect((await runAs(ACCESS)).stdout).toMatch(/succeeded 2\/2\n$/);
    const [job] = (await new PdfService({ baseUrl, apiKey: liveKey }).listJobs({ limit: 1 })).data;
    const state = async () => (await new PdfService({ baseUrl, apiKey: liveKey }).getJob(job?.id ?? "")).delivery;
    await expect.poll(state, { timeout: 30_000 }).toMatchObject({ status: "succeeded", httpStatus: 200 });
    expect(requests.at(-1)).toBe("PUT /out/letter.pdf");
    const written = objects.get("/out/letter.pdf") ?? "";
    expect(createHash("sha256").update(written).digest("hex")).toBe(job?.result?.sha256);
  } finally {
    bucket.close();
    await rm(folder, { recursive: true, force: true });
  }
});
