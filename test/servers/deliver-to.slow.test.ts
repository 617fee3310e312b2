import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { setUpWebhooks } from "./webhook-server.ts";
import { PdfService } from "../../client/src/index.ts";
import { document } from "../harness/fixtures/fixtures.ts";

const setup = setUpWebhooks(1);

test("a result of many megabytes reaches the receiver whole, after one that refused it", async () => {
  const seen: { readonly length: string | undefined; readonly sha256: string }[] = [];
  const bucket = createServer((request, response) => {
    const hash = createHash("sha256");
    request.on("data", (chunk: Buffer) => hash.update(chunk));
    request.on("end", () => {
      seen.push({ length: request.headers["content-length"], sha256: hash.digest("hex") });
      response.writeHead(seen.length === 1 ? 503 : 200).end();
    });
  }).listen(0, "127.0.0.1");
  await once(bucket, "listening");
  try {
    const { baseUrl, liveKey } = setup.server;
    const service = new PdfService({ baseUrl, apiKey: liveKey });
    const deliverTo = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}/result?signature=1`;
    const job = await service.jobs.attachments(
      {
        file: document({ name: "letter", pages: 1 }),
        action: "add",
        attachment: { data: randomBytes(12 * 1024 * 1024), name: "noise.bin" },
      },
      { deliverTo },
    );
    await job.result();
    const state = async () => (await service.getJob(job.id)).delivery;
    await expect.poll(state, { timeout: 30_000 }).toMatchObject({ status: "succeeded", attempts: 2, httpStatus: 200 });
    const { result } = await service.getJob(job.id);
    expect(seen).toEqual(Array.from({ length: 2 }, () => ({ length: String(result?.size), sha256: result?.sha256 })));
  } finally {
    bucket.close();
  }
});
