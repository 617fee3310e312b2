import { expect, test, vi } from "vitest";
import { latin1 as textOf } from "../../src/bytes/latin1.ts";
import { operations } from "../../src/operations/index.ts";
import { modesOf } from "../../src/operations/definition/modes.ts";
import { madeField } from "../../src/operations/pipeline.ts";
import { archivalDocument, CONFORMING, conformingDocument } from "../harness/fixtures/archival-fixtures.ts";
import { invoice, operationsOnClaims, transparentImage } from "../harness/requests/operations-on-claims.ts";
import { conformance, runOn } from "./conformance-cases.ts";
import { pipeline, post } from "./pipeline-service.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

test.each(CONFORMING)("a document of our own conforms to %s", async (profile) => {
  expect(await conformance(conformingDocument(profile), undefined)).toEqual({ claimed: profile, broken: [] });
});

test("the table has every operation that makes a PDF of a PDF", () => {
  // The last two write a claim of their own.
  const others = ["merge", "fill-form", "delete-pages", "ocr", "archive", "invoice"];
  const listed = new Set([...others, ...Object.values(operationsOnClaims).map(([operation]) => operation)]);
  const missing = operations.filter(
    (operation) =>
      madeField(operation) !== undefined &&
      modesOf(operation).some(({ scope, returns }) => scope === "pdf:write" && returns.includes("application/pdf")) &&
      !listed.has(operation.name) &&
      // What these make conforms: they prove it themselves.
      !["archive", "invoice"].includes(operation.name),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test.each(Object.entries(operationsOnClaims))("%s keeps a claim, or removes it and says so", async (_, row) => {
  const [operation, parts, lost] = row;
  for (const profile of CONFORMING) {
    const said = await runOn(conformingDocument(profile), profile, operation, parts);
    expect(said, profile).toBe(lost[profile.charAt(0)] ?? null);
  }
});

test.each(CONFORMING)("form fields, page deletion, and merging keep a claim of %s", async (profile) => {
  const file = conformingDocument(profile);
  expect(await runOn(file, profile, "fill-form", { values: '{"name":"Ada Łukasiewicz"}' })).toBeNull();
  expect(await runOn(file, profile, "fill-form", { values: '{"name":"Ada"}', flatten: "true" })).toBeNull();
  expect(await runOn(file, profile, "delete-pages", { pages: "2" })).toBeNull();
  expect(await runOn(file, profile, "merge", { file0: file, file1: file })).toBeNull();
});

test.each(["1b", "2u", "4"] as const)("recognized text keeps a claim of %s", async (profile) => {
  const stamped = await post("add-page-numbers", {
    file: conformingDocument(profile),
    template: "Invoice {n}",
    fontSize: "40",
  });
  const file = new Uint8Array(await stamped.arrayBuffer());
  const parts = { output: "pdf", mode: "force", pages: "1" };
  expect(await runOn(file, profile, "ocr", parts)).toBeNull();
});

test("gray images need an output intent, which a file of colors with a meaning of their own may lack", async () => {
  const stamped = await post("add-page-numbers", { file: conformingDocument("2b"), color: "#c00" });
  const file = new Uint8Array(await stamped.arrayBuffer());
  expect(await runOn(file, "2b", "compress", { grayscale: "true", level: "low" })).toBe("6.2.4.3-4");
});

test("merging keeps a claim only if every file makes it", async () => {
  const merged = async (first: Uint8Array, second: Uint8Array): Promise<[string | null, string | undefined]> => {
    const response = await post("merge", { file0: first, file1: second });
    expect(response.status).toBe(200);
    const { claimed } = await conformance(new Uint8Array(await response.arrayBuffer()), undefined);
    return [response.headers.get("X-Conformance-Lost"), claimed];
  };
  const [basic, unicode, third] = [conformingDocument("2b"), conformingDocument("2u"), conformingDocument("3b")];
  expect(await merged(basic, unicode)).toEqual([null, "2b"]);
  expect(await merged(unicode, basic)).toEqual(["6.6.4-1", undefined]);
  expect(await merged(basic, third)).toEqual(["6.6.4-1", undefined]);
  expect(await merged(archivalDocument(), basic)).toEqual(["6.6.4-1", undefined]);
  expect(await merged(conformingDocument("1b"), archivalDocument())).toEqual(["6.7.11-1", undefined]);
  expect(await merged(archivalDocument(), archivalDocument())).toEqual([null, undefined]);
});

test("part 2 takes attachments that conform themselves, and part 3 takes all", async () => {
  const file = conformingDocument("2b");
  const add = { action: "add", name: "a.pdf" };
  expect(await runOn(file, "2b", "attachments", { ...add, attachment: conformingDocument("1b") })).toBeNull();
  expect(await runOn(file, "2b", "attachments", { ...add, attachment: conformingDocument("3b") })).toBe("6.8-5");
  const falsely = archivalDocument({ claim: [2, "B"], content: "1 0 0 rg 0 0 9 9 re f" });
  expect(await runOn(file, "2b", "attachments", { ...add, attachment: falsely })).toBe("6.8-5");
  expect(await runOn(conformingDocument("3b"), "3b", "attachments", { ...add, attachment: invoice })).toBeNull();
});

test("a claim that was false before stays, and is not called lost", async () => {
  const file = archivalDocument({ claim: [2, "B"], content: "1 0 0 rg 0 0 9 9 re f" });
  const response = await post("add-page-numbers", { file });
  expect(response.headers.get("X-Conformance-Lost")).toBeNull();
  const made = await conformance(new Uint8Array(await response.arrayBuffer()), undefined);
  expect(made).toEqual({ claimed: "2b", broken: ["6.2.4.3-2"] });
});

test("only the claim is removed from the metadata, and a pipeline has the header of any of its steps", async () => {
  const title = '{"title":"Kept"}';
  const titled = await post("metadata", { file: conformingDocument("1b"), action: "set", metadata: title });
  const steps = [{ operation: "watermark", kind: "text", text: "DRAFT" }, { operation: "repair" }];
  const response = await pipeline(steps, { file: new Uint8Array(await titled.arrayBuffer()) });
  expect(response.headers.get("X-Conformance-Lost")).toBe("6.4-3,6.4-5");
  const file = new Uint8Array(await response.arrayBuffer());
  const read = await post("metadata", { file, action: "get" });
  expect(await read.json()).toMatchObject({ title: "Kept" });
  expect(textOf(file)).not.toContain("pdfaid:part");
  expect(textOf(file)).toContain("Kept");
});

test("a seal that ends conformance removes the claim before it signs", async () => {
  const [, seal] = operationsOnClaims["seal, visibly"] ?? [];
  const file = conformingDocument("1b");
  const response = await post("seal", { ...seal, file, appearance: "image", image: transparentImage() });
  expect(response.headers.get("X-Conformance-Lost")).toBe("6.4-1");
  const sealed = new Uint8Array(await response.arrayBuffer());
  expect((await conformance(sealed, undefined)).claimed).toBeUndefined();
  const verified = await post("verify-signatures", { file: sealed });
  expect(await verified.json()).toMatchObject({ signatures: [{ integrity: "intact", changesAfter: "none" }] });
});
