import { unzipSync } from "fflate";
import { PDFDocument } from "pdf-lib";
import { describe, expect, it, vi } from "vitest";
import { consumeOnce, creditsOf, jobService, leftOf, operationForm, sweepLater } from "./job-service.ts";
import { interrupted } from "../faults/failing-bucket.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { withoutIdentifiers } from "../harness/compare/identifiers.ts";
import { scanned, scanPage } from "../operations/ocr-service.ts";

const letter = document({ name: "letter", pages: 3 });

describe("jobs", () => {
  it.each([
    ["extract-text", { words: "true" }],
    ["rotate", { angle: "90" }],
    ["metadata", { action: "get" }],
    ["to-images", { dpi: "36", pages: "2" }],
    ["to-images", { dpi: " 36.0", pages: "LAST", format: "Png", quality: "80" }],
    ["extract-pages", { range: "1,3" }],
    ["pipeline", { steps: '[{ "operation": "rotate", "angle": 90 }, { "operation": "extract-text" }]' }],
    [
      "pipeline",
      { steps: '[{"operation":"rotate","rotations":{"1":"90"},"pages":"2"},{"operation":"metadata","action":"GET"}]' },
    ],
  ])("a job of %s has the result of an ordinary request", async (operation, fields) => {
    const service = await jobService();
    const { id, status } = await service.start(operation, letter, fields);
    expect(status).toBe("queued");
    expect((await service.result(id)).status).toBe(409);
    await consumeOnce();
    const ordinary = await service.send("POST", `/${operation}`, { body: operationForm(letter, fields) });
    const result = await service.result(id);
    expect([result.status, ordinary.status]).toEqual([200, 200]);
    for (const name of ["Content-Type", "Content-Disposition", "X-Page-Count", "X-Ignored-Parameters"]) {
      expect([name, result.headers.get(name)]).toEqual([name, ordinary.headers.get(name)]);
    }
    const bodies = await Promise.all([result.bytes(), ordinary.bytes()]);
    const [own, theirs] = bodies.map(withoutIdentifiers);
    expect(own).toBe(theirs);
    const ended = await service.job(id);
    expect([ended.status, ended.progress, ended.error]).toMatchObject(["succeeded", { failed: 0 }, null]);
    expect(ended.progress.done).toBe(ended.progress.total);
  });

  it("a job lists ignored parameters, and an ordinary request lists ignored fields of jobs", async () => {
    const service = await jobService();
    const ignored = async (operation: string, fields: Readonly<Record<string, string>>, headers = {}) => {
      const response = await service.send("POST", `/${operation}`, { body: operationForm(letter, fields), headers });
      await response.arrayBuffer();
      return [response.status, response.headers.get("X-Ignored-Parameters")];
    };
    const isAsync = { Prefer: "respond-async" };
    const images = { format: "png", quality: "80", pages: "1", dpi: "36" };
    expect(await ignored("to-images", images)).toEqual([200, "quality"]);
    expect(await ignored("to-images", images, isAsync)).toEqual([202, "quality"]);
    const options = { expiresIn: "600", onPageError: "Continue" };
    expect(await ignored("extract-text", options)).toEqual([200, "expiresIn,onPageError"]);
    expect(await ignored("extract-text", options, isAsync)).toEqual([202, null]);
    expect(await ignored("rotate", { ...options, angle: "90" }, isAsync)).toEqual([202, "onPageError"]);
    const steps = [
      { operation: "rotate", rotations: { 1: 90 }, pages: "2" },
      { operation: "to-images", dpi: 36, quality: 80 },
    ];
    expect(await ignored("pipeline", { steps: JSON.stringify(steps) })).toEqual([200, "1.pages,2.quality"]);
    // They are checked all the same.
    expect((await ignored("extract-text", { expiresIn: "1" }))[0]).toBe(400);
  });

  it("a job that draws pages returns an archive of them", async () => {
    const service = await jobService();
    const fields = { dpi: "600", format: "jpeg" };
    const { id, progress } = await service.start("to-images", letter, fields);
    expect(progress.total).toBe(3);
    await consumeOnce();
    const ordinary = await service.send("POST", "/to-images", { body: operationForm(letter, fields) });
    const [own, theirs] = [await service.result(id), ordinary].map(async (response) =>
      unzipSync(new Uint8Array(await response.arrayBuffer())),
    );
    expect(await own).toEqual(await theirs);
  });

  it("a job that recognizes text appends it to the document", async () => {
    const service = await jobService();
    const content = "0 g BT /F1 14 Tf 20 40 Td (Words of a scan) Tj ET";
    const scan = await scanned(drawing({ width: 200, height: 80, content }), "jpeg");
    const file = drawing(scanPage(scan), scanPage(scan), scanPage(scan));
    const { id, progress } = await service.start("ocr", file, { output: "pdf" });
    expect(progress.total).toBe(3);
    await consumeOnce();
    const result = await service.result(id);
    expect(result.headers.get("X-Page-Count")).toBe("3");
    const bytes = new Uint8Array(await result.arrayBuffer());
    expect(bytes.subarray(0, file.length)).toEqual(file);
    const read = await (await service.send("POST", "/extract-text", { body: operationForm(bytes) })).json();
    expect(read).toMatchObject({ text: Array.from({ length: 3 }, () => "Words of a scan").join("\n\f") });
    expect((await PDFDocument.load(bytes)).getPageCount()).toBe(3);
  });

  it("a job reserves and costs the price of its blocks of pages, and leaves nothing but its result", async () => {
    const service = await jobService();
    const { id, credits } = await service.start("extract-text", document({ name: "long", pages: 501 }));
    expect(credits).toEqual({ reserved: 2, charged: 0 });
    expect(await creditsOf(service)).toEqual({ used: 2, ledger: { reserved: 2 } });
    await consumeOnce();
    expect((await service.job(id)).credits).toEqual({ reserved: 2, charged: 2 });
    expect(await creditsOf(service)).toEqual({ used: 2, ledger: { settled: 2 } });
    expect(await leftOf(service)).toMatchObject({ files: 1, parts: 0 });
    await service.send("DELETE", `/jobs/${id}`);
    expect(await leftOf(service)).toMatchObject({ files: 0, parts: 0 });
    expect((await service.send("GET", `/jobs/${id}`)).status).toBe(404);
  });

  it("a job of one part ends while the only consumer works on a part of a long job", async () => {
    const [long, short] = [await jobService(), await jobService()];
    const { id } = await long.start("extract-text", document({ name: "long", pages: 101 }));
    const states: string[] = [];
    // The first part of the long job waits for its request until the short job has ended.
    const bindings = interrupted(1, async () => {
      const made = await short.start("extract-text", letter);
      const ended = await short.send("GET", `/jobs/${made.id}?wait=30`);
      states.push((await ended.json<{ status: string }>()).status, (await long.job(id)).status);
    });
    await consumeOnce(bindings);
    expect(states).toEqual(["succeeded", "running"]);
    expect((await long.job(id)).status).toBe("succeeded");
  });

  it("a job of one part ends while those of another account wait for a time-stamp service", async () => {
    const [slow, quick] = [await jobService(), await jobService()];
    const signer = await issue({ subject: "Ada" });
    const fields = { privateKey: await keyPem(signer), chain: chainPem(signer), level: "b-t" };
    const held = Promise.withResolvers<void>();
    const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      await held.promise;
      return new Response("no token");
    });
    const seals = [];
    for (let count = 0; count < 3; count += 1)
      seals.push(await slow.start("seal", letter, { ...fields, timestampUrl: "https://stamps.example.com/" }));
    const { id } = await quick.start("rotate", letter, { angle: "90" });
    const consumed = consumeOnce();
    const ended = await quick.send("GET", `/jobs/${id}?wait=30`);
    expect((await ended.json<{ status: string }>()).status).toBe("succeeded");
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(3), { timeout: 100_000 });
    for (const seal of seals) expect((await slow.job(seal.id)).status).toBe("running");
    held.resolve();
    await consumed;
    for (const seal of seals) expect((await slow.job(seal.id)).error).toMatchObject({ code: "timestamp_failed" });
    asked.mockRestore();
  });

  it("a job expires with its result", async () => {
    const service = await jobService();
    const { id } = await service.start("rotate", letter, { angle: "90", expiresIn: "300" });
    await consumeOnce();
    const { expiresAt, finishedAt } = await service.job(id);
    expect(Date.parse(expiresAt) - Date.parse(finishedAt ?? "")).toBe(300_000);
    await sweepLater(301_000);
    expect((await service.result(id)).status).toBe(410);
    expect(await leftOf(service)).toMatchObject({ files: 0 });
  });

  it("a job that is requested with `wait` gets the ordinary response", async () => {
    const service = await jobService();
    // The clock stands still, so that the 20 seconds do not pass on any machine.
    using _clock = vi.spyOn(Date, "now").mockReturnValue(Date.now());
    const response = service.send("POST", "/rotate", {
      headers: { Prefer: 'respond-async, wait="20"' },
      body: operationForm(letter, { angle: "90" }),
    });
    while ((await consumeOnce()) && (await creditsOf(service)).ledger["settled"] === undefined)
      await scheduler.wait(20);
    const { status, headers } = await response;
    expect([status, headers.get("Content-Type"), headers.get("Preference-Applied")]).toEqual([
      200,
      "application/pdf",
      "respond-async, wait=20",
    ]);
    await (await response).arrayBuffer();
  });

  it("a job that fails has the error of an ordinary request, and costs nothing", async () => {
    const service = await jobService();
    const { id } = await service.start("rotate", letter, { angle: "90", pages: "9" });
    await consumeOnce();
    const { status, error } = await service.job(id);
    expect([status, error?.code]).toEqual(["failed", "invalid_page_range"]);
    expect((await service.result(id)).status).toBe(400);
    expect(await creditsOf(service)).toEqual({ used: 0, ledger: { released: 1 } });
    expect(await leftOf(service)).toMatchObject({ files: 0, parts: 0 });
  });
});

describe("requests for jobs", () => {
  it("a request for a job is refused with all its problems, including those of the fields of jobs", async () => {
    const { send } = await jobService();
    const bad = await send("POST", "/rotate", {
      headers: { Prefer: "respond-async" },
      body: operationForm(letter, { angle: "91", expiresIn: "1", onPageError: "goon" }),
    });
    const { error } = await bad.json<{ error: { details: { fields: { name: string }[] } } }>();
    expect(error.details.fields.map(({ name }) => name).toSorted()).toEqual(["angle", "expiresIn", "onPageError"]);
  });

  it("a retry with the same Idempotency-Key gets the same job, and another document gets an error", async () => {
    const service = await jobService();
    const headers = { "Idempotency-Key": "one" };
    const first = await service.start("rotate", letter, { angle: "90" }, headers);
    const second = await service.start("rotate", letter, { angle: "90" }, headers);
    await consumeOnce();
    const third = await service.start("rotate", letter, { angle: "90" }, headers);
    expect([second.id, third.id]).toEqual([first.id, first.id]);
    await expect(service.start("rotate", letter, { angle: "180" }, headers)).rejects.toThrow("idempotency_key_reused");
    expect(await creditsOf(service)).toMatchObject({ used: 1 });
  });

  it("a request beyond the plan's number of jobs is refused and costs nothing", async () => {
    const service = await jobService({ plan: "free" });
    for (let job = 0; job < 2; job++) await service.start("rotate", letter, { angle: "90" });
    await expect(service.start("rotate", letter, { angle: "90" })).rejects.toThrow("limit_reached");
    expect(await creditsOf(service)).toMatchObject({ used: 2 });
    expect(await leftOf(service)).toMatchObject({ files: 4, parts: 2 });
    while ((await creditsOf(service)).ledger["reserved"] !== undefined) await consumeOnce();
  });

  it("a job may refer to a stored file, which is kept", async () => {
    const service = await jobService();
    const file = await service.upload(letter);
    const { id } = await service.start("rotate", file.id, { angle: "90" });
    await consumeOnce();
    expect((await service.job(id)).status).toBe("succeeded");
    expect((await service.send("GET", `/files/${file.id}`)).status).toBe(200);
  });
});
