import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Fault, sabotage } from "./engine-sabotage.ts";
import { expectConsistency } from "../billing/ledger-facts.ts";
import { textPage, drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { imageDocument, imageFixtures, largeDrawing } from "../harness/images/image-fixtures.ts";
import { Random } from "../harness/fuzz/random.ts";
import { type Call, expectNoCredits, paidService } from "../http/paid-service.ts";
import { createApp } from "../../src/app.ts";
import { operations } from "../../src/operations/index.ts";
import mozjpegModule from "../../wasm/generated/mozjpeg-encoder.wasm";
import mupdfModule from "../../wasm/generated/mupdf.wasm";
import tesseractModule from "../../wasm/generated/tesseract.wasm";
import webpDecoderModule from "../../wasm/generated/webp-decoder.wasm";
import webpEncoderModule from "../../wasm/generated/webp-encoder.wasm";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

/** Calls of an engine that are made to fail in one test, spread over all that a good call makes. */
const FAULTS = 5;

const service = await paidService("enterprise", undefined, createApp(operations));
const blob = (bytes: Uint8Array): Blob => new Blob([bytes.slice()]);
const page = textPage({ width: 200, height: 200, color: true });
const pages = blob(drawing(page, page, page));
const photograph = blob(imageDocument(imageFixtures.find(({ name }) => name === "photo-rgb") ?? largeDrawing()));
const line = blob(
  drawing({ width: 300, height: 60, content: "BT /F1 14 Tf 20 30 Td (Letters to be recognized) Tj ET" }),
);
const small = blob(document({ name: "small", pages: 3, features: ["outline", "form", "links", "tagged"] }));

/** Sends a request that the service must respond to, whatever happens to its engine. `undefined`: the response broke off. */
async function send(call: Call): Promise<{ status: number; body: Uint8Array } | undefined> {
  const response = await service.send(call);
  if (response.type === "error") return undefined;
  if (!response.ok) expectNoCredits(response);
  return { status: response.status, body: await response.bytes() };
}

const image = await (async () => {
  const made = await send({ path: "/api/v1/to-images", file: pages, fields: { format: "webp", pages: "1" } });
  return blob(made?.body ?? new Uint8Array());
})();

const engines: readonly [string, WebAssembly.Module, Call][] = [
  ["MuPDF at a rotation", mupdfModule, { path: "/api/v1/rotate", file: small, fields: { angle: "90" } }],
  ["MuPDF at reading text", mupdfModule, { path: "/api/v1/extract-text", file: small }],
  ["MuPDF at a stamp", mupdfModule, { path: "/api/v1/watermark", file: small, fields: { kind: "text", text: "Ü" } }],
  ["MuPDF at drawing a ZIP of images", mupdfModule, { path: "/api/v1/to-images", file: pages }],
  ["mozjpeg", mozjpegModule, { path: "/api/v1/compress", file: photograph }],
  ["the WebP encoder", webpEncoderModule, { path: "/api/v1/to-images", file: pages, fields: { format: "webp" } }],
  ["Tesseract", tesseractModule, { path: "/api/v1/ocr", file: line, fields: { mode: "force" } }],
  ["the WebP decoder", webpDecoderModule, { path: "/api/v1/from-images", fileField: "image0", file: image }],
];

describe.each(engines)("%s", (_, module, call) => {
  test.each(["trap", "no memory", "garbage"] as const)(
    "an engine that fails (%s) gives an error or a sound result, and the next request succeeds",
    async (fault: Fault) => {
      const engine = sabotage(module);
      onTestFinished(engine.end);
      engine.begin();
      const before = await service.used();
      const good = await send(call);
      expect(good?.status).toBe(200);
      const credits = (await service.used()) - before;
      const random = new Random(1, engine.calls());
      const all = engine.calls();
      expect(all, "the engine is not used").toBeGreaterThan(0);
      for (let number = 0; number < FAULTS; number++) {
        // One in each of as many equal parts of the call's work, the very first and the very last among them.
        const from = Math.floor((all * number) / FAULTS);
        const to = Math.floor((all * (number + 1)) / FAULTS);
        const at = number === 0 ? 0 : number === FAULTS - 1 ? all - 1 : from + random.below(to - from);
        const used = await service.used();
        engine.begin({ fault, call: at });
        const response = await send(call);
        const label = `${fault} at call ${at} of ${all}: ${response?.status ?? "broken off"}`;
        // A trap is nobody's document; a lack of memory is told as such; garbage may look like a damaged document, or like nothing.
        const allowed = { trap: [500], "no memory": [200, 413, 500, 503], garbage: [200, 400, 413, 422, 500, 503] }[
          fault
        ];
        expect([...allowed, undefined], label).toContain(response?.status);
        expect((await service.used()) - used, label).toBe(response?.status === 200 ? credits : 0);
        engine.begin();
        const next = await send(call);
        expect(next?.status, `after ${label}`).toBe(200);
        // Within the few bytes by which identifiers differ, deflated.
        expect(Math.abs((next?.body.length ?? 0) - (good?.body.length ?? 0)), `after ${label}`).toBeLessThan(16);
      }
    },
  );
});
