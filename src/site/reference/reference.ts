import { clientPackages } from "../client-packages.ts";
import { html } from "hono/html";
import type { Description } from "../description/description.ts";
import { type Chapter, documentationPage } from "./contents.ts";
import type { Guide } from "./guides.ts";
import { prose, rendered } from "./markdown.ts";
import { errorList, headerTable } from "./responses.ts";
import { isOperation, objectAnchor, type SharedFacts, sharedFacts } from "./shared-facts.ts";
import { highlighted, KEY_VARIABLE } from "./example.ts";
import { memberRows, parameterRow, table } from "./members.ts";
import { type Described, eventSection, methodSection, methodsOf } from "./method-section.ts";
import { type Html, inline } from "./prose.ts";

/** The reference as the main part of a page, derived entirely from the description. */
export function renderReference(description: Description, guides: readonly Guide[]): Html {
  const chapters = chaptersOf(description);
  return documentationPage(guides, chapters, undefined, html`${chapters.map(chapter)}`);
}

/** A guide as the main part of a page. */
export function renderGuide(description: Description, guides: readonly Guide[], guide: Guide): Html {
  const text = html`<section class="guide">
    <h1>${guide.title}</h1>
    ${rendered(guide.blocks, guide.target)}
  </section>`;
  return documentationPage(guides, chaptersOf(description), guide, text);
}

function chaptersOf(description: Description): Chapter[] {
  const baseUrl = description.servers[0]?.url ?? "";
  const calls = methodsOf(description.paths);
  const events = methodsOf(description.webhooks ?? {});
  const shared = sharedFacts(
    description,
    calls.map(({ method }) => method),
  );
  return [
    start(description, baseUrl),
    ...tagsOf(description, calls).map(({ name, description: about }) => ({
      id: anchor(name),
      name,
      about: () => prose(about),
      methods: calls
        .filter(({ method }) => method.tags[0] === name)
        .map((call) => ({
          id: call.id,
          name: navName(call),
          section: () => methodSection(description, call, baseUrl, shared),
        })),
    })),
    ...(events.length > 0 ? [eventChapter(description, events)] : []),
    objectChapter(description, shared),
    {
      id: "headers",
      name: "Headers",
      about: () => headerTable("Headers of most operations", description, [...shared.headers], true),
      methods: [],
    },
    errorChapter(description, calls),
  ];
}

/** The tags listed in the description, plus those that only methods name. */
function tagsOf({ tags }: Description, calls: readonly Described[]): Description["tags"] {
  const named = new Set(calls.flatMap(({ method }) => method.tags.slice(0, 1)));
  return [
    ...tags,
    ...[...named.difference(new Set(tags.map(({ name }) => name)))].map((name) => ({ name, description: "" })),
  ];
}

/** An operation by its name, everything else by its summary. */
const navName = ({ id, method }: Described): string => (isOperation(method) ? id : method.summary);

/** Distinct from the anchors of methods, which have no capitals or no dashes. */
const anchor = (name: string): string => `about-${name.toLowerCase().replaceAll(" ", "-")}`;

const chapter = ({ id, name, about, methods }: Chapter, index: number): Html =>
  html`<section class="chapter" id="${id}" aria-labelledby="${id}-title">
    <header>
      ${index === 0 ? html`<h1 id="${id}-title">${name}</h1>` : html`<h2 id="${id}-title">${name}</h2>`} ${about()}
    </header>
    ${methods.map(({ section }) => section())}
  </section>`;

function start(description: Description, baseUrl: string): Chapter {
  const { info, components } = description;
  return {
    id: "about",
    name: info.title,
    about: () =>
      html`${prose(info.description)}
        <dl class="facts">
          <dt>Base URL</dt>
          <dd><code>${baseUrl}</code></dd>
          <dt>Authentication</dt>
          <dd>
            ${Object.values(components.securitySchemes).map(({ description }) => inline(description))} Send it in the
            header <code>Authorization: Bearer …</code>. The examples read it from the environment:
            <code>export ${KEY_VARIABLE}=sk_test_...</code>
          </dd>
          <dt>Examples</dt>
          <dd>
            They use the files in the <code>examples/</code> folder of the source. TypeScript and Python use the
            clients, which this service has as packages: <code>npm install ${baseUrl}${clientPackages.npm}</code> and
            <code>pip install ${baseUrl}${clientPackages.pip}</code>
          </dd>
          <dt>OpenAPI</dt>
          <dd><a href="/api/v1/openapi.json">openapi.json</a>, which this page is generated from</dd>
          <dt>Version</dt>
          <dd>${info.version}</dd>
        </dl>`,
    methods: [],
  };
}

function eventChapter(description: Description, events: readonly Described[]): Chapter {
  const parameters = events[0]?.method.parameters ?? [];
  const responses = Object.entries(events[0]?.method.responses ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    id: "events",
    name: "Events",
    about: () =>
      html`${table("Headers of every delivery", parameters.map(parameterRow), { anchor: "events" })}
        <table class="members">
          <caption>
            Your response
          </caption>
          <tbody>
            ${responses.map(
              ([status, response]) =>
                html`<tr>
                  <th scope="row"><code>${status}</code></th>
                  <td>${"description" in response ? inline(response.description) : ""}</td>
                </tr>`,
            )}
          </tbody>
        </table>`,
    methods: events.map((event) => ({
      id: event.id,
      name: event.path,
      section: () => eventSection(description, event),
    })),
  };
}

/** The objects that several responses have, each described once. */
function objectChapter(description: Description, { objects }: SharedFacts): Chapter {
  return {
    id: "objects",
    name: "Objects",
    about: () => [],
    methods: [...objects].map(([name, schema]) => ({
      id: objectAnchor(name),
      name,
      section: () =>
        html`<section class="method" id="${objectAnchor(name)}" aria-labelledby="${objectAnchor(name)}-title">
          <div class="about">
            <h3 id="${objectAnchor(name)}-title"><a href="#${objectAnchor(name)}">${name}</a></h3>
            ${table("JSON fields", memberRows(description, schema), { marked: "optional", anchor: objectAnchor(name) })}
          </div>
        </section>`,
    })),
  };
}

function errorChapter(description: Description, calls: readonly Described[]): Chapter {
  const schema = description.components.schemas["Error"];
  const shape = '{ "error": { "code": "invalid_parameters", "message": "...", "details": { "fields": [] } } }';
  return {
    id: "errors",
    name: "Errors",
    about: () =>
      html`<pre class="code" tabindex="0"><code>${highlighted(shape, "JSON")}</code></pre>
        ${
          schema === undefined
            ? ""
            : table(
                "Fields",
                memberRows(description, schema).map((row) => ({ ...row, notes: [] })),
                { anchor: "errors", marked: "optional" },
              )
        }
        ${errorList(
          description,
          calls.map(({ method }) => method),
        )}`,
    methods: [],
  };
}
