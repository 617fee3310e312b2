import { beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { withoutXref } from "../harness/fixtures/broken-fixtures.ts";
import { checkResponse, readInput, survivalCases, type Input } from "../harness/compare/cases.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { ciphers, encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import type { Feature } from "../harness/fixtures/fixture-draft.ts";
import { allFeatures, document } from "../harness/fixtures/fixtures.ts";
import { documentsOf } from "../harness/requests/parts.ts";
import { countPages, fileIdentifiers, openPdf, outlineTitles } from "../harness/engines/pdfjs.ts";
import { pagesSizeReference, showEncryption } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** Features apart from those beside them in the list, which lean on each other. */
const apart = [0, 1, 2, 3].map((first) => allFeatures.filter((_, index) => index % 4 === first));

let companion: Input;
beforeAll(async () => {
  companion = await readInput(document({ name: "companion", pages: 3, features: allFeatures }), "companion.pdf");
});

/** Sends the document through every operation, in all its cases or in its first; returns what is wrong, by case. */
async function problemsOf(
  bytes: Uint8Array,
  { password, first = false }: { password?: string; first?: boolean } = {},
): Promise<Record<string, readonly string[]>> {
  const input = await readInput(bytes, "document.pdf", password);
  const problems: Record<string, readonly string[]> = {};
  const seen = new Set<string>();
  for (const one of survivalCases(input, companion)) {
    if (first && seen.has(one.operation)) continue;
    seen.add(one.operation);
    // Splitting at bookmarks is refused where there are none.
    if (one.name === "split-bookmarks" && input.view?.outline.length === 0) continue;
    const response = await post(service, one.operation, one.parts);
    const found =
      response.status === 200 ? await checkResponse(response, one) : [`${response.status} ${response.code ?? ""}`];
    if (found.length > 0) problems[one.name] = found.slice(0, 10);
  }
  return problems;
}

describe("features of a document", () => {
  test("text alone survives every operation, read by pdf.js and qpdf", async () => {
    expect(await problemsOf(document({ name: "plain", pages: 3 }))).toEqual({});
  });

  test.each(apart.map((features) => [features.join(", "), features] as const))(
    "features survive every operation one by one: %s",
    async (_names, features) => {
      expect(await problemsOf(document({ name: "apart", pages: 4, features }), { first: true })).toEqual({});
    },
  );

  test("all features at once survive every operation", async () => {
    expect(await problemsOf(document({ name: "everything", pages: 12, features: allFeatures }))).toEqual({});
  });

  test("all features on a single page survive every operation", async () => {
    expect(await problemsOf(document({ name: "single", pages: 1, features: allFeatures }))).toEqual({});
  });

  test("each file has its own identifier, even if the same request is made twice", async () => {
    const input = await readInput(document({ name: "identified", pages: 2, features: ["outline"] }), "document.pdf");
    const [source] = await fileIdentifiers(input.bytes);
    const versions: Record<string, string[]> = {};
    for (const one of [...survivalCases(input, companion), ...survivalCases(input, companion)]) {
      const response = await post(service, one.operation, one.parts);
      expect(response.status, one.name).toBe(200);
      if (!/pdf|zip/.test(response.headers.get("Content-Type") ?? "")) continue;
      for (const { name, bytes } of documentsOf(response).filter(({ name }) => !/png|jpe?g$/.test(name))) {
        for (const half of new Set(await fileIdentifiers(bytes, one.password))) {
          if (half !== source) (versions[half] ??= []).push(`${one.name} ${name}`);
        }
      }
    }
    expect(Object.values(versions).filter(({ length }) => length > 1)).toEqual([]);
  });

  test("a document whose cross-references had to be repaired survives every operation", async () => {
    const intact = document({ name: "repaired", pages: 4, features: ["outline", "links", "labels", "tagged"] });
    const input = { ...(await readInput(intact, "document.pdf")), bytes: withoutXref(intact) };
    for (const one of survivalCases(input, companion).filter(({ operation }) => operation !== "merge")) {
      const response = await post(service, one.operation, one.parts);
      expect(response.headers.get("X-Input-Repaired")).toBe("true");
      expect(await checkResponse(response, one)).toEqual([]);
    }
  });

  test.each(ciphers)("encryption with %s survives every operation except merge and protect", async (cipher) => {
    const plain = document({ name: cipher, pages: 3, features: ["outline", "links", "form", "labels"] });
    const bytes = await encrypt(plain, { cipher, userPassword: "user", ownerPassword: "owner" });
    expect(await problemsOf(bytes, { password: "user", first: true })).toEqual({});

    const source = await showEncryption(bytes, "user");
    const response = await post(service, "rotate", { file: pdfPart(bytes), password: "user", angle: "90" });
    const output = await showEncryption(response.body, "owner");
    expect(output).toMatchObject({ encrypted: true, method: source.method, permissions: source.permissions });
  });

  test.each(ciphers)("encryption with %s that needs no password survives in each part of a split", async (cipher) => {
    const plain = document({ name: cipher, pages: 3, features: ["outline"] });
    const bytes = await encrypt(plain, { cipher, userPassword: "", ownerPassword: "owner" });
    const source = await showEncryption(bytes, "owner");
    const response = await post(service, "split", { file: pdfPart(bytes), mode: "pages" });
    expect(response.status).toBe(200);
    for (const [index, part] of documentsOf(response).entries()) {
      const output = await showEncryption(part.bytes, "owner");
      expect(output).toMatchObject({ encrypted: true, method: source.method, permissions: source.permissions });
      expect((await openPdf(part.bytes)).pages[0]?.text).toContain(`Page ${index + 1} of ${cipher}`);
    }
  });
});

describe("documents of many pages", () => {
  const many = document({
    name: "many",
    pages: 1500,
    features: ["outline", "links", "destinations", "labels", "tagged"],
  });

  test("an outline level of 1,500 entries does not exhaust the engine's stack", async () => {
    const source = await outlineTitles(many);
    for (const [operation, fields] of [
      ["rotate", { angle: "90" }],
      ["extract-pages", { range: "all" }],
    ] as const) {
      const { status, body } = await post(service, operation, { file: pdfPart(many), ...fields });
      expect(status).toBe(200);
      expect(await outlineTitles(body)).toEqual(source);
      expect(await countPages(body)).toBe(1500);
    }
  });

  test("1,500 parts leave nothing behind in the engine: the last equals the first", async () => {
    const response = await post(service, "split", { file: pdfPart(many), mode: "pages" });
    expect(response.status).toBe(200);
    const parts = documentsOf(response);
    expect(parts.length).toBe(1500);
    const last = await openPdf(parts.at(-1)?.bytes ?? new Uint8Array());
    expect(last.pages[0]?.text).toContain("Page 1500 of many");
    expect(last.pages[0]?.structure).toBeDefined();
  });
});

/** Bytes of one page taken out, and the most it may be: what qpdf needs, and the metadata, which it leaves out. */
async function oneOf(bytes: Uint8Array, page: number): Promise<{ size: number; limit: number }> {
  const response = await post(service, "extract-pages", { file: pdfPart(bytes), range: String(page) });
  expect(response.status).toBe(200);
  const { info, xmp } = await openPdf(response.body);
  const metadata = JSON.stringify(info).length + (xmp?.length ?? 0);
  return { size: response.body.length, limit: 1.2 * (await pagesSizeReference(bytes, page)) + metadata };
}

describe("size of parts", () => {
  test.each<[string, readonly Feature[]]>([
    ["text", []],
    ["an image that all pages share", ["shared-image"]],
    ["one Resources dictionary with an image for each page", ["image-per-page"]],
    ["layers", ["layers", "image-per-page"]],
  ])("a part contains only the objects that it uses: %s", async (_name, features) => {
    const { size, limit } = await oneOf(document({ name: "size", pages: 40, features, imageBytes: 5_000 }), 7);
    expect(size).toBeLessThanOrEqual(limit);
  });

  test("the images of 40 pages are not copied because of outline, links, names, form, and tags", async () => {
    const { size } = await oneOf(document({ name: "size", pages: 40, features: allFeatures, imageBytes: 20_000 }), 7);
    // Two images (the shared one and the page's own) and what else belongs to the page.
    expect(size).toBeLessThan(2 * 20_000 + 12_000);
  });
});
