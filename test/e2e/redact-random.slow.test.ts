import { describe, expect, test } from "vitest";
import type { Service } from "../harness/requests/client.ts";
import { cropSecret, flattenSecret, redactSecret } from "../harness/redaction/redact-randomly.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** `RANDOM_FIRST=5000 RANDOM_COUNT=2000 npm run test:slow -- --project e2e test/e2e/redact-random` tries others. */
const first = Number(process.env["RANDOM_FIRST"] ?? 12);
const count = Number(process.env["RANDOM_COUNT"] ?? 1_000);

/** Seeds of one test. */
const STEP = 50;

describe.each(Array.from({ length: Math.ceil(count / STEP) }, (_, at) => first + at * STEP))("seed %i", (from) => {
  const seeds = Array.from({ length: Math.min(STEP, first + count - from) }, (_, at) => from + at);

  test("a secret in random places is removed, and the text beside it stays in place", async () => {
    for (const seed of seeds) await expect(redactSecret(service, seed)).resolves.toBeUndefined();
  });

  test("cropping with remove leaves the inside unchanged", async () => {
    for (const seed of seeds.filter((_, at) => at % 10 === 0))
      await expect(cropSecret(service, seed)).resolves.toBeUndefined();
  });

  test("flattening leaves the appearance of pages unchanged", async () => {
    for (const seed of seeds.filter((_, at) => at % 10 === 5))
      await expect(flattenSecret(service, seed)).resolves.toBeUndefined();
  });
});
