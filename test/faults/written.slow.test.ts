import type { PDFDocument } from "mupdf";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dropSpares } from "../../src/engines/lease/pool.ts";
import { PdfEngine } from "../../src/engines/pdf/mupdf/mupdf.ts";
import { createApp } from "../../src/app.ts";
import { operations } from "../../src/operations/index.ts";
import { expectConsistency } from "../billing/ledger-facts.ts";
import { document } from "../harness/fixtures.ts";
import { show, textDocument } from "../harness/text-fixtures.ts";
import { expectNoCredits, outcome, paidService } from "../http/paid-service.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

const service = await paidService("enterprise", undefined, createApp(operations));
const input = document({ name: "input", pages: 3, features: ["outline", "form", "links", "tagged"] });

/** What becomes of a file between MuPDF and those who send it. */
const spoils: readonly [string, (file: Uint8Array) => Uint8Array][] = [
  ["is the input as it was", () => input],
  ["is cut off", (file) => file.slice(0, -300)],
  ["has cross-references that lead elsewhere", (file) => replaced(file, /startxref\n\d+/, "startxref\n7")],
  ["has object streams that cannot be read", (file) => replaced(file, /(\/ObjStm[^>]*>>\s*stream\n).{20}/s, "$1")],
  ["is empty", () => new Uint8Array()],
];

function replaced(file: Uint8Array, pattern: RegExp, by: string): Uint8Array {
  const text = Array.from(file, (byte) => String.fromCharCode(byte)).join("");
  const spoiled = text.replace(pattern, (found: string, kept: unknown) =>
    by.replace("$1", typeof kept === "string" ? kept : "").padEnd(found.length, " "),
  );
  expect(spoiled).not.toBe(text);
  return Uint8Array.from(spoiled, (character) => character.charCodeAt(0));
}

const SECRET = show("a secret word", 50, 700);

/** Content that is written whatever should be written in its place. */
let stuck: string | undefined;

let spoil: ((file: Uint8Array) => Uint8Array) | undefined;

beforeEach(() => {
  dropSpares();
  const create = PdfEngine.create.bind(PdfEngine);
  vi.spyOn(PdfEngine, "create").mockImplementation(async (...modules) => {
    const engine = await create(...modules);
    const save = engine.long.save.bind(engine.long);
    vi.spyOn(engine.long, "save").mockImplementation(async (...asked) => {
      const file = await save(...asked);
      return spoil === undefined ? file : new engine.mupdf.Buffer(spoil(file.asUint8Array().slice()));
    });
    const redact = engine.long.redact.bind(engine.long);
    vi.spyOn(engine.long, "redact").mockImplementation((...asked) =>
      stuck === undefined ? redact(...asked) : Promise.resolve(),
    );
    const { prototype } = engine.mupdf.PDFDocument;
    const { addStream } = prototype;
    vi.spyOn(prototype, "addStream").mockImplementation(function add(this: PDFDocument, content, dictionary) {
      const written = content instanceof Uint8Array ? (stuck ?? content) : content;
      return addStream.call(this, written, dictionary);
    });
    return engine;
  });
});

afterEach(async () => {
  vi.mocked(PdfEngine.create).mockRestore();
  spoil = undefined;
  stuck = undefined;
  dropSpares();
  await expectConsistency();
});

describe.each<[string, Record<string, string>]>([
  ["rotate", { rotations: '{"2":90}' }],
  ["metadata", { action: "set", metadata: '{"title":"New"}' }],
  ["watermark", { kind: "text", text: "Draft", pages: "3" }],
  ["add-page-numbers", {}],
  ["sign", { mode: "type", typedName: "Ada", field: '{"page":2,"x":10,"y":10,"width":50,"height":20}' }],
  ["fill-form", { values: '{"person.city":"Rome"}' }],
  ["compress", { stripMetadata: "true" }],
  ["extract-pages", { range: "1" }],
])("%s", (operation, fields) => {
  const send = () => service.send({ path: `/api/v1/${operation}`, file: new Blob([input.slice()]), fields });

  // compress reads only the objects of a small file, and writes cross-references of its own.
  const own = spoils.filter(([name]) => operation !== "compress" || !name.includes("cross-references"));

  test.each(own)("responds with 500 and charges nothing when the written file %s", async (_, change) => {
    expect((await send()).status).toBe(200);
    const used = await service.used();
    spoil = change;
    const response = await send();
    expect(await outcome(response)).toEqual([500, "internal_error"]);
    expectNoCredits(response);
    expect(await service.used()).toBe(used);
  });
});

test.each([
  ["text", SECRET, { terms: '["secret"]' }],
  ["a drawing", "100 300 200 100 re f", { regions: '[{"page":1,"x":120,"y":420,"width":50,"height":50}]' }],
])("redact responds with redaction_failed and charges nothing where %s stays in place", async (_, content, fields) => {
  const shown = textDocument([{ content }]);
  const send = () => service.send({ path: "/api/v1/redact", file: new Blob([shown.slice()]), fields });
  expect((await send()).status).toBe(200);
  const used = await service.used();
  stuck = content;
  const response = await send();
  expectNoCredits(response);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(await outcome(response)).toEqual([500, "redaction_failed"]);
  expect(await service.used()).toBe(used);
});
