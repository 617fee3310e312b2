import { unzipSync } from "fflate";
import { afterAll, expect, test, vi } from "vitest";
import { asTexts, type Parts, pipeline, post, stepsOf } from "./pipeline-service.ts";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { withoutIdentifiers } from "../harness/compare/identifiers.ts";
import { takesJson } from "../../src/operations/definition/fields.ts";
import { operations } from "../../src/operations/index.ts";
import { madeField } from "../../src/operations/pipeline.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
// Some operations write the date.
vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-01T12:00:01Z") });
afterAll(() => vi.useRealTimers());
const letter = document({ name: "letter", pages: 2, features: ["form"] });
const issued = await issue({ subject: "Signer" });
const enclosure = document({ name: "enclosure", pages: 1 });

type Step = readonly [operation: string, parameters: Readonly<Record<string, unknown>>];

/** A step of every operation that makes a PDF of a PDF, the same each time. */
const inner: readonly Step[] = [
  ["merge", { file1: "part:enclosure" }],
  ["split", { mode: "ranges", ranges: "1-2" }],
  ["extract-pages", { range: "2,1" }],
  ["ocr", { output: "pdf" }],
  ["compress", { level: "high" }],
  ["rotate", { angle: 90, pages: 1 }],
  ["watermark", { kind: "text", text: "DRAFT" }],
  ["add-page-numbers", { startAt: 3 }],
  ["sign", { mode: "type", typedName: "Ada", field: { page: 1, x: 9, y: 9, width: 90, height: 40 } }],
  ["fill-form", { values: {} }],
  ["metadata", { action: "set", metadata: { title: "New" } }],
];
/** Of those whose result is something else, or different each time. */
const special: readonly Step[] = [
  ["extract-text", {}],
  ["to-images", { pages: 1, dpi: 36 }],
  ["protect", { ownerPassword: "secret" }],
  ["seal", { privateKey: await keyPem(issued), chain: chainPem(issued) }],
  ["verify-signatures", {}],
  ["unlock", {}],
  ["repair", { output: "json" }],
  ["flatten", {}],
  ["n-up", { pagesPerSheet: 2 }],
  ["attachments", { action: "list" }],
  ["outline", { action: "set", outline: [{ title: "New", page: 1 }] }],
  ["crop", { margins: { top: 9, left: 9 }, remove: true }],
  ["redact", { terms: ["letter"] }],
  ["metadata", { action: "get" }],
  ["split", { mode: "pages" }],
  ["ocr", {}],
];
/** An invoice has to be in its PDF, which no other operation puts there. */
const ALONE: ReadonlySet<string> = new Set(["invoice"]);
const last = [...special, ...examples()];

/** Those of the registry that are not above, as in their examples. */
function examples(): Step[] {
  const known = new Set([...inner, ...special].map(([name]) => name));
  return operations
    .filter(
      (operation) => madeField(operation) !== undefined && !known.has(operation.name) && !ALONE.has(operation.name),
    )
    .map(({ name, fields, example }) => {
      const texts = Object.entries(example).flatMap(([key, value]) => {
        const field = fields[key];
        if (field?.kind !== "text") return [];
        return [[key, takesJson(field) ? (JSON.parse(value) as unknown) : value] as const];
      });
      return [name, Object.fromEntries(texts)];
    });
}

/** Every pair of neighbors once (de Bruijn, of order 2). */
function* everyPair<T>(items: readonly T[]): Generator<T> {
  for (const [index, item] of items.entries()) {
    yield item;
    for (const other of items.slice(index + 1)) yield* [item, other];
  }
  yield* items.slice(0, 1);
}

/** Both have 16 bytes, which take 34 in hex, or down to 18 as a literal string. */
const IDS_VARY = 2 * (34 - 18);
/** How a ZIP begins: `PK`. */
const ZIP = 0x50;

/** Those of a ZIP, or the one. */
const filesIn = (file: Uint8Array): Uint8Array[] => (file[0] === ZIP ? Object.values(unzipSync(file)) : [file]);

const pairs = [...everyPair(inner)];
const INNER = 8;
const count = Math.max(Math.ceil((pairs.length - 1) / (INNER - 1)), last.length);
const chains = Array.from({ length: count }, (_, index) => {
  const steps = pairs.slice(index * (INNER - 1), index * (INNER - 1) + INNER);
  const end = last[index % last.length];
  return end ? [...steps, end] : steps;
});

test("the chains contain every operation on a PDF, and each PDF output before each of them", () => {
  const takers = operations
    .filter((operation) => madeField(operation) !== undefined && !ALONE.has(operation.name))
    .map(({ name }) => name);
  expect(new Set(chains.flat().map(([name]) => name))).toEqual(new Set(takers));
  const seen = new Set(chains.flatMap((steps) => steps.slice(1).map(([name], at) => `${steps[at]?.[0]} ${name}`)));
  for (const [one] of inner) for (const [other] of inner) expect(seen).toContain(`${one} ${other}`);
});

test.each(chains.map((steps) => [steps.map(([name]) => name).join(", "), steps] as const))(
  "the steps of a pipeline give the same as single requests: %s",
  async (_, steps) => {
    let file: Uint8Array = letter;
    const made: Uint8Array[] = [];
    for (const [name, parameters] of steps) {
      const parts: Parts = name === "merge" ? { file0: file, file1: enclosure } : { file, ...asTexts(parameters) };
      const response = await post(name, parts);
      expect(response.status, name).toBe(200);
      file = await response.bytes();
      made.push(file);
    }
    const used = steps.some(([name]) => name === "merge") ? { enclosure } : {};
    const response = await pipeline(
      steps.map(([operation, parameters]) => ({ operation, ...parameters })),
      { [steps[0]?.[0] === "merge" ? "file0" : "file"]: letter, ...used },
    );
    expect(response.status, response.ok ? "" : await response.clone().text()).toBe(200);
    const facts = stepsOf(response);
    expect(facts.map(({ operation }) => operation)).toEqual(steps.map(([name]) => name));
    for (const [index, { bytes }] of facts.slice(0, -1).entries())
      expect(Math.abs((bytes ?? 0) - (made[index]?.length ?? 0)), `step ${index}`).toBeLessThanOrEqual(IDS_VARY);
    const result = await response.bytes();
    expect(Math.abs(result.length - file.length)).toBeLessThanOrEqual(IDS_VARY);
    // Encryption is random, and so are signatures.
    const isRandom = ["protect", "seal"].includes(steps.at(-1)?.[0] ?? "");
    const comparable = (bytes: Uint8Array): string[] => (isRandom ? [] : filesIn(bytes).map(withoutIdentifiers));
    expect(comparable(result)).toEqual(comparable(file));
  },
);
