/** When `npm run serve` builds its bundle again. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sourceKey } from "../../scripts/find-server.ts";

describe("the key of a checkout", () => {
  let checkout: string;
  beforeAll(async () => {
    checkout = await mkdtemp(join(tmpdir(), "pdf-service-checkout-"));
    for (const folder of ["src", "scripts", "wasm/generated", "migrations"])
      await mkdir(join(checkout, folder), { recursive: true });
    for (const file of ["wrangler.toml", "package-lock.json", "src/worker.ts", "wasm/generated/models.js"])
      await writeFile(join(checkout, file), "");
  });
  afterAll(() => rm(checkout, { recursive: true, force: true }));

  test.each(["src/worker.ts", "wasm/generated/models.js"])("the key of a checkout changes with %s", async (file) => {
    const before = await sourceKey(checkout);
    expect(await sourceKey(checkout)).toBe(before);
    await writeFile(join(checkout, file), "changed");
    expect(await sourceKey(checkout)).not.toBe(before);
  });

  test("the key of a checkout is the same when files are made from it", async () => {
    const before = await sourceKey(checkout);
    await writeFile(join(checkout, "wasm/generated/engine.wasm"), "made");
    expect(await sourceKey(checkout)).toBe(before);
  });
});
