import { html } from "hono/html";
import { type Description, type Method, operationOf } from "../description/description.ts";
import { recordedResponse } from "./recorded.ts";
import { responseSection } from "./responses.ts";
import { exampleBlock, exampleCall } from "./example.ts";
import { fieldRows, memberRows, parameterRow, table } from "./members.ts";
import { prose } from "./markdown.ts";
import type { Html } from "./prose.ts";
import { isOperation, type SharedFacts } from "./shared-facts.ts";

/** A method of a path, with the ID of its anchor. */
export interface Described {
  readonly id: string;
  readonly verb: string;
  readonly path: string;
  readonly method: Method;
}

/**
 * All methods of the API, or all requests it sends (`webhooks`). The anchor of an operation is its name, that of an event its
 * type.
 */
export function methodsOf(paths: Description["paths"]): Described[] {
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, method]) => ({
      id: operationOf(path, method)?.name ?? method.operationId ?? path,
      verb,
      path,
      method,
    })),
  );
}

/** One method: its purpose, parameters, responses, and code examples. */
export function methodSection(
  description: Description,
  { id, verb, path, method }: Described,
  baseUrl: string,
  shared: SharedFacts,
): Html {
  const { summary, description: about = "", parameters = [], responses } = method;
  const operation = operationOf(path, method);
  const json = method.requestBody?.content["application/json"]?.schema;
  return html`<section class="method" id="${id}" aria-labelledby="${id}-title">
    <div class="about">
      ${title(id, summary)}
      <p class="endpoint">
        <span class="verb">${verb.toUpperCase()}</span> <code>${path}</code>
        ${operation === undefined ? "" : html`<a href="/#/${operation.name}">Try it</a>`}
      </p>
      ${prose(about)}
      ${
        operation === undefined
          ? ""
          : table(
              "Form fields",
              operation.fields.flatMap((field) => fieldRows(description, field)),
              { anchor: id },
            )
      }
      ${json === undefined ? "" : table("Body", memberRows(description, json), { anchor: operation ? `${id}.json` : id })}
      ${table("Parameters", parameters.map(parameterRow), { anchor: id })}
      ${responseSection(description, { id, responses, isOperation: isOperation(method) }, shared)}
    </div>
    <div class="sample">${exampleBlock(id, exampleCall(baseUrl, verb, path, method))} ${recordedResponse(id)}</div>
  </section>`;
}

/** A request sent to a subscriber. */
export function eventSection(description: Description, { id, method }: Described): Html {
  const body = method.requestBody?.content["application/json"]?.schema;
  return html`<section class="method event" id="${id}" aria-labelledby="${id}-title">
    <div class="about">
      ${title(id, method.summary)} ${prose(method.description ?? "")}
      ${body === undefined ? "" : table("Body", memberRows(description, body), { anchor: id, marked: "optional" })}
    </div>
  </section>`;
}

const title = (id: string, summary: string): Html => html`<h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>`;
