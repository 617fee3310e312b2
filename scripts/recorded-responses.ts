import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./root.ts";
import { recorded, type RecordedResponse } from "./recorded-response.ts";
import type { Call } from "../src/site/description/call.ts";
import type { Description } from "../src/site/description/description.ts";
import { exampleCall } from "../src/site/reference/example.ts";
import { methodsOf } from "../src/site/reference/method-section.ts";
import { withService } from "../test/harness/requests/service.ts";

const letter = new Blob([await readFile(join(root, "examples/letter.pdf"))]);

/** The requests of one account. */
class Requests {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  /** The upload in parts that its examples continue. */
  #upload: string | undefined;

  constructor({ baseUrl, key }: { readonly baseUrl: string; readonly key: string }) {
    this.#baseUrl = baseUrl;
    this.#headers = { Authorization: `Bearer ${key}` };
  }

  async #post(path: string, body: FormData | object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.#baseUrl}/api/v1${path}`, {
      method: "POST",
      headers: { ...this.#headers, ...headers, ...(!isForm && { "Content-Type": "application/json" }) },
      body: isForm ? body : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return ((await response.json()) as { id: string }).id;
  }

  async #job(isOver: boolean): Promise<string> {
    const form = new FormData();
    form.append("file", letter, "letter.pdf");
    form.append("angle", "90");
    const id = await this.#post("/rotate", form, { Prefer: "respond-async" });
    if (isOver) await fetch(`${this.#baseUrl}/api/v1/jobs/${id}?wait=30`, { headers: this.#headers });
    return id;
  }

  async #file(name: string): Promise<string> {
    if (name === "uploadFilePart" || name === "completeFile") {
      this.#upload ??= await this.#post("/files", { name: "letter.pdf", size: letter.size });
      return this.#upload;
    }
    const form = new FormData();
    form.append("file", letter, "letter.pdf");
    return this.#post("/files", form);
  }

  /** Makes what the path of a method is about, and returns the values in the path. */
  async #ids(path: string, name: string): Promise<Readonly<Record<string, string>>> {
    if (!path.includes("{id}")) return {};
    if (path.includes("/files/")) return { ID: await this.#file(name), N: "1" };
    if (path.includes("/jobs/")) return { ID: await this.#job(name !== "cancelJob") };
    if (path.includes("/keys/")) return { ID: await this.#post("/keys", { name: "Deployment" }) };
    const id = await this.#post("/webhooks", { url: "https://example.com/hooks", events: ["operation.failed"] });
    if (!path.includes("{deliveryId}")) return { ID: id };
    return { ID: id, DELIVERY_ID: await this.#post(`/webhooks/${id}/test`, {}) };
  }

  /** Sends an example. */
  async response(path: string, name: string, call: Call): Promise<Response> {
    let { url } = call;
    for (const [placeholder, id] of Object.entries(await this.#ids(path, name)))
      url = url.replace(`/${placeholder}`, `/${id}`);
    const headers = { ...(call.key !== undefined && this.#headers), ...typeOf(call) };
    const body = await bodyOf(call);
    return fetch(url, { method: call.method, headers, ...(body !== undefined && { body }) });
  }
}

function typeOf({ body }: Call): Readonly<Record<string, string>> {
  if (body === undefined || "form" in body) return {};
  return { "Content-Type": "json" in body ? "application/json" : "application/octet-stream" };
}

async function bodyOf({ body }: Call): Promise<FormData | string | Blob | undefined> {
  if (body === undefined) return undefined;
  if ("json" in body) return JSON.stringify(body.json);
  if ("path" in body) return new Blob([await readFile(join(root, body.path))]);
  const form = new FormData();
  for (const entry of body.form) {
    if ("text" in entry) form.append(entry.name, entry.text);
    else form.append(entry.name, new Blob([await readFile(join(root, entry.file.path))]), entry.file.name);
  }
  return form;
}

/**
 * The responses that `/docs` shows beside its examples, by the path of their file: every example request is sent to a service with a new
 * account.
 */
export async function recordedResponses(): Promise<Map<string, string>> {
  const responses = await withService(async (service) => {
    const { baseUrl } = service;
    const description = (await (await fetch(`${baseUrl}/api/v1/openapi.json`)).json()) as Description;
    const requests = new Requests(service);
    const found: Record<string, RecordedResponse> = {};
    for (const { id, verb, path, method } of methodsOf(description.paths)) {
      // Its response is the document that all of this is made from.
      if (id === "openapi") continue;
      const call = exampleCall(baseUrl, verb, path, method);
      found[id] = await recorded(await requests.response(path, id, call), baseUrl);
    }
    return found;
  });
  return new Map([
    [join(root, "src/site/reference/recorded-responses.json"), `${JSON.stringify(responses, null, 2)}\n`],
  ]);
}
