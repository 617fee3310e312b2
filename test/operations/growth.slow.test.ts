import { expect, test, vi } from "vitest";
import { newKey, senderTo } from "../http/echo-service.ts";
import { ownAnnotations } from "../harness/bombs/bomb-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { pdf } from "../harness/fixtures/pdf-writer.ts";
import { operations } from "../../src/operations/index.ts";

const logged = vi.spyOn(console, "log").mockImplementation(() => {});
const send = senderTo(...operations);
const key = await newKey("business");

/** Calls an operation; returns the fuel that it has spent. */
async function workOf(operation: string, parts: Readonly<Record<string, Uint8Array | string>>): Promise<number> {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    form.append(name, typeof part === "string" ? part : new Blob([part.slice()]));
  }
  logged.mockClear();
  const headers = { Authorization: `Bearer ${key}` };
  expect((await send(`/api/v1/${operation}`, { method: "POST", headers, body: form })).status).toBe(200);
  return (JSON.parse(String(logged.mock.lastCall?.[0])) as { work: number }).work;
}

/** Pages, each with a link to the next. */
const chain = (pages: number): Uint8Array => document({ name: "chain", pages, features: ["links"] });

/** Fields of one name. */
function namesakes(count: number): Uint8Array {
  const fields = Array<string>(count).fill("<< /FT /Tx /T (a) >>");
  const references = fields.map((_, index) => `${index + 4} 0 R`).join(" ");
  const root = `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${references}] >> >>`;
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>";
  return pdf([root, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, ...fields], "/Root 1 0 R");
}

const withForm = document({ name: "again", pages: 2, features: ["form"] });

test.each<[string, string, number, (size: number) => Record<string, Uint8Array | string>]>([
  ["rotate", "pages", 4_000, (size) => ({ file: chain(size), angle: "90" })],
  ["extract-pages", "pages", 4_000, (size) => ({ file: chain(size), range: "all" })],
  ["split", "pages", 4_000, (size) => ({ file: chain(size), mode: "chunks", chunkSize: String(size / 2) })],
  ["flatten", "annotations without an appearance", 2_000, (size) => ({ file: ownAnnotations(size) })],
  ["merge", "fields of one name", 10_000, (size) => ({ file0: namesakes(size), file1: namesakes(size) })],
  ["extract-pages", "copies", 1_000, (size) => ({ file: withForm, range: Array(size).fill("1").join(",") })],
])("%s: the work for %s grows linearly with their number", async (operation, _, size, parts) => {
  const [half, whole] = [await workOf(operation, parts(size / 2)), await workOf(operation, parts(size))];
  // Measured: 1.89 to 2.00. The square would be 4.
  expect(whole / half).toBeLessThan(2.1);
});
