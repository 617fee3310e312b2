import type { Context, Hono, MiddlewareHandler } from "hono";
import { loadFiles } from "./load-files.ts";
import { jobFields, jobFieldsOf, preferenceOf, takeJobOptions } from "./job-options.ts";
import { cancelUnused, checkQuota, keyOf, openCharge, Payment } from "./payment.ts";
import type { ReferringRequest } from "./references.ts";
import { respond } from "./respond.ts";
import { pagesOfFile, respondWithJob, startJob } from "./start-job.ts";
import { Lease, leaseOptions, type LeaseRequest, servicesOf } from "../admission/lease.ts";
import { authorizeCharge, checkScope } from "../auth/authorize.ts";
import { asApiError } from "../errors/api-error.ts";
import { type BodyLimit, bodyTooLarge } from "../errors/limit-errors.ts";
import { addPath, type AppEnv } from "../exchange/exchange.ts";
import { type FormChecks, readForm } from "../form/form.ts";
import { FormNames } from "../form/form-reader.ts";
import { readSteps } from "../form/steps.ts";
import { type DeclaredForm, declaredForm, filesWithin, readBody, readSmallBody } from "../multipart/body.ts";
import { type FormPart, MultipartParser } from "../multipart/multipart.ts";
import { plans } from "../../accounts/plans.ts";
import type { EngineBytes, FileSink } from "../../engines/memory/heap.ts";
import { Refusal } from "../../engines/errors.ts";
import { readEnv } from "../../env.ts";
import { limits } from "../../limits.ts";
import { publicUrlIssue } from "../../public-url.ts";
import { ignoredHeader, type Operation, withHeaders } from "../../operations/definition/define.ts";
import { scopesOf } from "../../operations/definition/modes.ts";
import { runOperation } from "../../operations/definition/run.ts";

/** Mounts every operation of the registry. docs/api.md documents the order of the checks. */
export function mountOperations(app: Hono<AppEnv>, operations: readonly Operation[]): void {
  const highestPrice = Math.max(...operations.map(({ credits }) => credits));
  for (const operation of operations) {
    addPath(app, `/api/v1/${operation.name}`, {
      POST: [
        noteOperation(operation),
        ...authorizeCharge(openCharge(operation, highestPrice), ...scopesOf(operation)),
        checkQuota(operation),
        operationRoute(operation, highestPrice),
      ],
    });
  }
}

function noteOperation(operation: Operation): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.get("log").operation = operation.name;
    await next();
    // Of a request that was rejected before it got to its route.
    c.executionCtx.waitUntil(cancelUnused(c));
  };
}

function operationRoute(operation: Operation, highestPrice: number): MiddlewareHandler<AppEnv> {
  return (c) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    // If the client disconnects, the runtime stops everything outside `waitUntil`, and nothing would be released.
    const handled = handle(c, { route: operation, highestPrice }, resolve);
    c.executionCtx.waitUntil(handled.catch(reject).finally(() => cancelUnused(c)));
    return promise;
  };
}

interface DeclaredBody extends DeclaredForm {
  readonly limit: BodyLimit;
}

/**
 * Ends when the response is sent, and the request's memory with it. `route`: the operation, as far as known before the body. The form tells which one
 * runs.
 */
async function handle(
  c: Context<AppEnv>,
  { route, highestPrice }: { readonly route: Operation; readonly highestPrice: number },
  send: (response: Response) => void,
): Promise<void> {
  const declared = declaredBody(c);
  using lease = await Lease.take(leaseRequest(c, route, declared));
  const log = c.get("log");
  log.work = lease.work;
  let payment: Payment | undefined;
  try {
    const sent = await readParts(c, declared, lease, route);
    lease.work.addFiles(log.bodyBytes);
    const preference = preferenceOf(c.req.header("Prefer"));
    const {
      rest: parts,
      options,
      issues,
      ignored,
    } = takeJobOptions(sent, preference.isAsync, route, (url) =>
      publicUrlIssue(url, readEnv(c.env).webhooks.endpoints),
    );
    const request = referringRequest(c, route, declared, lease);
    const form = await (route.steps ? readSteps : readForm)(route, parts, {
      countPages: pageCounter(request),
      urlIssue: (url) => publicUrlIssue(url, request.env.documentUrls),
      others: Object.keys(jobFieldsOf(route)),
      issues,
    });
    const { operation } = form;
    const headers = ignoredHeader([...form.ignored, ...ignored]);
    lease.resolve(operation);
    const loaded = await loadFiles(form.files, { ...request, operation });
    lease.work.addFiles(log.referencedBytes);
    const input = form.inputWith(new Map(Array.from(loaded, ([field, { file }]) => [field, file])));
    for (const scope of operation.scopes) checkScope(c.get("caller"), scope);
    lease.check();
    if (preference.isAsync) {
      const job = await startJob(c, {
        operation,
        input,
        parts,
        loaded,
        options,
        engines: lease.engines,
        check: () => lease.check(),
      });
      lease.finishWork(true, 0);
      send(await respondWithJob(c, job, { ...preference, headers }));
      return;
    }
    const key = await keyOf(c, operation.name, parts, loaded);
    payment = await Payment.reserve(c, operation, key, highestPrice);
    const [first] = form.files;
    const stem = (first && loaded.get(first)?.file.stem) ?? "document";
    const { response, sent: whenSent } = await respond(
      withHeaders(await runOperation(operation, input, lease.engines, lease.services), headers),
      {
        name: `${stem}-${operation.name}`,
        log,
        payment,
        lease,
      },
    );
    send(response);
    await whenSent;
  } catch (thrown) {
    const error = asApiError(lease.explain(thrown));
    lease.countUncharged();
    lease.finishWork(error.code !== "internal_error", 0);
    await payment?.fail(error);
    throw error;
  }
}

function referringRequest(
  c: Context<AppEnv>,
  operation: Operation,
  { limit }: DeclaredBody,
  lease: Lease,
): ReferringRequest {
  const [caller, database, log] = [c.get("caller"), c.get("database"), c.get("log")];
  return { lease, log, operation, caller, database, env: readEnv(c.env), limit, signal: c.req.raw.signal };
}

function leaseRequest(c: Context<AppEnv>, operation: Operation, declared: DeclaredBody): LeaseRequest {
  const { length, limit } = declared;
  return {
    account: c.get("caller").account,
    operation,
    length,
    maxBytes: limit.maxBytes,
    signal: c.req.raw.signal,
    given: leaseOptions(readEnv(c.env)),
    services: servicesOf(readEnv(c.env), c.req.raw.signal),
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  };
}

function declaredBody(c: Context<AppEnv>): DeclaredBody {
  const ofPlan = plans[c.get("caller").plan].maxBodyBytes;
  const { heldBytes } = readEnv(c.env).sizes;
  const limit: BodyLimit =
    ofPlan < heldBytes ? { maxBytes: ofPlan, of: "plan" } : { maxBytes: heldBytes, of: "memory" };
  const tooLarge = (length: number) => (length > limit.maxBytes ? bodyTooLarge(limit, length) : undefined);
  return { ...declaredForm(c.req.raw, tooLarge), limit };
}

/** Opens a file to count its pages for a request that fails anyway. Problems with the file itself are not reported then. */
function pageCounter(request: ReferringRequest): FormChecks["countPages"] {
  return async (file) => {
    if (file.source.kind !== "sent") return undefined;
    const loaded = (await loadFiles([file], request)).get(file)?.file;
    try {
      return loaded && (await pagesOfFile(loaded, request.lease.engines));
    } catch (thrown) {
      const error = request.lease.explain(thrown);
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  };
}

/** Reads the form: a small one into memory, a larger one into the engine's. */
async function readParts(
  c: Context<AppEnv>,
  { body, boundary, limit }: DeclaredBody,
  lease: Lease,
  route: Operation,
): Promise<readonly FormPart<EngineBytes>[]> {
  const log = c.get("log");
  const options = {
    maxBytes: limit.maxBytes,
    tooLarge: (_: number, actual: number) => bodyTooLarge(limit, actual, false),
    graceMilliseconds: limits.form.graceMilliseconds,
    progress(total: number): void {
      lease.received(total - log.bodyBytes);
      log.bodyBytes = total;
    },
  };
  const names = new FormNames(route, jobFields);
  const parserInto = (arena: FileSink<EngineBytes>): MultipartParser<EngineBytes> =>
    new MultipartParser({
      ...limits.form,
      boundary,
      arena,
      kindOf: (name) => names.kindOf(name),
      wantsFile: (name) => names.wantsFile(name),
    });
  if (lease.isSmall) {
    const bytes = await readSmallBody(body, { ...options, length: lease.bodyBytes });
    const parser = parserInto(filesWithin(bytes));
    parser.read(bytes);
    return parser.finish();
  }
  const parser = parserInto(
    lease.engines.pdf.files.arena(lease.bodyBytes, { copies: route.memory?.freesInput ?? false }),
  );
  await readBody(body, { ...options, read: (window) => parser.read(window) });
  return parser.finish();
}
