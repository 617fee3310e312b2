import { html, raw } from "hono/html";
import type { Description, Header, Method, Reference, Response } from "../description/description.ts";
import { breakable, memberRows, table } from "./members.ts";
import { type Html, inline } from "./prose.ts";
import { resolve } from "./resolve.ts";
import { codesOf, objectAnchor, objectName, type SharedFacts } from "./shared-facts.ts";

interface Described {
  /** The anchor of the method. */
  readonly id: string;
  readonly responses: Method["responses"];
  readonly isOperation: boolean;
}

/** The responses of a method: headers and members of a success, and its errors. */
export function responseSection(description: Description, method: Described, shared: SharedFacts): Html {
  const all = Object.entries(method.responses).map(([status, given]) => ({ status, ...resolve(description, given) }));
  const successes = all.filter(({ status }) => !/^[45]/.test(status));
  const failures = all.filter(({ status }) => /^[45]/.test(status));
  return html`<h4>Responses</h4>
    ${successes.map(({ status, ...response }) => success(description, `${method.id}.response`, status, response, shared))}
    ${failures.length === 0 ? "" : failureTable(failures, method.isOperation, shared)}`;
}

function success(
  description: Description,
  anchor: string,
  status: string,
  response: Response,
  { headers: common, objects }: SharedFacts,
): Html {
  const { headers = {}, content = {} } = response;
  const types = Object.keys(content);
  const own = Object.entries(headers).filter(([name]) => !common.has(name));
  const also = Object.keys(headers).filter((name) => common.has(name));
  const schema = content["application/json"]?.schema;
  const object = objectName(schema ?? {});
  const isShared = object !== undefined && objects.has(object);
  return html`<p class="answer">
      <b class="status">${status}</b> ${
        types.length > 0
          ? types.map((type, index) => html`${index > 0 ? " or " : ""}<code>${type}</code>`)
          : inline(response.description)
      }${isShared ? html`: <a href="#${objectAnchor(object)}">${object}</a>` : ""}
    </p>
    ${own.length === 0 ? "" : headerTable("Headers", description, own)}
    ${
      also.length === 0
        ? ""
        : html`<p class="also">
            ${own.length > 0 ? "Also: " : "Headers: "}${also.map(
              (name, index) => html`${index > 0 ? ", " : ""}<a href="#header-${name}"><code>${name}</code></a>`,
            )}.
          </p>`
    }
    ${
      schema === undefined || isShared
        ? ""
        : table("JSON fields", memberRows(description, schema, objects), { anchor, marked: "optional" })
    }`;
}

export function headerTable(
  caption: string,
  description: Description,
  headers: readonly (readonly [string, Header | Reference])[],
  anchors = false,
): Html {
  return html`<table class="members">
    <caption>
      ${caption}
    </caption>
    <tbody>
      ${headers.map(
        ([name, header]) =>
          html`<tr ${anchors ? raw(` id="header-${name}"`) : ""}>
            <th scope="row"><code>${name}</code></th>
            <td><p>${inline(resolve(description, header).description)}</p></td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** The method's own errors in the open; those that others like it have too are folded. */
function failureTable(
  failures: readonly ({ readonly status: string } & Response)[],
  isOperation: boolean,
  { errors }: SharedFacts,
): Html {
  const common = isOperation ? errors.operations : errors.endpoints;
  const all = failures.flatMap(({ status, ...failure }) => codesOf(failure).map((code) => ({ status, code })));
  const own = all.filter(({ code }) => !common.has(code));
  const others = all.filter(({ code }) => common.has(code));
  return html`<div class="failures">
    <h5>Errors</h5>
    ${own.length === 0 ? "" : codeList(own)}
    ${
      others.length === 0
        ? ""
        : html`<details>
            <summary>
              ${own.length === 0 ? "The" : "And the"} errors of all ${isOperation ? "operations" : "requests"}
            </summary>
            ${codeList(others)}
          </details>`
    }
  </div>`;
}

const codeList = (errors: readonly { readonly status: string; readonly code: string }[]): Html =>
  html`<ul>
    ${errors.map(
      ({ status, code }) =>
        html`<li>
          ${status} <a href="#error-${code}"><code>${code}</code></a>
        </li>`,
    )}
  </ul>`;

/** Every error once, under its status: the description of a response has a paragraph for each code, which begins with it. */
export function errorsIn(
  description: Description,
  methods: readonly Method[],
): Map<string, { readonly status: string; readonly about: string }> {
  const named = methods.flatMap(({ responses }) => Object.entries(responses));
  // Such as `Public405`.
  const shared = Object.entries(description.components.responses).map(
    ([name, given]) => [name.slice(-3), given] as const,
  );
  const found = new Map<string, { status: string; about: string }>();
  for (const [status, given] of [...named, ...shared]) {
    const response = resolve(description, given);
    const paragraphs = response.description.split("\n\n");
    for (const code of codesOf(response)) {
      const start = `\`${code}\`: `;
      const about = paragraphs.find((paragraph) => paragraph.startsWith(start))?.slice(start.length) ?? "";
      if (!found.has(code)) found.set(code, { status, about });
    }
  }
  return new Map([...found].toSorted(([, a], [, b]) => Number(a.status) - Number(b.status)));
}

export function errorList(description: Description, methods: readonly Method[]): Html {
  return html`<table class="members errors">
    <thead class="visually-hidden">
      <tr>
        <th scope="col">Status and code</th>
        <th scope="col">When</th>
      </tr>
    </thead>
    <tbody>
      ${[...errorsIn(description, methods)].map(
        ([code, { status, about }]) =>
          html`<tr id="error-${code}">
            <th scope="row"><code>${breakable(code)}</code> <span class="type">${status}</span></th>
            <td><p>${inline(about)}</p></td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
