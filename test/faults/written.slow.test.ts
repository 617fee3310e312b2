import type { PDFDocument } from "mupdf";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FileParts, ownBytes } from "../../src/engines/memory/joined-bytes.ts";
import { resetIsolate } from "../../src/isolate.ts";
import { PdfEngine } from "../../src/engines/pdf/mupdf/mupdf.ts";
import { createApp } from "../../src/app.ts";
import { operations } from "../../src/operations/index.ts";
import { expectConsistency } from "../billing/ledger-facts.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";
import { expectNoCredits, outcome, paidService } from "../http/paid-service.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

const service = await paidService("enterprise", undefined, createApp(operations));
const input = document({ name: "input", pages: 3, features: ["outline", "form", "links", "tagged"] });

/** What becomes of a file between those who write it and those who send it. */
const spoils: readonly [string, (file: Uint8Array) => Uint8Array][] = [
  ["is the input as it was", () => input],
  ["is cut off", (file) => file.slice(0, -300)],
  ["has cross-references that lead elsewhere", (file) => replaced(file, /startxref\n\d+/, "startxref\n7")],
  ["has object streams that cannot be read", (file) => replaced(file, /(\/ObjStm[^>]*>>\s*stream\n).{20}/s, "$1")],
  ["is empty", () => new Uint8Array()],
];
/** What becomes of an update that is appended to a file. */
const spoilsOfUpdates: typeof spoils = [
  ["lacks the update", () => new Uint8Array()],
  ["is cut off", (update) => update.slice(0, -100)],
  ["has cross-references that lead elsewhere", (update) => replaced(update, /startxref\n\d+/, "startxref\n7")],
  ["has other objects", (update) => replaced(update, /\n\d+ 0 obj\n<</, "\n9 0 obj\n<<")],
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

type Spoil = (file: Uint8Array) => Uint8Array;
/** Of what MuPDF writes, and of what we write ourselves. */
let spoil: { readonly ofMuPDF?: Spoil; readonly ofOurs?: Spoil } = {};

const { joined } = FileParts.prototype;

beforeEach(() => {
  resetIsolate();
  vi.spyOn(FileParts.prototype, "joined").mockImplementation(function all(this: FileParts) {
    const file = joined.call(this);
    return spoil.ofOurs ? ownBytes(spoil.ofOurs(file.view(0, file.length).slice())) : file;
  });
  const create = PdfEngine.create.bind(PdfEngine);
  vi.spyOn(PdfEngine, "create").mockImplementation(async (...modules) => {
    const engine = await create(...modules);
    const save = engine.long.save.bind(engine.long);
    vi.spyOn(engine.long, "save").mockImplementation(async (...asked) => {
      const file = await save(...asked);
      return spoil.ofMuPDF ? new engine.mupdf.Buffer(spoil.ofMuPDF(file.asUint8Array().slice())) : file;
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
  vi.mocked(FileParts.prototype.joined).mockRestore();
  spoil = {};
  stuck = undefined;
  resetIsolate();
  await expectConsistency();
});

type Writer = "a new file" | "an update" | "MuPDF";

describe.each<[string, Writer, Record<string, string>]>([
  ["rotate", "an update", { rotations: '{"2":90}' }],
  ["watermark", "an update", { kind: "text", text: "Draft", pages: "3" }],
  ["add-page-numbers", "an update", {}],
  ["sign", "an update", { mode: "type", typedName: "Ada", field: '{"page":2,"x":10,"y":10,"width":50,"height":20}' }],
  ["metadata", "a new file", { action: "set", metadata: '{"title":"New"}' }],
  ["fill-form", "a new file", { values: '{"person.city":"Rome"}' }],
  ["compress", "a new file", { stripMetadata: "true" }],
  ["extract-pages", "MuPDF", { range: "1" }],
])("%s (%s)", (operation, writer, fields) => {
  const send = () => service.send({ path: `/api/v1/${operation}`, file: new Blob([input.slice()]), fields });

  test.each(writer === "an update" ? spoilsOfUpdates : spoils)(
    "the service responds with 500 and charges nothing when the written file %s",
    async (_, change) => {
      expect((await send()).status).toBe(200);
      const used = await service.used();
      spoil = writer === "MuPDF" ? { ofMuPDF: change } : { ofOurs: change };
      const response = await send();
      expect(await outcome(response)).toEqual([500, "internal_error"]);
      expectNoCredits(response);
      expect(await service.used()).toBe(used);
    },
  );
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
