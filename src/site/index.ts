import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { cachedDocument } from "../http/exchange/cached-document.ts";
import { addPath, type AppEnv } from "../http/exchange/exchange.ts";
import { type Env, readEnv } from "../env.ts";
import { type Page, renderPage } from "./page.ts";
import { llms, operationText, robots, sitemap } from "./plain-texts.ts";
import { siteHeaders } from "./headers.ts";
import type { Description } from "./description/description.ts";
import { type Documents, type Guide, guidesOf } from "./reference/guides.ts";
import { renderGuide, renderReference } from "./reference/reference.ts";
import { clientPackages } from "./client-packages.ts";
import { searchIndex } from "./reference/search-index.ts";
import { noSuchPath } from "../http/errors/request-errors.ts";

const playground: Page = {
  title: "Playground · PDF Service",
  description: "Try every PDF operation of the API in the browser.",
  path: "/",
  entry: "playground",
};

const reference: Page = {
  title: "Reference · PDF Service",
  description:
    "All requests of the API: parameters, responses, errors, and events, with examples in curl, JavaScript, and Python.",
  path: "/docs",
  entry: "reference",
};

const notFound: Page = {
  title: "Not found · PDF Service",
  description: "This page does not exist.",
  path: "",
  entry: "reference",
  body: html`<div class="blank">
    <h1>This page does not exist</h1>
    <p><a href="/">Playground</a> · <a href="/docs">Reference</a></p>
  </div>`,
};

/** The response to a browser that asks for a page that does not exist; undefined for other clients, and below `/api/`. */
export async function missingPage(c: Context<AppEnv>): Promise<Response | undefined> {
  const wantsPage = c.req.header("Accept")?.includes("text/html") === true && !c.req.path.startsWith("/api/");
  if (!wantsPage) return undefined;
  const page = String(await renderPage(notFound, readEnv(c.env)));
  const headers = { ...siteHeaders, "Content-Type": "text/html; charset=UTF-8", "Cache-Control": "no-store" };
  return new Response(page, { status: 404, headers });
}

/**
 * Mounts the pages and the files they load, which scripts/build-site.ts puts into the static assets. `describe` returns the API
 * description for the URL at which clients reach the service.
 */
export function mountSite(app: Hono<AppEnv>, describe: (baseUrl: string) => unknown): void {
  const type = "text/html; charset=UTF-8";
  const playgroundPage = cachedDocument(type, async (env) => String(await renderPage(playground, env)));
  const describeAt = (baseUrl: string) => describe(baseUrl) as Description;
  const referencePage = cachedDocument(type, async (env) => {
    const body = renderReference(describeAt(env.baseUrl), await guidesIn(env));
    return compact(await renderPage({ ...reference, body }, env));
  });
  const search = cachedDocument("application/json", async (env) =>
    JSON.stringify(searchIndex(describeAt(env.baseUrl), await guidesIn(env))),
  );
  const guidePages = new Map<string, ReturnType<typeof cachedDocument>>();
  const guidePage = (id: string) =>
    cachedDocument(type, async (env) => {
      const guides = await guidesIn(env);
      const guide = guides.find((one) => one.id === id);
      if (guide === undefined) throw new Error(`there is no guide ${id}`);
      const body = renderGuide(describeAt(env.baseUrl), guides, guide);
      const title = `${guide.title} · PDF Service`;
      return compact(await renderPage({ ...reference, title, description: `${guide.title}: a guide.`, body }, env));
    });
  const operationTexts = new Map<string, ReturnType<typeof cachedDocument>>();
  const markdown = "text/markdown; charset=UTF-8";
  const plainTexts = {
    "/robots.txt": cachedDocument("text/plain; charset=UTF-8", ({ baseUrl }) => Promise.resolve(robots(baseUrl))),
    "/sitemap.xml": cachedDocument("application/xml", async (env) => sitemap(env.baseUrl, await guidesIn(env))),
    "/llms.txt": cachedDocument("text/plain; charset=UTF-8", async (env) =>
      llms(describeAt(env.baseUrl), env.baseUrl, await guidesIn(env)),
    ),
  };
  for (const [path, text] of Object.entries(plainTexts)) addPath(app, path, { GET: [(c) => text(c, siteHeaders)] });
  addPath(app, playground.path, { GET: [(c) => playgroundPage(c, siteHeaders)] });
  addPath(app, reference.path, { GET: [(c) => referencePage(c, siteHeaders)] });
  addPath(app, "/docs/search.json", { GET: [(c) => search(c, siteHeaders)] });
  addPath(app, "/docs/{guide}", {
    GET: [
      async (c) => {
        const id = c.req.param("guide") ?? "";
        if (id.endsWith(".md")) {
          const { baseUrl } = readEnv(c.env);
          const text = operationText(describeAt(baseUrl), baseUrl, id.slice(0, -".md".length));
          if (text === undefined) return c.notFound();
          const document = operationTexts.get(id) ?? cachedDocument(markdown, () => Promise.resolve(text));
          operationTexts.set(id, document);
          return document(c, siteHeaders);
        }
        if (!(await guidesIn(readEnv(c.env))).some((guide) => guide.id === id)) return c.notFound();
        const page = guidePages.get(id) ?? guidePage(id);
        guidePages.set(id, page);
        return page(c, siteHeaders);
      },
    ],
  });
  addPath(app, "/assets/:file{.+}", {
    GET: [(c) => serveAsset(c, new URL(c.req.url).pathname.slice("/assets".length))],
  });
  // Where package managers can install the clients from.
  for (const path of Object.values(clientPackages)) addPath(app, path, { GET: [(c) => serveAsset(c, path)] });
}

const guides = new WeakMap<Env, Promise<Guide[]>>();

/** The guides, whose texts scripts/build-site.ts puts into the static assets. */
function guidesIn(env: Env): Promise<Guide[]> {
  const reading = guides.get(env) ?? readGuides(env);
  guides.set(env, reading);
  reading.catch(() => guides.delete(env));
  return reading;
}

async function readGuides(env: Env): Promise<Guide[]> {
  const asset = await env.siteAsset("/guides.json", undefined);
  if (asset === undefined) throw new Error("the static assets have no guides.json: node scripts/build-site.ts");
  // The examples of the documents are for a service on the reader's own machine.
  return guidesOf(JSON.parse((await asset.text()).replaceAll("http://localhost:8787", env.baseUrl)) as Documents);
}

/** Without the line breaks and indentation of templates, which make up a third of a large page. */
const compact = (page: Awaited<ReturnType<typeof renderPage>>): string =>
  String(page)
    .split(/(<pre[^]*?<\/pre>)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/\s*\n\s*/g, "\n")))
    .join("");

/** Files whose content never changes under the same name: esbuild's chunks carry a hash, pdf.js its version. */
const IMMUTABLE = /-[A-Z0-9]{8}\.\w+$|\/pdfjs-[\d.]+\//;

async function serveAsset(c: Context<AppEnv>, path: string): Promise<Response> {
  const known = c.req.header("If-None-Match");
  const asset = await readEnv(c.env).siteAsset(path, known);
  if (asset === undefined) throw noSuchPath();
  const headers = new Headers(siteHeaders);
  for (const name of ["Content-Type", "ETag", "Content-Length"]) {
    const value = asset.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  headers.set("Cache-Control", IMMUTABLE.test(path) ? "public, max-age=31536000, immutable" : "no-cache");
  return new Response(asset.body, { status: asset.status, headers });
}
