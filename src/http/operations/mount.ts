import type { ImagesBinding } from "@cloudflare/workers-types";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { checkQuota, Payment } from "./payment.ts";
import { respond } from "./respond.ts";
import { Lease, type LeaseRequest } from "../admission/lease.ts";
import { authorize, checkScope } from "../auth/authorize.ts";
import { asApiError } from "../errors/api-error.ts";
import { addPath, type AppEnv } from "../exchange/exchange.ts";
import { isOneOf } from "../form/file-kind.ts";
import { type CountPages, FormNames, readForm } from "../form/form.ts";
import { fileTooLarge, readBody, readSmallBody } from "../multipart/body.ts";
import { type DeclaredForm, declaredForm } from "../multipart/declared-form.ts";
import { type FormPart, MultipartParser } from "../multipart/multipart.ts";
import { plans } from "../../accounts/plans.ts";
import { Refusal } from "../../engines/errors.ts";
import { imageKinds } from "../../engines/image/kind.ts";
import type { WebpService } from "../../engines/lease/engines.ts";
import { openPdf } from "../../engines/pdf/document/document.ts";
import { readEnv } from "../../env.ts";
import { limits } from "../../limits.ts";
import { type Operation, scopesOf } from "../../operations/define.ts";
import { runOperation } from "../../operations/run.ts";

/** Mounts every operation of the registry. docs/api.md documents the order of the checks. */
export function mountOperations(app: Hono<AppEnv>, operations: readonly Operation[]): void {
  for (const operation of operations) {
    addPath(app, `/api/v1/${operation.name}`, {
      POST: [
        noteOperation(operation),
        ...authorize(...scopesOf(operation)),
        checkQuota(operation),
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
    // If the client disconnects, the runtime stops everything outside `waitUntil`, and nothing would be released.
    c.executionCtx.waitUntil(handled.catch(() => {}));
    return handled;
  };
}

interface DeclaredBody extends DeclaredForm {
  readonly maxBytes: number;
}

async function handle(c: Context<AppEnv>, operation: Operation): Promise<Response> {
  const declared = declaredBody(c);
  const lease = await Lease.take(leaseRequest(c, operation, declared));
  c.get("log").work = lease.work;
  let payment: Payment | undefined;
  try {
    const names = new FormNames(operation.fields);
    const parts = await readParts(c, declared, lease, operation, names);
    lease.work.extend(limits.work.bodyByte * c.get("log").bodyBytes);
    const { input, stem } = await readForm(operation, parts, pageCounter(lease));
    if (typeof operation.scope !== "string") checkScope(c.get("caller"), operation.scope.exact(input));
    lease.check();
    payment = await Payment.reserve(c, operation, parts);
    const { response, sent } = await respond(await runOperation(operation, input, lease.engines), {
      name: `${stem}-${operation.name}`,
      log: c.get("log"),
      payment,
      lease,
    });
    if (sent === undefined) lease.release(true);
    else c.executionCtx.waitUntil(sent.finally(() => lease.release(true)));
    return response;
  } catch (thrown) {
    const error = asApiError(lease.explain(thrown));
    lease.release(error.code !== "internal_error");
    await payment?.reverse(error);
    throw error;
  }
}

function leaseRequest(c: Context<AppEnv>, operation: Operation, declared: DeclaredBody): LeaseRequest {
  const { images, loadFont, loadModel, memoryBudgetBytes } = readEnv(c.env);
  const { length, maxBytes } = declared;
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

function declaredBody(c: Context<AppEnv>): DeclaredBody {
  const maxBytes = plans[c.get("caller").plan].maxBodyBytes;
  const tooLarge = (length: number) => (length > maxBytes ? fileTooLarge(maxBytes, length) : undefined);
  return { ...declaredForm(c.req.raw, tooLarge), maxBytes };
}

/** Opens a file to count its pages for a request that fails anyway. Problems with the file itself are not reported then. */
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

/** Reads the form and waits for the request's turn to work. */
async function readParts(
  c: Context<AppEnv>,
  declared: DeclaredBody,
  lease: Lease,
  operation: Operation,
  names: FormNames,
): Promise<readonly FormPart[]> {
  const { body, boundary, maxBytes } = declared;
  const log = c.get("log");
  const options = {
    maxBytes,
    graceMilliseconds: limits.form.graceMilliseconds,
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
    arena: lease.engines.pdf.arena(lease.bodyBytes, { copies: operation.freesInput ?? false }),
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

/** WebP by Cloudflare Images. The local version used by `npm start` does not support quality and uses its default. */
function webpServiceOf(images: ImagesBinding): WebpService {
  return async (png, quality) => {
    const result = await images.input(png).output({ format: "image/webp", quality });
    return result.image();
  };
}
