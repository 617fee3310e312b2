import type { Context, Hono } from "hono";
import { ApiError } from "../http/errors.ts";
import { addPath, type AppEnv } from "../http/exchange.ts";
import { readEnv } from "../env.ts";
import { type Page, renderPage } from "./page.ts";
import { siteHeaders } from "./headers.ts";

const playground: Page = {
  title: "PDF service: playground",
  description: "Try every PDF operation of the API in the browser.",
  path: "/",
  entry: "playground",
};

/** The pages, and the files that they load: what scripts/build-site.ts puts into the static assets. */
export function mountSite(app: Hono<AppEnv>): void {
  for (const page of [playground]) addPath(app, page.path, { GET: [async (c) => answerPage(c, page)] });
  addPath(app, "/assets/:file{.+}", { GET: [(c) => answerAsset(c)] });
}

function answerPage(c: Context<AppEnv>, page: Page): Response | Promise<Response> {
  return c.html(renderPage(page, readEnv(c.env).sourceUrl), 200, { ...siteHeaders, "Cache-Control": "no-cache" });
}

/** What the name says cannot change: esbuild's chunks carry a hash, pdf.js its version. */
const IMMUTABLE = /-[A-Z0-9]{8}\.\w+$|\/pdfjs-[\d.]+\//;

async function answerAsset(c: Context<AppEnv>): Promise<Response> {
  const { pathname } = new URL(c.req.url);
  const known = c.req.header("If-None-Match");
  const asset = await readEnv(c.env).siteAsset(pathname.slice("/assets".length), known);
  if (asset === undefined) throw new ApiError("not_found", "There is nothing at this path.");
  const headers = new Headers(siteHeaders);
  for (const name of ["Content-Type", "ETag", "Content-Length"]) {
    const value = asset.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  headers.set("Cache-Control", IMMUTABLE.test(pathname) ? "public, max-age=31536000, immutable" : "no-cache");
  return new Response(asset.body, { status: asset.status, headers });
}
