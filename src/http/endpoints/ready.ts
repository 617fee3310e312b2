import type { Context } from "hono";
import { z } from "zod";
import { probe } from "../../accounts/probe.ts";
import { type Env, readEnv } from "../../env.ts";
import { logFault } from "../../faults.ts";
import type { AppEnv } from "../exchange/exchange.ts";
import { checkOffice } from "../fetch/office-converter.ts";

const check = z.enum(["ok", "failed"]);

export const readiness = z.object({
  status: z.enum(["ready", "unready"]),
  database: check,
  files: check.describe("The bucket of stored files."),
  queues: check,
  office: check
    .optional()
    .describe("The office converter, if the server has one. The service is ready without it: only its documents fail."),
  workers: z
    .array(z.enum(["ready", "starting"]))
    .optional()
    .describe("The processes of a self-hosted server, one each."),
});

type Readiness = Omit<z.infer<typeof readiness>, "workers">;

/** Set by the server in front of the workers of one machine, which removes a client's own (src/serve/front.ts). */
const WORKERS = "CF-Workers";

/** For so long, in ms, a result is that of all requests: whoever asks more often does not ask the database. */
const KEPT = 1_000;

const known = new WeakMap<Env, { readonly at: number; readonly result: Promise<Readiness> }>();

/** Responds with the state of each part of the service, and 503 if one fails. Reveals no stored data. */
export async function ready(c: Context<AppEnv>): Promise<Response> {
  const env = readEnv(c.env);
  const now = Date.now();
  let last = known.get(env);
  if (last === undefined || now - last.at >= KEPT) {
    last = { at: now, result: look(env) };
    known.set(env, last);
  }
  const result = await last.result;
  c.header("Cache-Control", "no-store");
  const states = c.req.header(WORKERS)?.split(",");
  const workers = states?.map((state) => (state === "ready" ? ("ready" as const) : ("starting" as const)));
  return c.json(
    { ...result, ...(workers && { workers }) } satisfies z.infer<typeof readiness>,
    result.status === "ready" ? 200 : 503,
  );
}

async function look({ databases, files, webhookQueue, jobQueue, office }: Env): Promise<Readiness> {
  const [database, bucket, queues, converter] = await Promise.all([
    succeeds("database", () => Promise.all(databases.map(probe))),
    succeeds("files", () => files.bucket.head("ready")),
    succeeds("queues", () => Promise.all([webhookQueue.metrics(), jobQueue.metrics()])),
    office && succeeds("office", () => checkOffice(office)),
  ]);
  const status = [database, bucket, queues].every((one) => one === "ok") ? "ready" : "unready";
  return { status, database, files: bucket, queues, ...(converter && { office: converter }) };
}

async function succeeds(part: string, work: () => Promise<unknown>): Promise<"ok" | "failed"> {
  try {
    await work();
    return "ok";
  } catch (error) {
    logFault("not ready", { part }, error);
    return "failed";
  }
}
