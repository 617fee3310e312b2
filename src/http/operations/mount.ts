import type { Context, Hono, MiddlewareHandler } from "hono";
import { authorize, checkScope } from "../auth/authorize.ts";
import { fileTooLarge, readBody, readSmallBody } from "../multipart/body.ts";
import { lookAtQuota, Payment } from "./payment.ts";
import { ApiError, asApiError } from "../errors/api-error.ts";
import { addPath, type AppEnv } from "../exchange/exchange.ts";
import { isOneOf } from "../form/file-kind.ts";
import { type CountPages, FormNames, readForm } from "../form/form.ts";
import { Lease, type LeaseRequest } from "../admission/lease.ts";
import { MultipartParser, type FormPart } from "../multipart/multipart.ts";
import { boundaryOf } from "../multipart/part-headers.ts";
import { answer } from "./respond.ts";
import { webpServiceOf } from "./webp-service.ts";
import { plans } from "../../accounts/plans.ts";
import { Refusal } from "../../engines/errors.ts";
import { openPdf } from "../../engines/pdf/document/document.ts";
import { imageKinds } from "../../engines/image/kind.ts";
import { readEnv } from "../../env.ts";
import { limits } from "../../limits.ts";
import { type Operation, scopesOf } from "../../operations/define.ts";

/** Mounts every operation of the registry, in the order of checks that API.md gives. */
export function mountOperations(app: Hono<AppEnv>, operations: readonly Operation[]): void {
  for (const operation of operations) {
    addPath(app, `/api/v1/${operation.name}`, {
      POST: [
        noteOperation(operation),
        ...authorize(...scopesOf(operation)),
        lookAtQuota(operation),
        operationRoute(operation),
      ],
    });
  }
}

function noteOperation(operation: Operation): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.get("log").operation = operation.name;
    await next();
  };
}

function operationRoute(operation: Operation): MiddlewareHandler<AppEnv> {
  return (c) => {
    const handled = handle(c, operation);
    // When the caller goes away the runtime stops what is not waited for, and nothing would be given back.
    c.executionCtx.waitUntil(handled.catch(() => {}));
    return handled;
  };
}

/** What a request says about its body before the body is read. */
interface Announced {
  readonly body: ReadableStream<Uint8Array>;
  readonly boundary: string;
  /** Bytes of the body, where it says. */
  readonly length: number | undefined;
  readonly maxBytes: number;
}

async function handle(c: Context<AppEnv>, operation: Operation): Promise<Response> {
  const announced = announcedBody(c);
  const lease = await Lease.take(leaseRequest(c, operation, announced));
  c.get("log").work = lease.work;
  let payment: Payment | undefined;
  try {
    const names = new FormNames(operation.fields);
    const parts = await readParts(c, announced, lease, operation, names);
    lease.work.extend(limits.work.bodyByte * c.get("log").bodyBytes);
    const { input, stem } = await readForm(operation, parts, pageCounter(lease));
    if (typeof operation.scope !== "string") checkScope(c.get("caller"), operation.scope.exact(input));
    lease.check();
    payment = await Payment.reserve(c, operation, parts);
    return await answer(await operation.run(input, lease.engines), {
      name: `${stem}-${operation.name}`,
      log: c.get("log"),
      payment,
      lease,
      waitUntil: (promise) => c.executionCtx.waitUntil(promise),
    });
  } catch (thrown) {
    const error = asApiError(lease.explain(thrown));
    lease.release(error.code !== "internal_error");
    await payment?.giveBack(error);
    throw error;
  }
}

function leaseRequest(c: Context<AppEnv>, operation: Operation, announced: Announced): LeaseRequest {
  const { images, loadFont, loadModel, memoryBudgetBytes } = readEnv(c.env);
  const { length, maxBytes } = announced;
  return {
    account: c.get("caller").account,
    operation,
    length,
    maxBytes,
    signal: c.req.raw.signal,
    given: {
      memoryBytes: memoryBudgetBytes - limits.admission.baseBytes,
      webpService: images && webpServiceOf(images),
      loadFont,
      loadModel,
    },
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  };
}

function announcedBody(c: Context<AppEnv>): Announced {
  const { body, headers } = c.req.raw;
  const boundary = boundaryOf(headers.get("Content-Type"));
  if (boundary === undefined) throw new ApiError("unsupported_format", "The request body must be multipart/form-data.");
  const maxBytes = plans[c.get("caller").plan].maxBodyBytes;
  const length = headers.get("Content-Length");
  const bytes = length === null ? undefined : Number(length);
  if (bytes !== undefined && bytes > maxBytes) throw fileTooLarge(maxBytes, bytes);
  if (boundary === "") throw unreadable("The Content-Type header must have a boundary of 1 to 70 characters.");
  if (body === null || bytes === 0) throw unreadable("The request has no body.");
  return { body, boundary, length: bytes, maxBytes };
}

/** Opens a file to count its pages, for a request that is refused anyway. What is wrong with the file itself is not said then. */
function pageCounter(lease: Lease): CountPages {
  return async ({ bytes, ...input }) => {
    if (isOneOf(imageKinds, bytes)) return 1;
    try {
      using open = await openPdf(lease.engines.pdf, { bytes, ...input });
      return open.pageCount;
    } catch (thrown) {
      const error = lease.explain(thrown);
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  };
}

function unreadable(message: string): ApiError {
  return new ApiError("invalid_parameters", message, { details: { fields: [] } });
}

/** Reads the form, and returns when it is the request's turn to work. */
async function readParts(
  c: Context<AppEnv>,
  announced: Announced,
  lease: Lease,
  operation: Operation,
  names: FormNames,
): Promise<readonly FormPart[]> {
  const { body, boundary, maxBytes } = announced;
  const log = c.get("log");
  const options = {
    maxBytes,
    stallMilliseconds: limits.form.stallMilliseconds,
    progress(total: number): void {
      lease.received(total - log.bodyBytes);
      log.bodyBytes = total;
    },
  };
  const small = lease.isSmall ? await readSmallBody(body, { ...options, length: lease.bodyBytes }) : undefined;
  if (small !== undefined) await lease.turn();
  const parser = new MultipartParser({
    ...limits.form,
    boundary,
    arena: lease.engines.pdf.arena(lease.bodyBytes, operation),
    wantsFile: (name) => names.wantsFile(name),
  });
  if (small === undefined) {
    await readBody(body, { ...options, read: (window) => parser.read(window) });
    await lease.turn();
  } else {
    parser.read(small);
    lease.dropBody();
  }
  return parser.finish();
}
