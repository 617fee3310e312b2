import { NO_SERVICES } from "../../src/engines/services.ts";
import { expect, inject, test, vi } from "vitest";
import { concat } from "../../src/bytes/concat.ts";
import { Ranges } from "../../src/engines/memory/ranges.ts";
import type { ByteSource } from "../../src/bytes/source.ts";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import type { Output, OutputFile } from "../../src/operations/definition/define.ts";
import { PdfEngine } from "../../src/engines/pdf/mupdf/mupdf.ts";
import { operations } from "../../src/operations/index.ts";
import { runOperation } from "../../src/operations/definition/run.ts";
import type { FormPart } from "../../src/http/multipart/multipart.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { readForm } from "../http/form/forms.ts";
import { largeDocument } from "../harness/bombs/large-document.ts";
import { latin1 } from "../harness/fixtures/pdf-writer.ts";

/** A stored file, of which it is counted what is read. */
class Source implements ByteSource {
  reads = 0;
  bytesRead = 0;
  /** Reads that began while no other was on its way: all others were made together with one of them. */
  waits = 0;
  #open = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    this.reads += 1;
    this.bytesRead += end - start;
    if (this.#open === 0) this.waits += 1;
    this.#open += 1;
    await scheduler.wait(1);
    this.#open -= 1;
    return this.#bytes.slice(start, end);
  }
}

type Content = OutputFile["bytes"];

async function bytesOf(content: Content): Promise<Uint8Array> {
  if ("view" in content && !content.stored) return content.view(0, content.length).slice();
  const parts: Uint8Array[] = [];
  for await (const part of "view" in content ? (content.stored?.chunks() ?? []) : content) parts.push(part.slice());
  return concat(parts);
}

/** All that an operation returns. */
async function resultOf(output: Output): Promise<unknown> {
  if (output.kind === "json") return output.value;
  if (output.kind !== "zip") return bytesOf(output.bytes);
  const entries: [string, Uint8Array][] = [];
  for await (const { name, bytes } of output.entries) entries.push([name, await bytesOf(bytes)]);
  return entries;
}

async function run(name: string, file: Uint8Array | Source, fields: Record<string, string>): Promise<unknown> {
  const operation = operations.find((candidate) => candidate.name === name);
  if (!operation) throw new Error(`there is no ${name}`);
  const lease = await leaseEngines(() => true);
  try {
    const arena = lease.engines.pdf.files.arena(file.length);
    const ranges = file instanceof Source ? new Ranges(file) : undefined;
    if (!(file instanceof Source)) arena.write(file);
    await ranges?.fetch(0);
    const parts: FormPart[] = [
      ...Object.entries(fields).map(([field, value]) => ({ kind: "text", field, value }) as const),
      { kind: "file", field: "file", filename: "report.pdf", bytes: ranges ?? arena.seal() },
    ];
    const { input } = await readForm(operation, parts);
    return await resultOf(await runOperation(operation, input, lease.engines, NO_SERVICES));
  } finally {
    lease.release(true);
  }
}

/** 1.3 MB, of which a page draws 64 KiB. */
const file = document({
  name: "report",
  pages: 20,
  features: ["outline", "form", "links", "image-per-page"],
  imageBytes: 64 * 1024,
});

test.each<[string, Record<string, string>]>([
  ["extract-text", { pages: "15-17,3" }],
  ["metadata", { action: "get" }],
  ["to-images", { pages: "15", dpi: "36" }],
  ["to-images", { pages: "15-16,3", dpi: "36" }],
  ["to-images", { pages: "15", dpi: "36", format: "jpeg" }],
  ["ocr", { pages: "2" }],
])("%s %j over ranges has the same result as from memory", async (name, fields) => {
  expect(await run(name, new Source(file), fields)).toEqual(await run(name, file, fields));
});

test.each<[string, Record<string, string>]>([
  ["extract-pages", { range: "15,3-4" }],
  ["split", { mode: "chunks", chunkSize: "9" }],
])("%s %j over ranges returns the pages", async (name, fields) => {
  expect(await run(name, new Source(file), fields)).toBeTruthy();
});

/** The document in the shapes of harness/fixtures/file-shapes.ts, which Node makes, with programs that workerd cannot run. */
const shaped = async (shape: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(`${inject("documents")}/shapes/${shape}`)).arrayBuffer());

test.each([
  ["linearized", {}, "Title of report"],
  ["hybrid", {}, "Title of report"],
  ["object-streams", {}, "Title of report"],
  ["100-updates", {}, "Update 100"],
  ...["rc4-40", "rc4-128", "aes-128", "aes-256"].map(
    (cipher) => [cipher, { password: "open" }, "Title of report"] as const,
  ),
] as const)("a file over ranges has the same result as from memory: %s", async (shape, password, title) => {
  const bytes = await shaped(shape);
  const source = new Source(bytes);
  const facts = await run("metadata", source, { action: "get", ...password });
  expect(facts).toMatchObject({ title, pageCount: 20 });
  expect(source.bytesRead).toBeLessThan(bytes.length);
  expect(facts).toEqual(await run("metadata", bytes, { action: "get", ...password }));
  const text = await run("extract-text", new Source(bytes), { pages: "3,15-17", ...password });
  expect(text).toMatchObject({ pages: [{ text: expect.stringContaining("Page 3 of report") }, {}, {}, {}] });
  expect(text).toEqual(await run("extract-text", bytes, { pages: "3,15-17", ...password }));
  const image = { pages: "15", dpi: "36", ...password };
  expect(await run("to-images", new Source(bytes), image)).toEqual(await run("to-images", bytes, image));
  // What is appended keeps the encryption, and is found by a reader that has all of the file.
  const rotated = await run("rotate", new Source(bytes), { angle: "90", pages: "15", ...password });
  if (!(rotated instanceof Uint8Array)) throw new Error("rotate gave no PDF");
  expect(rotated.subarray(0, bytes.length)).toEqual(bytes);
  expect(await run("extract-text", rotated, { pages: "3,15-17", ...password })).toEqual(text);
  const [before, after] = await Promise.all([run("to-images", bytes, image), run("to-images", rotated, image)]);
  expect(after).not.toEqual(before);
});

test("an encrypted file over ranges needs its password", async () => {
  const bytes = await shaped("aes-256");
  await expect(run("extract-text", new Source(bytes), {})).rejects.toMatchObject({ code: "password_required" });
});

/** The document with another number of pages in nodes of its page tree: `from` and `to` have the same length. */
function counting(from: string, to: string): Uint8Array {
  const at = new TextDecoder("latin1").decode(file).indexOf(from);
  if (at < 0) throw new Error(`there is no ${from}`);
  const changed = file.slice();
  changed.set(latin1(to), at);
  return changed;
}

test("a page tree with a wrong total is rejected, because pages would be missing silently", async () => {
  for (const [from, to] of [
    ["/Count 20 /MediaBox", "/Count 19 /MediaBox"],
    ["/Count 20 /MediaBox", "/Count 21 /MediaBox"],
  ] as const) {
    const reading = run("extract-text", new Source(counting(from, to)), { pages: "1" });
    await expect(reading).rejects.toMatchObject({
      code: "invalid_file",
      message: expect.stringContaining("damaged page tree"),
    });
  }
});

test("a node of the page tree with a wrong count is read kid by kid", async () => {
  const miscounted = counting("/Count 8 ", "/Count 7 ");
  const source = new Source(miscounted);
  expect(await run("extract-text", source, {})).toEqual(await run("extract-text", file, {}));
});

test("an operation reads only the parts that it needs: no unselected pages, and no images when extracting text", async () => {
  const archive = concat([...largeDocument({ pages: 8, pictureBytes: 512 * 1024 })]);
  for (const [operation, fields, most] of [
    ["metadata", { action: "get" }, 0.1],
    ["extract-text", { pages: "1-4" }, 0.2],
    ["to-images", { pages: "5", dpi: "36" }, 0.4],
  ] as const) {
    const source = new Source(archive);
    await run(operation, source, fields);
    expect(source.bytesRead / archive.length, operation).toBeLessThan(most);
  }
});

test("the text of pages far apart is read several chunks at a time, each once, and without starting again", async () => {
  const restart = vi.spyOn(PdfEngine.prototype, "restart");
  const archive = concat([...largeDocument({ pages: 200, pictureBytes: 70 * 1024 })]);
  const source = new Source(archive);
  const pages = Array.from({ length: 25 }, (_, index) => index * 8 + 1);
  const { text } = (await run("extract-text", source, { pages: pages.join(",") })) as { text: string };
  expect(text.match(/Page \d+ of 200/g)).toEqual(pages.map((page) => `Page ${page} of 200`));
  expect(restart).not.toHaveBeenCalled();
  expect(source.reads).toBeLessThan(50);
  expect(source.waits).toBeLessThan(source.reads / 3);
});

test("a damaged file is rejected without reading all of it", async () => {
  const damaged = file.slice();
  damaged.set(latin1("startxref\n00000077"), damaged.length - 24);
  const source = new Source(damaged);
  await expect(run("extract-text", source, {})).rejects.toThrow("larger");
  expect(source.bytesRead).toBeLessThan(file.length / 2);
});
