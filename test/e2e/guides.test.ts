import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "../../client/src/generated-commands.ts";
import { type Description, operationsOf } from "../../src/site/description/description.ts";
import { grouped, operationSearch } from "../../src/site/description/operation-list.ts";
import { type SearchEntry, searchOf } from "../../src/site/reference/search.ts";
import { searchWords } from "../../src/site/reference/search-words.ts";
import { ownServer } from "./own-server.ts";
import { held, known } from "./questions.ts";
import { root } from "./server.ts";

const server = ownServer();
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.baseUrl}${path}`, { headers });

const reference = await (await get("/docs")).text();
const names = Array.from(reference.matchAll(/href="\/docs\/([\w-]+)"/g), ([, name = ""]) => name);
const pages = new Map<string, string>([["/docs", reference]]);
for (const name of new Set(names)) pages.set(`/docs/${name}`, await (await get(`/docs/${name}`)).text());
const idsOf = (page: string): Set<string> => new Set(Array.from(page.matchAll(/ id="([^"]*)"/g), ([, id = ""]) => id));
const anchors = new Map(Array.from(pages, ([path, page]) => [path, idsOf(page)]));

/** Whether a link of the page at `path` leads to a place that exists. What other hosts have is not asked. */
function leadsSomewhere(path: string, href: string): boolean {
  const { host, pathname, hash } = new URL(href, `http://host${path}`);
  if (host !== "host") return true;
  const ids = anchors.get(pathname);
  if (ids === undefined) return !pathname.startsWith("/docs");
  return hash === "" || ids.has(decodeURIComponent(hash.slice(1)));
}

describe("guides", () => {
  test("the guides are in the contents of every page, with the shown one marked", () => {
    const wanted = ["quickstart", "authentication", "errors", "idempotency", "page-ranges", "files", "jobs"];
    expect(names).toEqual(expect.arrayContaining([...wanted, "webhooks", "limits", "operating"]));
    for (const [path, page] of pages) {
      for (const name of names) expect(page).toContain(`href="/docs/${name}"`);
      const current = Array.from(page.matchAll(/href="([^"]+)"\s+aria-current="page"/g), ([, href]) => href);
      expect(current).toContain(path);
    }
  });

  test("the guides have no dead links and no marks of Markdown in their text", () => {
    for (const [path, page] of pages) {
      const hrefs = Array.from(page.matchAll(/<a [^>]*href="([^"]*)"/g), ([, href = ""]) => href);
      expect(
        hrefs.filter((href) => !leadsSomewhere(path, href)),
        path,
      ).toEqual([]);
      const text = page.replaceAll(/<(pre|code)[^]*?<\/\1>/g, "").replaceAll(/<[^>]*>/g, "");
      expect(text.match(/\*\*|\]\(|^#|```|<!--/m), path).toBeNull();
    }
  });

  test("the guides have all the text of the documents", async () => {
    const webhooks = await readFile(join(root, "docs/webhooks.md"), "utf8");
    const page = pages.get("/docs/webhooks") ?? "";
    for (const [, heading = ""] of webhooks.matchAll(/^## (.+)$/gm)) expect(page).toContain(`>${heading}</a></h2>`);
    expect(page.match(/<li>/g)?.length).toBeGreaterThanOrEqual(webhooks.match(/^- /gm)?.length ?? 0);
    const rows = Array.from(webhooks.matchAll(/^\|(?!-)/gm)).length;
    expect(page.match(/<tr>/g)).toHaveLength(rows);
  });

  test("the guides name every operation with pages by the name of its field", async () => {
    const api = await readFile(join(root, "docs/api.md"), "utf8");
    for (const field of ["pages", "range", "ranges"]) {
      const row = new RegExp(`^\\| \`${field}\` +\\|([^|]*)\\|`, "m").exec(api)?.[1] ?? "";
      const named = Array.from(row.matchAll(/`([\w-]+)`/g), ([, name = ""]) => name);
      const taking = commands.filter(({ parameters }) => parameters.some((one) => one.field === field));
      expect(named.toSorted(), field).toEqual(taking.map(({ name }) => name).toSorted());
    }
  });

  test("an unknown guide gets the page of 404, or its JSON", async () => {
    const page = await get("/docs/none", { Accept: "text/html" });
    expect([page.status, page.headers.get("Content-Type")]).toEqual([404, expect.stringContaining("text/html")]);
    expect(await (await get("/docs/none")).json()).toMatchObject({ error: { code: "not_found" } });
  });
});

test("the search index leads only to places that exist, and to every field, error, and section", async () => {
  const entries = (await (await get("/docs/search.json")).json()) as [string, string, string, string][];
  const addresses = entries.map(([, , address]) => address);
  expect(addresses.filter((address) => !leadsSomewhere("/", address))).toEqual([]);
  for (const address of [
    "/docs#to-images.dpi",
    "/docs#error-no_form",
    "/docs/webhooks#verify-deliveries",
    "/docs#merge",
    "/docs/limits#documents-and-requests.pages",
    "/docs/operating#configuration.SERVER_SECRET",
    "/docs/self-hosting#one-tenant-or-accounts.TRUSTED_PROXIES",
    ...Object.keys(searchWords),
  ])
    expect(addresses).toContain(address);
  const errors = Array.from(reference.matchAll(/ id="(error-\w+)"/g), ([, id]) => `/docs#${id}`);
  expect(addresses).toEqual(expect.arrayContaining(errors));
});

/** What people type, and what they should find first. */
const QUERIES: Readonly<Record<string, string>> = {
  "error codes": "/docs/errors",
  "OCR german": "/docs#ocr",
  python: "/docs/python",
  pricing: "/docs/credits",
  "join pdf": "/docs#merge",
  "node sdk": "/docs/client",
  idempotancy: "/docs/idempotency",
  pasword: "/docs#unlock",
  docker: "/docs/self-hosting",
  privacy: "/docs/what-is-stored",
  "webhook signature": "/docs/webhooks#verify-deliveries",
  "429": "/docs#error-rate_limit_exceeded",
  retry: "/docs/idempotency",
  "rate limits": "/docs/limits",
  "html to pdf": "/docs#to-pdf",
  "delete pages": "/docs#delete-pages",
  rearrange: "/docs#extract-pages",
  esign: "/docs#sign",
  watermak: "/docs#watermark",
  "split pdf": "/docs#split",
  "combine pdfs": "/docs#merge",
  "reduce file size": "/docs#compress",
  "remove password": "/docs#unlock",
  "encrypt pdf": "/docs#protect",
  bookmarks: "/docs#outline",
  "table of contents": "/docs#outline",
  "pdf to image": "/docs#to-images",
  "jpg to pdf": "/docs#from-images",
  "searchable pdf": "/docs#ocr",
  "scanned document": "/docs#ocr",
  "extract tables": "/docs#extract-text",
  markdown: "/docs#extract-text",
  "pdf to markdown": "/docs#extract-text",
  "word to pdf": "/docs#to-pdf",
  "form fields": "/docs#fill-form",
  "page numbers": "/docs#add-page-numbers",
  bates: "/docs#add-page-numbers",
  "black out text": "/docs#redact",
  "rotate key": "/docs/authentication#keys",
  scopes: "/docs/authentication#scopes",
  "403": "/docs/authentication#scopes",
  "maximum file size": "/docs/limits",
  timeout: "/docs#error-request_timeout",
  async: "/docs/jobs",
  "background jobs": "/docs/jobs",
  claude: "/docs/mcp",
  typescript: "/docs/client",
  cli: "/docs/client#command-line",
  "pip install": "/docs/python",
  "getting started": "/docs/quickstart",
  "x-page-count": "/docs#header-X-Page-Count",
  password_required: "/docs#error-password_required",
  ownerPassword: "/docs#protect.ownerPassword",
  dpi: "/docs#to-images.dpi",
  "page range": "/docs/page-ranges",
  "fetch from url": "/docs/files#files-by-reference",
  "upload large file": "/docs/files",
  booklet: "/docs#n-up",
  thumbnail: "/docs#to-images",
  "corrupt pdf": "/docs#repair",
  "digital signature": "/docs#seal",
  pades: "/docs#seal",
  "verify signature": "/docs#verify-signatures",
  "shadow attack": "/docs#verify-signatures",
  "pdf/a": "/docs/pdfa",
  "convert to pdf/a": "/docs#archive",
  xrechnung: "/docs#invoice",
  oauth: "/docs/not-offered",
  "data retention": "/docs/what-is-stored",
  japanese: "/docs#ocr",
};

test("a search finds the pages for common words, and for their typos", async () => {
  const search = searchOf((await (await get("/docs/search.json")).json()) as SearchEntry[]);
  const first = Object.keys(QUERIES).map((query) => [query, search(query)[0]?.[2]]);
  expect(Object.fromEntries(first)).toEqual(QUERIES);
  expect(search("xylophone")).toEqual([]);
  const description = (await (await get("/api/v1/openapi.json")).json()) as Description;
  const operations = operationSearch(operationsOf(description));
  const wanted = { join: "merge", "delete pages": "delete-pages", rearrange: "extract-pages", esign: "sign" };
  const all = { ...wanted, watermak: "watermark", shrink: "compress", encrypt: "protect", "jpg to pdf": "from-images" };
  for (const [query, name] of Object.entries(all)) expect([query, operations(query)[0]?.name]).toEqual([query, name]);
});

/** The questions that have none of their answers among the first five entries. */
async function unanswered(questions: typeof known): Promise<string[]> {
  const search = searchOf((await (await get("/docs/search.json")).json()) as SearchEntry[]);
  const missed = Object.entries(questions).filter(([question, answers]) => {
    const first = search(question).slice(0, 5);
    return !first.some(([, , address]) => [answers].flat().some((answer) => address.startsWith(answer)));
  });
  return missed.map(([question]) => question);
}

test("a question finds its answer among the first five entries", async () => {
  expect(await unanswered(known)).toEqual([]);
});

test("questions that the ranking was not made for find their answer nine times out of ten", async () => {
  const missed = await unanswered(held);
  expect(missed.length, missed.join(", ")).toBeLessThanOrEqual(Object.keys(held).length / 10);
});

test("a question that names an operation and its parameter finds the parameter, and one that names a guide the guide", async () => {
  const search = searchOf((await (await get("/docs/search.json")).json()) as SearchEntry[]);
  const first = (question: string) => search(question)[0]?.[2];
  expect(first("rotate only page 3")).toBe("/docs#rotate.pages");
  expect(first("rotate pages")).toBe("/docs#rotate");
  expect(first("watermark opacity")).toBe("/docs#watermark.opacity");
  expect(first("redact credit card numbers")).toBe("/docs#redact");
  expect(first("redact email addresses")).toBe("/docs#redact");
  expect(first("convert word to pdf")).toBe("/docs#to-pdf");
  expect(first("convert pdf to word")).toBe("/docs/conversion#pdf-to-word-excel-or-powerpoint");
  expect(first("jobs")).toBe("/docs/jobs");
  expect(first("TRUSTED_PROXIES")).toBe("/docs/self-hosting#one-tenant-or-accounts.TRUSTED_PROXIES");
});

test("parameters of the same name have the label of their own operation", async () => {
  const operations = operationsOf((await (await get("/api/v1/openapi.json")).json()) as Description);
  const labelOf = (operation: string, field: string): string | undefined =>
    operations.find(({ name }) => name === operation)?.fields.find(({ name }) => name === field)?.label;
  expect([labelOf("compress", "level"), labelOf("seal", "level")]).toEqual(["Compression level", "PAdES level"]);
  expect([labelOf("fill-form", "strict"), labelOf("to-pdf", "strict")]).toEqual([
    "Reject unknown fields",
    "Reject characters without a font",
  ]);
  expect([labelOf("merge", "file"), labelOf("n-up", "marginPt")]).toEqual(["Files", "Margin (points)"]);
});

test("the list of operations has their groups in the order of the API", async () => {
  const operations = operationsOf((await (await get("/api/v1/openapi.json")).json()) as Description);
  const groups = grouped(operations).map(({ name, operations: [first] }) => [name, first?.name]);
  expect(groups).toEqual([
    ["Organize", "merge"],
    ["Convert", "to-pdf"],
    ["Edit", "watermark"],
    ["Protect", "protect"],
    ["Improve", "compress"],
    ["More", "pipeline"],
  ]);
});

test("crawlers and language models get texts whose links lead somewhere", async () => {
  expect(await (await get("/robots.txt")).text()).toContain(`Sitemap: ${server.baseUrl}/sitemap.xml`);
  const locations = Array.from(
    (await (await get("/sitemap.xml")).text()).matchAll(/<loc>(.*?)<\/loc>/g),
    ([, one]) => one,
  );
  expect(locations).toEqual(expect.arrayContaining([`${server.baseUrl}/docs`, `${server.baseUrl}/docs/webhooks`]));
  const llms = await (await get("/llms.txt")).text();
  const links = Array.from(llms.matchAll(/\]\((http[^)]+)\)/g), ([, link = ""]) => link);
  expect(links.filter((link) => link.endsWith(".md")).length).toBeGreaterThan(20);
  for (const link of new Set([...links, ...locations.map(String)])) {
    const response = await fetch(link);
    expect([link, response.status]).toEqual([link, 200]);
    await response.body?.cancel();
  }
  const merge = await get("/docs/merge.md");
  expect(merge.headers.get("Content-Type")).toBe("text/markdown; charset=UTF-8");
  expect(await merge.text()).toMatch(
    /^# merge\n[^]*`file0`, `file1`, \.\.\. \(required\): The PDFs[^]*-F 'file0=@examples\/letter\.pdf'/,
  );
  expect((await get("/docs/none.md")).status).toBe(404);
});
