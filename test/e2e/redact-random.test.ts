import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/client.ts";
import { readAll, whoFinds } from "../harness/find-secret.ts";
import { secretDocument } from "../harness/random-secrets.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** `REDACT_DOCUMENTS=500 npx vitest run --project e2e test/e2e/redact-random.test.ts` tries more; `REDACT_FIRST` is the first seed. */
const count = Number(process.env["REDACT_DOCUMENTS"] ?? 12);
const first = Number(process.env["REDACT_FIRST"] ?? 0);

test("a secret in random places goes, and the words beside it stay", async () => {
  for (let seed = first; seed < first + count; seed++) {
    const { bytes, secret, neighbors, places } = secretDocument(seed);
    const about = `seed ${seed}: ${places.join(", ")}`;
    const before = await readAll(bytes);
    expect(before.pdfjs, about).toContain(secret);
    const { status, body } = await post(service, "redact", {
      file: pdfPart(bytes),
      terms: JSON.stringify([secret]),
    });
    expect(status, about).toBe(200);
    const after = await readAll(body);
    expect(whoFinds(after, secret), about).toEqual([]);
    const seen = neighbors.filter((word) => before.pdfjs.includes(word));
    expect(seen.length, about).toBeGreaterThan(1);
    expect(
      seen.filter((word) => !after.pdfjs.includes(word)),
      about,
    ).toEqual([]);
  }
});
