import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { PlanName } from "../../src/accounts/plans.ts";
import { operations } from "../../src/operations/index.ts";
import { newKey } from "../http/echo-service.ts";

export const app = createApp(operations);

/** Calls an operation through the whole service, within the Worker, and waits until all that it left running has ended. */
export async function operationService(name: string, bindings: object = env, plan: PlanName = "business") {
  const key = await newKey(plan);
  return async (file: Uint8Array, fields: Readonly<Record<string, string>> = {}, token = key): Promise<Response> => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    form.append(name === "from-images" ? "image0" : "file", new Blob([file.slice()]), "report.pdf");
    const context = createExecutionContext();
    const waited = vi.spyOn(context, "waitUntil");
    // As clients send it: with its length.
    const encoded = new Response(form);
    const type = encoded.headers.get("Content-Type") ?? "";
    const sent = await encoded.arrayBuffer();
    const request = new Request(`http://localhost/api/v1/${name}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": type,
        "Content-Length": String(sent.byteLength),
      },
      body: sent,
    });
    const response = await app.fetch(request, bindings, context);
    const body = await response.arrayBuffer();
    await Promise.all(waited.mock.calls.flat());
    return new Response(body, response);
  };
}
