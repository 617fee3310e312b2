import { html, raw } from "hono/html";
import { type Html } from "./reference/prose.ts";
import type { Env } from "../env.ts";
import { version } from "../version.ts";

/**
 * A page: the server renders its frame; its content comes from its script (`<entry>.js`, with `<entry>.css`) or from `body`.
 */
export interface Page {
  readonly title: string;
  /** For search engines. */
  readonly description: string;
  readonly path: string;
  /** `<entry>.page.ts` or `.tsx` in src/site/browser/. */
  readonly entry: string;
  /** The main part, if rendered on the server. */
  readonly body?: Html;
}

const links = [
  ["/", "Playground"],
  ["/#/files", "Files"],
  ["/#/jobs", "Jobs"],
  ["/#/keys", "Keys"],
  ["/#/usage", "Usage"],
  ["/#/webhooks", "Webhooks"],
  ["/docs", "Reference"],
] as const;

const needsJavaScript = html`<noscript
  ><p class="notice">
    This page needs JavaScript. The <a href="/docs">reference</a> does not, and neither does the API:
    <a href="/api/v1/openapi.json">openapi.json</a>.
  </p></noscript
>`;

/** The full document. `sourceUrl` is where the source of this deployment is offered (AGPL, section 13). */
export function renderPage(page: Page, { sourceUrl, isSingleTenant }: Pick<Env, "sourceUrl" | "isSingleTenant">) {
  return html`<!doctype html>
    <html lang="en" ${isSingleTenant ? raw('data-auth="single"') : ""}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${page.description}" />
        <title>${page.title}</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/${page.entry}.css" />
        <script src="/assets/theme.js"></script>
        <script type="module" src="/assets/${page.entry}.js"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="bar">
          <a class="brand" href="/"
            ><img src="/assets/icon.svg" alt="" width="22" height="22" /><span>PDF Service</span></a
          >
          <nav aria-label="Main" id="links">
            ${links.map(
              ([href, name]) =>
                html`<a href="${href}" ${href === page.path ? raw(' aria-current="page"') : ""}>${name}</a>`,
            )}
            <a href="${sourceUrl}" rel="external">Source</a>
          </nav>
          <div id="account"></div>
          <select id="theme" aria-label="Theme" hidden>
            <option value="">System</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </header>
        <main id="main" tabindex="-1">${page.body ?? needsJavaScript}</main>
        <footer class="foot">
          <span>Version ${version}</span>
          <a href="/api/v1/openapi.json">openapi.json</a>
          <a href="${sourceUrl}" rel="external">Source code, AGPL-3.0-or-later</a>
        </footer>
      </body>
    </html>`;
}
