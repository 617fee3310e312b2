import { html } from "hono/html";
import { highlighted } from "./example.ts";
import type { Html } from "./prose.ts";
import all from "./recorded-responses.json" with { type: "json" };

interface Recorded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly shortened?: boolean;
}

const responses: Readonly<Record<string, Recorded>> = all;

/** What a service responded with to the example request, written by `npm run generate -- responses`. */
export function recordedResponse(id: string): Html | "" {
  const recorded = responses[id];
  if (recorded === undefined) return "";
  const { status, headers, json, shortened = false } = recorded;
  const head = [`HTTP/1.1 ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  // In an expression, because the formatter takes line breaks of a template for space.
  const text = json === undefined ? head.join("\n") : `${head.join("\n")}\n\n`;
  return html`<div class="example answered">
    <span class="caption">Response${shortened ? ", shortened" : ""}</span>
    <pre
      class="code"
      tabindex="0"
      aria-label="Response"
    ><code>${text}${json === undefined ? "" : highlighted(JSON.stringify(json, null, 2), "JSON")}</code></pre>
  </div>`;
}
