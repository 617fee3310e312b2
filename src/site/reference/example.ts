import { html } from "hono/html";
import type { Call, ClientCall } from "../description/call.ts";
import type { Method, Operation } from "../description/description.ts";
import { operationOf } from "../description/description.ts";
import { exampleEntries } from "../description/example.ts";
import { tokens } from "../description/highlight.ts";
import { type Language, languages, snippet } from "../description/snippets.ts";
import { resultFile } from "../description/result-file.ts";
import type { Html } from "./prose.ts";

/** The environment variable from which the examples read the key. */
export const KEY_VARIABLE = "PDF_SERVICE_KEY";

/** The type of bodies that are the bytes of a file, and the file of `examples/` that stands for them. */
const BYTES = "application/octet-stream";
const FILE = "letter.pdf";

/** An example request: with the parameters of the method's example, and `ID` for an ID in the path. */
export function exampleCall(baseUrl: string, verb: string, path: string, method: Method): Call {
  const operation = operationOf(path, method);
  const form = operation && exampleEntries(operation);
  const [json] = method.requestBody?.content["application/json"]?.schema?.examples ?? [];
  const isUpload = method.requestBody?.content[BYTES] !== undefined;
  const body = form ? { form } : json !== undefined ? { json } : isUpload ? { path: `examples/${FILE}` } : undefined;
  const { "200": success } = method.responses;
  const isFile = success !== undefined && "content" in success && success.content?.[BYTES] !== undefined;
  return {
    method: verb.toUpperCase(),
    client: clientCall(path, method, operation),
    url: `${baseUrl}${path.replace(/\{(\w+)\}/g, (_, name: string) => placeholder(name))}`,
    key: method.security?.length === 0 ? undefined : { variable: KEY_VARIABLE },
    body,
    file: operation && form ? resultFile(operation, form) : isFile ? FILE : undefined,
  };
}

/** The method of the client. An upload in one request has one that is not generated: it sends a large file in parts. */
function clientCall(path: string, { operationId = "" }: Method, operation: Operation | undefined): ClientCall {
  const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => placeholder(name));
  if (operation === undefined) return { method: operationId, ids };
  const isUpload = operationId === "createFile";
  return { method: isUpload ? "uploadFile" : operationId, ids, fields: operation.fields };
}

/** `deliveryId` becomes `DELIVERY_ID`. */
const placeholder = (name: string): string => name.replace(/(?=[A-Z])/g, "_").toUpperCase();

/** The request in each language. Radio buttons choose the language, so that it works without the page's script. */
export function exampleBlock(id: string, call: Call): Html {
  return html`<fieldset class="example" data-example>
    <legend class="visually-hidden">Language of the example</legend>
    ${languages.map(
      (language, index) =>
        html`<input
            type="radio"
            class="pick"
            name="language-${id}"
            id="language-${id}-${language}"
            value="${language}"
            ${index === 0 ? "checked" : ""}
          /><label for="language-${id}-${language}">${language}</label>`,
    )}
    ${languages.map((language) => code(language, snippet(language, call)))}
  </fieldset>`;
}

const code = (language: Language, text: string): Html =>
  html`<pre class="code" tabindex="0" data-language="${language}" aria-label="${language}"><code>${highlighted(
    text,
    language,
  )}</code></pre>`;

/** How the languages read the key from the environment: the page's script puts the visitor's own in its place. */
const KEYS = new RegExp(
  String.raw`(\$\{process\.env\.${KEY_VARIABLE}\}|process\.env\.${KEY_VARIABLE}|\{os\.environ\['${KEY_VARIABLE}'\]\}|os\.environ\['${KEY_VARIABLE}'\]|\$${KEY_VARIABLE}\b)`,
);

/** A snippet or JSON with syntax highlighting. */
export const highlighted = (text: string, language: Language | "JSON" | undefined): Html[] =>
  (language === undefined ? [{ text, kind: undefined }] : tokens(text, language)).map(({ text, kind }) =>
    kind === undefined ? html`${withKey(text)}` : html`<span class="${kind}">${withKey(text)}</span>`,
  );

const withKey = (text: string): (string | Html)[] =>
  text
    .split(KEYS)
    .map((part, index) =>
      index % 2 === 0
        ? part
        : html`<span data-key="${/^(?:process|os)/.test(part) ? "quoted" : "plain"}">${part}</span>`,
    );
