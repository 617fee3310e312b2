import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { fileService, type FileService, formOf } from "../files/file-service.ts";
import type { JobView } from "../../src/events/job-schema.ts";
import type { JobMessage } from "../../src/jobs/message.ts";
import worker from "../../src/worker.ts";

export interface JobService extends FileService {
  /** Sends a document to an operation as a job, and returns the job. */
  start(
    operation: string,
    file: Uint8Array | string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<JobView>;
  job(id: string): Promise<JobView>;
  result(id: string): Promise<Response>;
}

export async function jobService(options: Parameters<typeof fileService>[0] = {}): Promise<JobService> {
  const service = await fileService({ scopes: ["pdf:read", "pdf:write", "files:read", "files:write"], ...options });
  return {
    ...service,
    async start(operation, file, fields = {}, headers = {}) {
      const response = await service.send("POST", `/${operation}`, {
        headers: { Prefer: "respond-async", ...headers },
        body: operationForm(file, fields),
      });
      if (response.status !== 202) throw new Error(`${operation}: ${response.status} ${await response.text()}`);
      return response.json();
    },
    async job(id) {
      return (await service.send("GET", `/jobs/${id}`)).json();
    },
    result: (id) => service.send("GET", `/jobs/${id}/result`),
  };
}

/** A form of an operation, with a document that is sent, or the ID of a stored one. */
export function operationForm(file: Uint8Array | string, fields: Readonly<Record<string, string>> = {}): FormData {
  if (typeof file !== "string") return formOf(file as Uint8Array<ArrayBuffer>, fields);
  const form = new FormData();
  for (const [name, value] of Object.entries({ file, ...fields })) form.append(name, value);
  return form;
}

/** Lets a consumer take one message of the queue: it works until nothing is due. Returns what it did with the message. */
export async function consumeOnce(
  bindings: object = env,
  body: JobMessage = { kind: "parts", shard: 0 },
): Promise<"acknowledged" | "retried"> {
  const message = { id: "0", timestamp: new Date(), attempts: 1, body };
  const batch = createMessageBatch<JobMessage>("pdf-service-jobs", [message]);
  const context = createExecutionContext();
  let retried = false;
  const [only] = batch.messages;
  if (only !== undefined) only.retry = () => void (retried = true);
  await worker.queue(batch, bindings, context);
  await waitOnExecutionContext(context);
  return retried ? "retried" : "acknowledged";
}

/** Runs the scheduled work, as if the time were `later` milliseconds from now. */
export async function sweepLater(later: number, bindings: object = env): Promise<void> {
  const context = createExecutionContext();
  const scheduledTime = Date.now() + later;
  await worker.scheduled({ cron: "* * * * *", scheduledTime, noRetry() {} }, bindings, context);
  await waitOnExecutionContext(context);
}

/** Everything that the database and the bucket have of an account's jobs. */
export async function leftOf({ account }: FileService): Promise<{ files: number; parts: number; objects: number }> {
  const files = await env.DB.prepare("select id from files where account = ? and job is not null")
    .bind(account)
    .all<{ id: string }>();
  const parts = await env.DB.prepare(
    "select count(*) as count from job_parts where job in (select id from jobs where account = ?)",
  )
    .bind(account)
    .first<{ count: number }>();
  const { objects } = await env.FILES.list();
  return { files: files.results.length, parts: parts?.count ?? 0, objects: objects.length };
}

/** The credits that the account has used or reserved this month, and those of its ledger by state. */
export async function creditsOf({ account }: FileService): Promise<{ used: number; ledger: Record<string, number> }> {
  const used = await env.DB.prepare("select sum(used) as used from periods where id like ?")
    .bind(`${account}:%`)
    .first<{ used: number }>();
  const rows = await env.DB.prepare("select state, sum(credits) as credits from ledger where id like ? group by state")
    .bind(`${account}/%`)
    .all<{ state: string; credits: number }>();
  return {
    used: used?.used ?? 0,
    ledger: Object.fromEntries(rows.results.map(({ state, credits }) => [state, credits])),
  };
}
