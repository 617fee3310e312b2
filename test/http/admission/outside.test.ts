/** Requests that wait for services outside: they hold no engine, so that others work. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { expectConsistency } from "../../billing/ledger-facts.ts";
import { chainPem, issue, type Issued, keyPem } from "../../harness/signatures/certificates.ts";
import { document } from "../../harness/fixtures/fixtures.ts";
import { ocspResponse } from "../../harness/signatures/revocation-data.ts";
import { operationService } from "../../operations/operation-service.ts";
import { paidService } from "../paid-service.ts";
import { createApp } from "../../../src/app.ts";
import { admissionOf } from "../../../src/http/admission/admission.ts";
import { resetIsolate } from "../../../src/isolate.ts";
import { limits, MiB } from "../../../src/limits.ts";
import { operations } from "../../../src/operations/index.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

const STAMPS = "https://stamps.example.com/";
const ISSUER = "http://issuer.example.com/";
/** What nobody can read. */
const NO_RESPONSE = Uint8Array.of(0);
const BUDGET = 128 * MiB - limits.admission.baseBytes;

/** What the services outside are asked, in order, until each is given a response. */
interface Question {
  readonly url: string;
  respond(body: Uint8Array<ArrayBuffer>): void;
}
const questions: Question[] = [];
vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  questions.push({ url, respond: (body) => resolve(new Response(body)) });
  init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
  return promise;
});
const asked = (count: number): Promise<void> =>
  vi.waitFor(() => expect(questions).toHaveLength(count), { timeout: 300_000, interval: 5 });

const letter = document({ name: "letter", pages: 1 });
let root: Issued;
let signer: Issued;
let signed: Uint8Array;
let sealing: Readonly<Record<string, string>>;
let [seal, verify, rotate] = [] as unknown as Awaited<ReturnType<typeof operationService>>[];
beforeAll(async () => {
  root = await issue({ subject: "Root", isAuthority: true });
  signer = await issue({ subject: "Ada", issuer: root, ocsp: ISSUER });
  sealing = { privateKey: await keyPem(signer), chain: chainPem(signer, root), timestampUrl: STAMPS };
  [seal, verify, rotate] = await Promise.all(
    ["seal", "verify-signatures", "rotate"].map((name) => operationService(name)),
  );
  const { privateKey = "", chain = "" } = sealing;
  const response = await seal?.(letter, { privateKey, chain });
  signed = new Uint8Array((await response?.arrayBuffer()) ?? []);
});
beforeEach(() => {
  resetIsolate();
  questions.length = 0;
});

/** Everything is free: as many requests as may work do, and nothing is held. */
function expectNothingHeld(): void {
  expect(admissionOf(BUDGET).heldBytes).toBe(0);
}

test("a request of another account works at once while time-stamp services and issuers hang, and all complete later", async () => {
  const seals = ["b-t", "b-lta"].map((level) => seal?.(letter, { ...sealing, level }));
  const verifications = Array.from({ length: 6 }, () => verify?.(signed, { trust: chainPem(root) }));
  await asked(8);
  let ended = 0;
  const counted = async (pending: Promise<Response> | undefined): Promise<void> => {
    await pending;
    ended += 1;
  };
  const all = Promise.all([...seals, ...verifications].map(counted));
  // Three at once: more than may work at the same time, so each has to find a place that nobody keeps.
  const rotated = await Promise.all([1, 2, 3].map(() => rotate?.(letter, { angle: "90" })));
  expect(rotated.map((response) => response?.status)).toEqual([200, 200, 200]);
  expect(ended).toBe(0);
  // A letter each, and no engine.
  expect(admissionOf(BUDGET).heldBytes).toBeLessThan(8 * 2 * MiB);

  for (const { url, respond } of questions) respond(url === STAMPS ? NO_RESPONSE : await ocspResponse(root, signer));
  await all;
  const reports = await Promise.all(verifications.map(async (pending) => (await pending)?.json()));
  const good = { documentIntact: true, signatures: [{ chain: "trusted", revocation: "good", integrity: "intact" }] };
  for (const report of reports) expect(report).toMatchObject(good);
  for (const pending of seals) {
    const failed = await pending;
    expect(failed?.status).toBe(422);
    expect(await failed?.json()).toMatchObject({ error: { code: "timestamp_failed" } });
  }
  expectNothingHeld();
});

test("a pipeline releases its engine as well, and its next step continues with the sealed file", async () => {
  const pipeline = await operationService("pipeline");
  const steps = JSON.stringify([
    { operation: "rotate", angle: "90" },
    { operation: "seal", ...sealing, level: "b-t" },
    { operation: "metadata", action: "get" },
  ]);
  const pending = pipeline(letter, { steps });
  await asked(1);
  expect((await rotate?.(letter, { angle: "90" }))?.status).toBe(200);
  questions[0]?.respond(NO_RESPONSE);
  const failed = await pending;
  expect(await failed.json()).toMatchObject({ error: { code: "timestamp_failed", details: { step: 2 } } });
  expectNothingHeld();
});

describe("limit of waiting requests", () => {
  test("an account's excess waiting requests get 503 without charge, and another account may still wait", async () => {
    const waiting = Array.from({ length: limits.admission.parkedPerAccount }, () =>
      verify?.(signed, { trust: chainPem(root) }),
    );
    await asked(limits.admission.parkedPerAccount);
    const refused = await verify?.(signed, { trust: chainPem(root) });
    expect([refused?.status, refused?.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(refused?.headers.get("X-Credits-Charged")).toBeNull();
    expect(await refused?.json()).toMatchObject({ error: { code: "overloaded" } });
    const other = seal?.(letter, { ...sealing, level: "b-t" });
    await asked(limits.admission.parkedPerAccount + 1);
    for (const { respond } of questions) respond(NO_RESPONSE);
    for (const pending of [...waiting, other]) await pending;
    expectNothingHeld();
  });
});

test("a client that leaves while a service hangs frees everything, and is not charged", async () => {
  const service = await paidService("enterprise", undefined, createApp(operations));
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...sealing, level: "b-t" })) form.append(name, value);
  form.append("file", new Blob([letter.slice()]), "letter.pdf");
  const encoded = new Response(form);
  const headers = new Headers(encoded.headers);
  headers.set("Authorization", `Bearer ${service.token}`);
  const body = await encoded.bytes();
  headers.set("Content-Length", String(body.length));
  const leaving = new AbortController();
  const context = createExecutionContext();
  const waited = vi.spyOn(context, "waitUntil");
  const request = new Request("http://localhost/api/v1/seal", {
    method: "POST",
    headers,
    body,
    signal: leaving.signal,
  });
  const pending = createApp(operations).fetch(request, env, context);
  await asked(1);
  leaving.abort();
  expect((await pending).status).toBe(499);
  await Promise.all(waited.mock.calls.flat());
  expectNothingHeld();
  expect(await service.used()).toBe(0);
});
