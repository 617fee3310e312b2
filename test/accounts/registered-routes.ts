import { consumeOnce, operationForm } from "../jobs/job-service.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { type Made, newAccount, send, type Sent, sendRaw } from "./account-service.ts";
import type { Scope } from "../../src/accounts/scopes.ts";
import { scopesOfEndpoint, type Upload } from "../../src/http/endpoints/define.ts";
import { endpoints } from "../../src/http/endpoints/index.ts";
import { operations } from "../../src/operations/index.ts";
import { scopesOf } from "../../src/operations/definition/modes.ts";

/** A route that asks for a key, whatever registry it stands in. */
export interface Route {
  readonly method: string;
  /** Below `/api/v1`, ids in braces. */
  readonly path: string;
  /** A key needs one of these. */
  readonly anyOf: readonly Scope[];
  /**
   * A body that the route takes, as JSON or as it is sent; undefined for operations, which say 415 to a request without a form.
   */
  readonly body: unknown;
}

/** Every route of the service that asks for a key. */
export const routes: readonly Route[] = [
  ...operations.map((operation) => ({
    method: "POST",
    path: `/${operation.name}`,
    anyOf: scopesOf(operation),
    body: undefined,
  })),
  ...endpoints.map(({ method, path, scope, body, upload }) => ({
    method,
    path,
    anyOf: scopesOfEndpoint({ scope }),
    body: upload === undefined ? exampleOf(path, body) : uploadOf(upload),
  })),
];

export const idRoutes = routes.filter(({ path }) => path.includes("{id}"));

export const titleOf = ({ method, path }: Route): string => `${method} ${path}`;

/** A small file, as the route takes it. */
function uploadOf({ type }: Upload): FormData | Uint8Array {
  const bytes = new TextEncoder().encode("a small file");
  if (type === "application/octet-stream") return bytes;
  const form = new FormData();
  form.append("file", new File([bytes], "small.txt"));
  return form;
}

/** The first example of a body's schema, which the schema has to take. */
function exampleOf(path: string, schema: (typeof endpoints)[number]["body"]): unknown {
  if (schema === undefined) return undefined;
  const [example] = (schema.meta()?.["examples"] ?? []) as unknown[];
  if (example === undefined || !schema.safeParse(example).success) {
    throw new Error(`${path}: the body's schema needs an example that it takes, .meta({ examples: [...] })`);
  }
  return example;
}

/** The deliveries that `makeThing` made, by their webhooks. */
const deliveries = new Map<string, string>();

export function call({ method, path, body }: Route, token: string | undefined, id = "key_none"): Promise<Sent> {
  const filled = path
    .replace("{id}", id)
    .replace("{n}", "1")
    .replace("{deliveryId}", deliveries.get(id) ?? "evt_none");
  if (!(body instanceof FormData || body instanceof Uint8Array)) return send(method, filled, token, body);
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  if (body instanceof Uint8Array) headers["Content-Length"] = String(body.length);
  return sendRaw(filled, { method, headers, body });
}

/** Makes what the route's id stands for, by the POST on the path before the id, and what a second id stands for. */
export async function makeThing(route: Route, token: string): Promise<string> {
  if (route.path.startsWith("/jobs")) return makeJob(route, token);
  const maker = makerOf(route);
  // What is about the parts of a file needs one that is not complete.
  const ofParts = endpoints.find(
    ({ path, body }) => path === maker.path && body !== undefined && /\/(?:parts|complete)/.test(route.path),
  );
  const made = ofParts === undefined ? maker : { ...maker, body: exampleOf(ofParts.path, ofParts.body) };
  const { status, json, text } = await call(made, token);
  if (status !== 201) throw new Error(`${titleOf(maker)}: ${status} ${text}`);
  const id = json["id"] as string;
  if (route.path.includes("{deliveryId}")) {
    const tested = await send("POST", `${maker.path}/${id}/test`, token);
    deliveries.set(id, tested.json["id"] as string);
  }
  if (route.path.endsWith("/complete")) {
    const part = routes.find(({ method }) => method === "PUT");
    if (part !== undefined) await call(part, token, id);
  }
  return id;
}

/** A request makes a job, and only one that has ended has a result. */
async function makeJob({ path }: Route, token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}`, Prefer: "respond-async" };
  const body = operationForm(document({ name: "a", pages: 1 }), { angle: "90" });
  const { status, json, text } = await sendRaw("/rotate", { method: "POST", headers, body });
  if (status !== 202) throw new Error(`POST /rotate: ${status} ${text}`);
  if (path.endsWith("/result")) await consumeOnce();
  return json["id"] as string;
}

export function makerOf({ path }: Route): Route {
  if (path.startsWith("/jobs")) return { method: "POST", path: "/rotate", anyOf: ["pdf:write"], body: undefined };
  const collection = path.slice(0, path.indexOf("/{id}"));
  const maker = routes.find((route) => route.method === "POST" && route.path === collection);
  if (maker === undefined) throw new Error(`nothing makes what ${path} is about: there is no POST ${collection}`);
  return maker;
}

/** The state of a thing as its owner sees it. */
export async function seenBy(route: Route, token: string, id: string): Promise<string> {
  const reader = routes.find(({ method, path }) => method === "GET" && path === route.path.replace(/\{id\}.*/, "{id}"));
  if (reader === undefined) throw new Error(`nothing shows what ${route.path} is about`);
  return (await call(reader, token, id)).text;
}

/** A key of a new account with one of the route's scopes, or with all that the options give. */
export async function strangerTo(route: Route, livemode = true): Promise<Made> {
  return (await newAccount()).key({ livemode, scopes: route.anyOf });
}
