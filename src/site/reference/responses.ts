import { html, raw } from "hono/html";
import type { Description, Header, Method, Reference, Response } from "../description/description.ts";
import { breakable, memberRows, table } from "./members.ts";
import { type Html, inline } from "./prose.ts";
import { resolve } from "./resolve.ts";

type Described = Readonly<Record<string, Response | Reference>>;

/** The responses of a method: headers and members of a success, the codes of each error. */
export function responseSection(description: Description, responses: Described, common: ReadonlySet<string>): Html {
  const all = Object.entries(responses).map(([status, given]) => ({ status, ...resolve(description, given) }));
  const successes = all.filter(({ status }) => !/^[45]/.test(status));
  const failures = all.filter(({ status }) => /^[45]/.test(status));
  return html`<h4>Responses</h4>
    ${successes.map(({ status, ...response }) => success(description, status, response, common))}
    ${failures.length === 0 ? "" : failureTable(failures)}`;
}

function success(description: Description, status: string, response: Response, common: ReadonlySet<string>): Html {
  const { headers = {}, content = {} } = response;
  const types = Object.keys(content);
  const own = Object.entries(headers).filter(([name]) => !common.has(name));
  const shared = Object.keys(headers).filter((name) => common.has(name));
  const schema = content["application/json"]?.schema;
  return html`<p class="answer">
      <b class="status">${status}</b> ${
        types.length > 0
          ? types.map((type, index) => html`${index > 0 ? " or " : ""}<code>${type}</code>`)
          : inline(response.description)
      }
    </p>
    ${own.length === 0 ? "" : headerTable("Headers", description, own)}
    ${
      shared.length === 0
        ? ""
        : html`<p class="also">
            ${own.length > 0 ? "Also: " : "Headers: "}${shared.map(
              (name, index) => html`${index > 0 ? ", " : ""}<a href="#header-${name}"><code>${name}</code></a>`,
            )}.
          </p>`
    }
    ${schema === undefined ? "" : table("JSON fields", memberRows(description, schema), "optional")}`;
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

function failureTable(failures: readonly ({ readonly status: string } & Response)[]): Html {
  return html`<table class="failures">
    <caption>
      Errors
    </caption>
    <tbody>
      ${failures.map(
        (failure) =>
          html`<tr>
            <th scope="row">${failure.status}</th>
            <td>${codesOf(failure).map((code) => html`<a href="#error-${code}"><code>${code}</code></a> `)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

const codesOf = ({ content = {} }: Response): string[] => Object.keys(content["application/json"]?.examples ?? {});

/** The headers of most responses of operations, described once. */
export function commonHeaders(description: Description, methods: readonly Method[]): Map<string, Header | Reference> {
  const forms = methods.filter(({ requestBody }) => requestBody?.content["multipart/form-data"] !== undefined);
  const carried = forms.flatMap(({ responses }) => {
    const given = responses["200"];
    return given === undefined ? [] : Object.entries(resolve(description, given).headers ?? {});
  });
  const count = (name: string): number => carried.filter(([other]) => other === name).length;
  return new Map(carried.filter(([name]) => count(name) > forms.length / 2));
}

/** Every error once, under its status: the description of a response has a paragraph for each code, which begins with it. */
export function errorList(description: Description, methods: readonly Method[]): Html {
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
  const byStatus = [...found].toSorted(([, a], [, b]) => Number(a.status) - Number(b.status));
  return html`<table class="members errors">
    <thead class="visually-hidden">
      <tr>
        <th scope="col">Status and code</th>
        <th scope="col">When</th>
      </tr>
    </thead>
    <tbody>
      ${byStatus.map(
        ([code, { status, about }]) =>
          html`<tr id="error-${code}">
            <th scope="row"><code>${breakable(code)}</code> <span class="type">${status}</span></th>
            <td><p>${inline(about)}</p></td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
