import { newKey, senderTo } from "../http/echo-service.ts";
import { operations } from "../../src/operations/index.ts";

const send = senderTo(...operations);
const business = await newKey("business");

export type Parts = Readonly<Record<string, string | Uint8Array>>;
export type Steps = readonly Readonly<Record<string, unknown>>[];

export interface Sender {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a form to an operation. */
export async function post(
  path: string,
  parts: Parts,
  { key = business, headers = {} }: Sender = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, new Blob([value.slice()]), `${name}.pdf`);
  }
  return send(`/api/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
}

export const pipeline = (steps: Steps, parts: Parts, sender?: Sender): Promise<Response> =>
  post("pipeline", { ...parts, steps: JSON.stringify(steps) }, sender);

/** Parameters of a step as a request of its own has them. */
export const asTexts = (parameters: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
  );

/** What `X-Pipeline-Steps` tells. */
export const stepsOf = (response: Response): readonly { operation: string; pages?: number; bytes?: number }[] =>
  JSON.parse(response.headers.get("X-Pipeline-Steps") ?? "[]") as [];
