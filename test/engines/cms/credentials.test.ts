import { expect, test } from "vitest";
import { longMac, manyKeys } from "../../harness/bombs/pkcs12-bombs.ts";
import { readPkcs12 } from "../../../src/engines/cms/credentials.ts";
import { Refusal } from "../../../src/engines/errors.ts";
import { ParseMeter, PARSERS } from "../../../src/engines/parse-meter.ts";
import { Work } from "../../../src/engines/work.ts";

/** Less than a hundredth of what one of the derivations takes. */
const LITTLE = 0.01 * 100_000 * 3 * PARSERS.derivation.element;

/** What is wrong with a file, and the fuel until that is known. */
async function refused(file: Uint8Array): Promise<{ code: string; message: string; fuel: number }> {
  const work = new Work(10e9);
  const error: unknown = await readPkcs12(work, "certificate", file, "secret").catch((caught: unknown) => caught);
  if (!(error instanceof Refusal)) throw error;
  return { code: error.code, message: error.message, fuel: work.spent };
}

test("a MAC that is not as long as its digest is refused before a key is derived", async () => {
  const { code, message, fuel } = await refused(longMac({ value: 4_096, iterations: 100_000 }));
  expect([code, message]).toEqual([
    "invalid_certificate",
    "`certificate` has a MAC of 4096 bytes, and its digest has 20.",
  ]);
  expect(fuel).toBeLessThan(LITTLE);
});

test("a salt that is longer than 1,024 bytes is refused before a key is derived", async () => {
  const { code, message, fuel } = await refused(longMac({ salt: 1_025, iterations: 100_000 }));
  expect([code, message]).toEqual([
    "invalid_certificate",
    "`certificate` derives its key with a salt of 1025 bytes, and at most 1,024 are supported.",
  ]);
  expect(fuel).toBeLessThan(LITTLE);
  expect((await refused(longMac({ salt: 1_024 }))).message).toContain("cannot be opened with the password");
});

test("several keys are refused before one is decrypted", async () => {
  const { message, fuel } = await refused(await manyKeys(5, 100_000));
  expect(message).toBe("`certificate` has several private keys. Send a file with one.");
  expect(fuel).toBeLessThan(LITTLE);
});

test("each hash of a derivation is charged", async () => {
  const fuelOf = async (digest: "sha1" | "sha512", iterations: number) =>
    (await refused(longMac({ digest, value: digest === "sha1" ? 20 : 64, iterations }))).fuel;
  const { element } = PARSERS.derivation;
  expect((await fuelOf("sha1", 20_000)) - (await fuelOf("sha1", 10_000))).toBe(10_000 * element);
  expect((await fuelOf("sha512", 400)) - (await fuelOf("sha512", 300))).toBe(100 * element);
});

test("a request may derive its keys with a million hashes in total", async () => {
  const file = longMac({ iterations: 50_001 });
  const work = new Work(10e9);
  ParseMeter.ofRequest(work, "derivation").element(950_000);
  const before = work.spent;
  await expect(readPkcs12(work, "certificate", file, "secret")).rejects.toMatchObject({
    code: "limit_exceeded",
    message: "A key derived from a password can have up to 1,000,000 hashes.",
  });
  expect(work.spent - before).toBeLessThan(LITTLE);
});

test("RC2 is refused, whose keys have 40 bits", async () => {
  const { code, message } = await refused(await manyKeys(1, 1, "1.2.840.113549.1.12.1.6"));
  expect(code).toBe("invalid_certificate");
  expect(message).toBe(
    "`certificate` is encrypted with a scheme that is not supported (1.2.840.113549.1.12.1.6). Export it again, for example with `openssl pkcs12 -export`.",
  );
});
