import type { Context } from "hono";
import type { JobOptions, Preference } from "./job-options.ts";
import { writeJobRequest } from "./job-request.ts";
import type { LoadedFile } from "./load-files.ts";
import { keyOf, Payment } from "./payment.ts";
import { resultResponse } from "./send-result.ts";
import { asApiError } from "../errors/api-error.ts";
import { jobHasTooManyPages } from "../errors/limit-errors.ts";
import { enqueuerOf } from "../exchange/enqueue-deliveries.ts";
import type { AppEnv } from "../exchange/exchange.ts";
import { isOneOf } from "../form/file-kinds.ts";
import type { FormFile } from "../form/form-reader.ts";
import type { FormPart } from "../multipart/multipart.ts";
import { seal } from "../../accounts/sealed-secret.ts";
import { newJobId, shardOfAccount } from "../../accounts/token.ts";
import type { EngineBytes } from "../../engines/memory/heap.ts";
import type { Engines } from "../../engines/lease/engines.ts";
import { countImages } from "../../engines/pdf/embed/embed.ts";
import { imageKinds } from "../../engines/image/kind.ts";
import { openPdf } from "../../engines/pdf/document/document.ts";
import { readEnv } from "../../env.ts";
import { logFault } from "../../faults.ts";
import type { FileStore } from "../../files/file.ts";
import { removeJobFiles } from "../../files/remove.ts";
import { abandonJob, createJob, jobDeadline, jobWithKey, type NewJob } from "../../jobs/create.ts";
import { isLive, type JobRow, viewOf } from "../../jobs/job.ts";
import { awaitJob } from "../../jobs/manage-jobs.ts";
import { wakeConsumers } from "../../jobs/message.ts";
import { limits } from "../../limits.ts";
import type { Operation, ResolvedOperation, ResultHeaders } from "../../operations/definition/define.ts";
import type { Fields, Input, UploadedFile } from "../../operations/definition/fields.ts";
import { NO_SERVICES } from "../../engines/services.ts";
import { runOperation } from "../../operations/definition/run.ts";
import { keyReused } from "../errors/account-errors.ts";

export interface JobStart {
  readonly operation: ResolvedOperation;
  readonly input: Input<Fields>;
  readonly parts: readonly FormPart<EngineBytes>[];
  readonly loaded: ReadonlyMap<FormFile, LoadedFile>;
  readonly options: JobOptions;
  readonly engines: Engines;
  /** Throws if the client is gone. */
  check(): void;
}

/**
 * Makes a job of a request: stores its files and parameters, reserves its credits, and creates it. A request with the
 * Idempotency-Key of an earlier one gets that one's job. Throws `limit_exceeded`, `limit_reached`, and what reserving throws.
 */
export async function startJob(c: Context<AppEnv>, start: JobStart): Promise<JobRow> {
  const { operation, input, parts, loaded, options } = start;
  const { deliverTo, ...kept } = options;
  const [caller, db, { files: store, jobQueue }] = [c.get("caller"), c.get("database"), readEnv(c.env)];
  const key = await keyOf(c, operation.name, parts, loaded);
  const earlier = async (): Promise<JobRow | undefined> => {
    const found = key && (await jobWithKey(db, key, new Date()));
    if (found?.isSame === false) throw keyReused();
    return found?.row;
  };
  const known = await earlier();
  if (known !== undefined) return known;
  const { pages, pageNumbers } = await countPages(start);
  if (pages > limits.jobs.pages) throw jobHasTooManyPages(pages);
  const { pricedPages } = operation;
  const shard = shardOfAccount(caller.account) ?? 0;
  const now = new Date();
  const id = newJobId(caller.account);
  let payment: Payment | undefined;
  try {
    const { account, livemode } = caller;
    const owner = { account, livemode, job: id, expiresAt: jobDeadline(now) };
    const request = await writeJobRequest(db, store, owner, { parts, loaded });
    const credits = operation.credits * Math.ceil(pages / pricedPages);
    // Nobody would ever learn the ID of the job.
    start.check();
    payment = await Payment.reserve(c, { name: operation.name, credits }, key);
    const pagesPerPart = operation.pageByPage?.pagesPerPart(input);
    const row = await createJob(
      db,
      caller,
      {
        id,
        operation: operation.name,
        request,
        pages,
        pageNumbers,
        pagesPerPart,
        pricedPages,
        price: operation.credits,
        ...kept,
        deliverTo: deliverTo && (await sealDelivery(store, id, deliverTo)),
        reservation: payment.reservation,
      },
      now,
    );
    const wakeups = pagesPerPart === undefined ? 1 : Math.min(Math.ceil(pages / pagesPerPart), row.lanes);
    c.executionCtx.waitUntil(wakeConsumers(jobQueue, shard, wakeups).catch(() => {}));
    return row;
  } catch (thrown) {
    const error = asApiError(thrown);
    await payment?.reverse(error);
    await abandonJob(db, id).catch(async (fault: unknown) => {
      logFault("job not abandoned", { id }, fault);
      await jobQueue.send({ kind: "abandoned job", shard, job: id }).catch(() => {});
    });
    await removeJobFiles(db, store, id);
    // A request with the same key was faster.
    const winner = error.code === "idempotency_conflict" ? await earlier() : undefined;
    if (winner !== undefined) return winner;
    throw thrown;
  }
}

const sealDelivery = ({ serverSecrets }: FileStore, job: string, url: string): Promise<string> =>
  seal(serverSecrets, "delivery URLs", job, new TextEncoder().encode(url));

/** The 202 for a job, or the response of the operation if the job ends in time. `headers`: of either. */
export async function respondWithJob(
  c: Context<AppEnv>,
  row: JobRow,
  { waitSeconds, headers }: Preference & { readonly headers: ResultHeaders },
): Promise<Response> {
  const [caller, db, env] = [c.get("caller"), c.get("database"), readEnv(c.env)];
  const applied = waitSeconds > 0 ? `respond-async, wait=${waitSeconds}` : "respond-async";
  const last = waitSeconds > 0 ? await awaitJob(db, caller, row.id, waitSeconds * 1_000) : row;
  const context = { store: env.files, baseUrl: env.baseUrl, enqueue: enqueuerOf(c) };
  if (waitSeconds > 0 && !isLive(last)) {
    const response = await resultResponse(c, context, last);
    response.headers.set("Preference-Applied", applied);
    response.headers.set("X-Credits-Charged", String(last.charged));
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  }
  return Response.json(viewOf(last, env.baseUrl, new Date()), {
    status: 202,
    headers: {
      ...headers,
      "Cache-Control": "no-store",
      Location: `/api/v1/jobs/${row.id}`,
      "Preference-Applied": applied,
      "Retry-After": String(limits.jobs.retryAfterSeconds),
    },
  });
}

/** The pages that a job works on: those that the request selects, or all of its documents. An image is a page, and so is a file of any format. */
async function countPages({
  operation,
  input,
  loaded,
  engines,
}: JobStart): Promise<Pick<NewJob, "pages" | "pageNumbers">> {
  let counted: Pick<NewJob, "pages" | "pageNumbers"> = { pages: 0, pageNumbers: undefined };
  const counting: Operation = {
    ...operation,
    async run() {
      counted = await pagesOf(operation, input, loaded, engines);
      return { kind: "json", value: null, headers: {} };
    },
  };
  await runOperation(counting, input, engines, NO_SERVICES);
  return counted;
}

async function pagesOf(
  { pageByPage }: Operation,
  input: Input<Fields>,
  loaded: JobStart["loaded"],
  engines: Engines,
): Promise<Pick<NewJob, "pages" | "pageNumbers">> {
  if (pageByPage !== undefined) {
    const chosen = await pageByPage.pagesOf(input, engines);
    const isWhole = chosen.every((page, index) => page === index);
    return { pages: chosen.length, pageNumbers: isWhole ? undefined : chosen.map((page) => page + 1) };
  }
  let pages = 0;
  // Nobody knows how many pages a document of another kind has before it is laid out.
  for (const [{ accept }, { file }] of loaded) pages += accept.includes("any") ? 1 : await pagesOfFile(file, engines);
  return { pages, pageNumbers: undefined };
}

/** An image is a page, unless it is a TIFF of several, and so is an XML file. Throws what opening a file throws. */
export async function pagesOfFile(file: UploadedFile, engines: Engines): Promise<number> {
  if (isOneOf(imageKinds, file.bytes)) return countImages(engines, file);
  if (isOneOf(["xml"], file.bytes)) return 1;
  using open = await openPdf(engines.pdf, file);
  return open.pageCount;
}
