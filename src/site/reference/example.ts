import { html } from "hono/html";
import type { Method } from "../description/description.ts";
import { operationOf } from "../description/description.ts";
import { exampleEntries } from "../description/example.ts";
import { tokens } from "../description/highlight.ts";
import { type Call, type Language, languages, snippet } from "../description/snippets.ts";
import { resultFile } from "../description/result-file.ts";
import type { Html } from "./prose.ts";

/** The environment variable from which the examples read the key. */
export const KEY_VARIABLE = "API_KEY";

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
    url: `${baseUrl}${path.replace(/\{(\w+)\}/g, (_, name: string) => placeholder(name))}`,
    key: method.security?.length === 0 ? undefined : { variable: KEY_VARIABLE },
    body,
    file: operation && form ? resultFile(operation, form) : isFile ? FILE : undefined,
  };
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

/** A snippet or JSON with syntax highlighting. */
export const highlighted = (text: string, language: Language | "JSON"): Html[] =>
  tokens(text, language).map(({ text, kind }) =>
    kind === undefined ? html`${text}` : html`<span class="${kind}">${text}</span>`,
  );
