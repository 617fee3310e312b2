import { html, raw } from "hono/html";
import type { Guide } from "./guides.ts";
import type { Html } from "./prose.ts";

/** A part of the reference, with the methods that have a place of their own in the contents. */
export interface Chapter {
  readonly id: string;
  readonly name: string;
  about(): Html | readonly Html[];
  readonly methods: readonly { readonly id: string; readonly name: string; section(): Html }[];
}

/** A page of the documentation: search and contents beside the text. `guide`: the one that is shown, if it is one. */
export function documentationPage(
  guides: readonly Guide[],
  chapters: readonly Chapter[],
  guide: Guide | undefined,
  text: Html,
): Html {
  const reference = guide === undefined ? "" : "/docs";
  return html`<div class="reference">
    <div class="contents">
      ${search}
      <nav aria-label="Contents">
        <details open>
          <summary>Contents</summary>
          <h2>Guides</h2>
          <ul>
            ${guides.map(
              ({ id, title }) =>
                html`<li><a href="/docs/${id}" ${id === guide?.id ? raw('aria-current="page"') : ""}>${title}</a></li>`,
            )}
          </ul>
          ${chapters.map(
            ({ id, name, methods }) =>
              html`<h2><a href="${reference}#${id}">${name}</a></h2>
                ${
                  methods.length === 0
                    ? ""
                    : html`<ul>
                        ${methods.map(({ id, name }) => html`<li><a href="${reference}#${id}">${name}</a></li>`)}
                      </ul>`
                }`,
          )}
        </details>
      </nav>
    </div>
    <article>${text}</article>
  </div>`;
}

/** Filled by the page's script, and only shown where there is one. */
const search = html`<search>
  <input
    type="search"
    role="combobox"
    aria-label="Search the documentation"
    aria-expanded="false"
    aria-controls="found"
    aria-autocomplete="list"
    aria-keyshortcuts="/ Control+K"
    placeholder="Search"
    autocomplete="off"
    spellcheck="false"
  />
  <kbd aria-hidden="true">/</kbd>
  <div id="found" role="listbox" aria-label="Search results" hidden></div>
</search>`;
