import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { withoutIdentifiers } from "../harness/compare/identifiers.ts";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";

const server = ownServer();
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.baseUrl}${path}`, { headers });
const built = join(root, "wasm/generated/assets/site");

describe("headers and static files", () => {
  test("the policy allows nothing from other origins, on the page and on its files", async () => {
    for (const path of ["/", "/docs", "/assets/playground.js", "/assets/reference.js", "/assets/playground.css"]) {
      const response = await get(path);
      expect(response.status, path).toBe(200);
      const policy = response.headers.get("Content-Security-Policy") ?? "";
      expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
      expect(policy).not.toMatch(/unsafe-inline|unsafe-eval'? |https?:|\*/);
      for (const name of ["frame-ancestors", "base-uri", "form-action"]) expect(policy).toContain(`${name} 'none'`);
      expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    }
  });

  test("files with a hash are cached for good, and the others are revalidated", async () => {
    const chunk = (await readdir(built)).find((name) => /^unzip-[A-Z0-9]{8}\.js$/.test(name));
    expect((await get(`/assets/${chunk}`)).headers.get("Cache-Control")).toContain("immutable");
    const first = await get("/assets/playground.js");
    expect(first.headers.get("Cache-Control")).toBe("no-cache");
    expect(first.headers.get("Content-Type")).toContain("javascript");
    const again = await get("/assets/playground.js", { "If-None-Match": first.headers.get("ETag") ?? "" });
    expect(again.status).toBe(304);
  });

  test("an unknown path is a page for people and JSON for programs", async () => {
    const page = await get("/nonsense", { Accept: "text/html,*/*" });
    expect([page.status, page.headers.get("Content-Type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(await page.text()).toMatch(/<h1>This page does not exist<\/h1>[^]*href="\/docs"/);
    for (const [path, accept] of [
      ["/nonsense", "*/*"],
      ["/api/v1/nonsense", "text/html"],
    ] as const) {
      expect(await (await get(path, { Accept: accept })).json()).toMatchObject({ error: { code: "not_found" } });
    }
  });

  test("other static assets are not served", async () => {
    for (const path of [
      "/assets/../fonts/NotoSans.ttf",
      "/assets/%2e%2e/fonts/NotoSans.ttf",
      "/fonts/NotoSans.ttf",
      "/assets/",
      "/assets/none.js",
    ]) {
      expect((await get(path)).status, path).toBe(404);
    }
  });

  test("the source is linked on the page, as the AGPL requires, without secrets", async () => {
    const link = /href="([^"]+)" rel="external"/.exec(await (await get("/")).text())?.[1] ?? "";
    const archive = gunzipSync(await (await get(link)).arrayBuffer()).toString("latin1");
    expect(archive).toContain("pdf-service/src/worker.ts\0");
    expect(archive).toContain("pdf-service/package.json\0");
    expect(archive).not.toMatch(/pdf-service\/(node_modules|\.dev|\.wrangler|wasm\/generated)/);
    expect(archive).not.toContain(server.liveKey);
  });

  test("the pages are under 150 KB compressed, without pdf.js and the examples", async () => {
    const names = (await readdir(built)).filter((name) => /\.(js|css|svg)$/.test(name));
    const sizes = await Promise.all(names.map(async (name) => gzipSync(await readFile(join(built, name))).length));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThan(150_000);
  });
});

type Form = Readonly<Record<string, string>>;

interface Described {
  readonly paths: Record<string, { post?: { requestBody?: { content: Record<string, Content> } } }>;
}

interface Content {
  readonly example?: Form;
  readonly schema: {
    readonly properties: Record<string, { default?: unknown; "x-when"?: Record<string, readonly string[]> }>;
  };
}

const described = (await (await get("/api/v1/openapi.json")).json()) as Described;
const examples = Object.entries(described.paths).flatMap(([path, { post }]) => {
  const { example, schema } = post?.requestBody?.content["multipart/form-data"] ?? {};
  return example && schema ? [{ path, example, schema }] : [];
});

/** The example with every default written out that belongs to it. */
function withDefaults(example: Form, { properties }: Content["schema"]): Form {
  const whole: Record<string, string> = { ...example };
  for (const [name, { default: value, "x-when": when = {} }] of Object.entries(properties)) {
    const belongs = Object.entries(when).every(([other, values]) =>
      values.includes(whole[other] ?? String(properties[other]?.default)),
    );
    if (value !== undefined && belongs) whole[name] ??= String(value);
  }
  return whole;
}

/** What an example gives, without file identifiers: they are random, and so is the length that some are written with. */
async function result(path: string, form: Form): Promise<string> {
  const body = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (/\.(pdf|png|jpg|p12|xml)$/.test(value)) {
      body.append(name, new Blob([await readFile(join(root, "examples", value))]), value);
    } else body.append(name, value);
  }
  const headers = { Authorization: `Bearer ${server.liveKey}` };
  const response = await fetch(`${server.baseUrl}${path}`, { method: "POST", body, headers });
  expect(response.ok, response.ok ? "" : await response.clone().text()).toBe(true);
  return withoutIdentifiers(new Uint8Array(await response.arrayBuffer()));
}

/** Bytes that the glyphs of all ten digits take in an embedded font. */
const DIGITS = 2_048;

test.each(examples)(
  "the example of $path works, and its documented defaults are the real ones",
  async ({ path, example, schema }) => {
    const plain = await result(path, example);
    expect(plain.length).toBeGreaterThan(100);
    const spelled = await result(path, withDefaults(example, schema));
    // Some results hold something new each time, such as a key or a date. A date that is drawn embeds the glyphs of its digits.
    const isSame = plain === (await result(path, example));
    expect(Math.abs(spelled.length - plain.length)).toBeLessThanOrEqual(
      isSame ? 0 : path.endsWith("/seal") ? DIGITS : 64,
    );
    expect(isSame ? spelled === plain : true).toBe(true);
  },
);
