import { expect, test } from "vitest";
import { cropSecret, flattenSecret, redactSecret } from "../harness/redaction/redact-randomly.ts";
import type { Service } from "../harness/requests/client.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** `redact-random.slow.test.ts` has the seeds that follow. */
const COUNT = 12;

test("a secret in random places is removed, and the text beside it stays in place", async () => {
  for (let seed = 0; seed < COUNT; seed++) await expect(redactSecret(service, seed)).resolves.toBeUndefined();
});

test("cropping with remove leaves the inside unchanged", async () => {
  for (let seed = 0; seed < COUNT; seed += 3) await expect(cropSecret(service, seed)).resolves.toBeUndefined();
});

test("flattening leaves the appearance of pages unchanged", async () => {
  for (let seed = 1; seed < COUNT; seed += 3) await expect(flattenSecret(service, seed)).resolves.toBeUndefined();
});
