import { expect, test } from "vitest";
import type { Service } from "../harness/client.ts";
import { cropSecret, flattenSecret, redactSecret } from "../harness/redact-randomly.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** `RANDOM_FIRST=5000 RANDOM_COUNT=2000 npm run test:slow -- --project e2e test/e2e/redact-random` tries others. */
const first = Number(process.env["RANDOM_FIRST"] ?? 30);
const count = Number(process.env["RANDOM_COUNT"] ?? 1_000);

test("a secret in random places goes, and what stands beside it stays where it is", async () => {
  for (let seed = first; seed < first + count; seed++)
    await expect(redactSecret(service, seed)).resolves.toBeUndefined();
});

test("cropping with remove leaves what is inside as it looks", async () => {
  for (let seed = first; seed < first + count; seed += 5)
    await expect(cropSecret(service, seed)).resolves.toBeUndefined();
});

test("flattening leaves pages as they look", async () => {
  for (let seed = first; seed < first + count; seed += 5)
    await expect(flattenSecret(service, seed)).resolves.toBeUndefined();
});
