import type { Context, MiddlewareHandler } from "hono";
import { preferenceOf } from "./job-options.ts";
import type { ChargeOf } from "../auth/authorize.ts";
import { declaresForm } from "../multipart/body.ts";
import { limits } from "../../limits.ts";
import type { LoadedFile } from "./load-files.ts";
import { type ApiError, asApiError } from "../errors/api-error.ts";
import { enqueuerOf } from "../exchange/enqueue-deliveries.ts";
import type { AppEnv } from "../exchange/exchange.ts";
import type { RequestLog } from "../exchange/request-log.ts";
import type { FormFile } from "../form/form-reader.ts";
import type { FormPart } from "../multipart/multipart.ts";
import { creditLimit, monthOf } from "../../accounts/periods.ts";
import { shownLimit } from "../../accounts/plans.ts";
import { shardOfAccount } from "../../accounts/token.ts";
import type { LateReversal } from "../../billing/late-reversal.ts";
import { type RequestKey, requestKey, type SignedPart } from "../../billing/idempotency.ts";
import { headroom } from "../../billing/admit.ts";
import { cancel, finish, refund, release, reserve, settle, type Settled } from "../../billing/ledger.ts";
import type { RequestEnd, RequestFailure } from "../../billing/operation-events.ts";
import type { Reservation } from "../../billing/reservation.ts";
import { emitRefusal } from "../../billing/thresholds.ts";
import type { EngineBytes } from "../../engines/memory/heap.ts";
import { hex } from "../../bytes/hex.ts";
import { type Env, readEnv } from "../../env.ts";
import type { Enqueue } from "../../events/outbox.ts";
import { ABANDONED_AFTER } from "../../events/sweep-events.ts";
import { logFault } from "../../faults.ts";
import type { Operation } from "../../operations/definition/define.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import { keyInUse, keyReused, outOfCredits } from "../errors/account-errors.ts";

const KEY_HEADER = "Idempotency-Key";
const MAX_KEY_LENGTH = limits.parameters.idempotencyKeyCharacters;
/** Seconds until a failed reversal is retried, so that the database has time to recover. */
const LATE_SECONDS = 30;
/** Milliseconds after which an account may have used the headroom that it had. */
const MINUTE = 60_000;
/** Age of a request from which its response waits for the settlement: the sweep may have released its reservation. */
const OLD = ABANDONED_AFTER / 2;

/** The charge of a request whose response begins. */
export interface Settlement {
  readonly headers: Readonly<Record<string, string>>;
  /** The end of the response must wait for this. Rejects if the charge was not confirmed. */
  readonly settled: Promise<void>;
}

/**
 * The charge of requests whose headers determine it and that need nothing of the body first. A pipeline's price is in its form, a job's in its document,
 * and an Idempotency-Key is reserved with the form's fingerprint. A large body would keep its credits reserved for long, though it may be invalid.
 */
export function openCharge({ name, credits, steps }: Operation, highestPrice: number): ChargeOf {
  return (c) => {
    const isOpen =
      steps === undefined &&
      c.req.header(KEY_HEADER) === undefined &&
      !preferenceOf(c.req.header("Prefer")).isAsync &&
      declaresForm(c.req.raw, limits.admission.smallBodyBytes);
    if (!isOpen) return undefined;
    const { requestId, traceparent } = c.get("log");
    return { requestId, trace: traceparent, operation: name, credits, highestPrice };
  };
}

/** Releases a reservation that nothing has used: the request was rejected before its operation ran. Never throws: the sweep releases it otherwise. */
export async function cancelUnused(c: Context<AppEnv>): Promise<void> {
  const reservation = c.get("reservation");
  if (reservation === undefined) return;
  c.set("reservation", undefined);
  const { id } = reservation;
  await twice(() => cancel(c.get("database"), reservation)).catch((error: unknown) =>
    logFault("credits not returned", { id }, error),
  );
}

/**
 * Rejects a request with too few credits before its body is read. Only the later check in `reserve` is authoritative; with an
 * Idempotency-Key the request may be the retry of a charged one.
 */
export function checkQuota({ credits }: Operation): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const key = c.req.header(KEY_HEADER);
    if (key !== undefined && (key.length < 1 || key.length > MAX_KEY_LENGTH)) {
      const issue = `must be 1 to ${MAX_KEY_LENGTH} characters long`;
      throw invalidFields([{ name: KEY_HEADER, issue }]);
    }
    const { limit, used, warned } = c.get("credits");
    if (key === undefined && c.get("reservation") === undefined && used + credits > limit)
      throw refused(c, credits, { used, warned }, new Date());
    await next();
  };
}

/** The 429 for a request that costs more than is left. The first one of a period emits events; the response does not wait for them. */
function refused(c: Context<AppEnv>, credits: number, period: { used: number; warned: number }, now: Date): ApiError {
  const { account, livemode, plan } = c.get("caller");
  const { limit } = c.get("credits");
  const month = monthOf(now);
  const budget = { account, livemode, plan, limit, month };
  const emitted = emitRefusal(c.get("database"), budget, period, credits, now, enqueuerOf(c));
  c.executionCtx.waitUntil(emitted.catch((error: unknown) => logFault("refusal not emitted", { account }, error)));
  return outOfCredits(credits, { limit, used: period.used, end: month.end }, now);
}

/** The credits of one request, from its reservation to the end of its response. */
export class Payment {
  readonly #database: Env["databases"][number];
  readonly #reservation: Reservation;
  readonly #log: RequestLog;
  readonly #enqueue: Enqueue;
  readonly #sendLate: (failure: RequestFailure) => Promise<void>;
  /** `asked`: the database did not confirm whether it charged the request. */
  #charge: "none" | "asked" | "made" = "none";
  /** Whether an event waits for the end of the response. */
  #held = false;
  readonly #waitUntil: (promise: Promise<unknown>) => void;
  readonly #highestPrice: number;
  #settling: Promise<Settled> | undefined;

  private constructor(c: Context<AppEnv>, reservation: Reservation, highestPrice: number) {
    this.#highestPrice = highestPrice;
    this.#waitUntil = (promise) => c.executionCtx.waitUntil(promise);
    this.#database = c.get("database");
    this.#reservation = reservation;
    this.#log = c.get("log");
    this.#enqueue = enqueuerOf(c);
    const { webhookQueue } = readEnv(c.env);
    const shard = shardOfAccount(reservation.charge.account) ?? 0;
    // JSON has no dates.
    this.#sendLate = async (failure) => {
      const message: LateReversal = { kind: "late reversal", shard, reservation, failure };
      await webhookQueue.send(message, { contentType: "v8", delaySeconds: LATE_SECONDS });
    };
  }

  /** The reservation, for a job that settles it at its end. */
  get reservation(): Reservation {
    return this.#reservation;
  }

  /**
   * Uses the credits that were reserved when the sender was identified, or reserves them. Throws 429 `quota_exceeded`, 409 `idempotency_conflict` or 422
   * `idempotency_key_reused`. `highestPrice`: the credits of the most expensive operation, for `fail`.
   */
  static async reserve(
    c: Context<AppEnv>,
    { name, credits }: Pick<Operation, "name" | "credits">,
    key: RequestKey | undefined,
    highestPrice = Infinity,
  ): Promise<Payment> {
    const reserved = c.get("reservation");
    if (reserved !== undefined && Date.now() - c.get("log").start <= OLD) {
      c.set("reservation", undefined);
      return new Payment(c, reserved, highestPrice);
    }
    // The sweep may have released it while the request waited for its files.
    await cancelUnused(c);
    const { account, livemode, plan } = c.get("caller");
    const { requestId, traceparent } = c.get("log");
    const limit = creditLimit(plan, livemode);
    const now = new Date();
    const charge = { account, livemode, plan, requestId, operation: name, credits, limit, key, trace: traceparent };
    const result = await reserve(c.get("database"), charge, now);
    if (!("reason" in result)) return new Payment(c, result, highestPrice);
    if (result.reason === "quota") throw refused(c, credits, result, now);
    throw result.reason === "reused" ? keyReused() : keyInUse();
  }

  /**
   * Charges the request while its response begins, and returns headers for it: the reservation determines the price and
   * the rest. `outputBytes`: the size of the response, or null if it is streamed; then call `ended` at its end.
   */
  async settle(outputBytes: number | null): Promise<Settlement> {
    const { credits, remaining } = this.#reservation;
    this.#charge = "asked";
    this.#settling = this.#settleTwice(this.#end(outputBytes));
    const settled = this.#settling.then((result) => {
      this.#charge = "made";
      this.#held = result.held;
      this.#log.credits = result.charged;
    });
    // Whoever ends the response looks at it, but maybe not yet when it is rejected.
    settled.catch(() => {});
    const isOld = Date.now() - this.#log.start > OLD;
    const paid = isOld ? await this.#settling : { charged: credits, remaining };
    const left = shownLimit(this.#reservation.limit, paid.remaining);
    const headers = {
      "X-Credits-Charged": String(paid.charged),
      ...(left !== null && { "X-Credits-Remaining": String(left) }),
      ...(credits === 0 && { "Idempotency-Replayed": "true" }),
    };
    return { headers, settled };
  }

  /** Retries if the database did not respond: a charge that succeeded the first time is not repeated. */
  #settleTwice(end: RequestEnd): Promise<Settled> {
    return twice(() => settle(this.#database, this.#reservation, end, this.#enqueue));
  }

  /**
   * Emits the end of a streamed response that stays charged: complete, abandoned by its client, or aborted by a `failure` of
   * the document. One whose charge was not confirmed lacks its end, so it is reversed. Never throws: if this fails, the sweep
   * emits it.
   */
  async ended(outputBytes: number, failure?: ApiError): Promise<void> {
    try {
      await this.#settling;
    } catch (error) {
      await this.reverse(asApiError(error));
      return;
    }
    if (!this.#held) return;
    const { id } = this.#reservation;
    const end = { ...this.#end(outputBytes), ...(failure && { status: failure.status, code: failure.code }) };
    await finish(this.#database, this.#reservation, end, this.#enqueue).catch((error: unknown) =>
      logFault("end not emitted", { id }, error),
    );
  }

  /**
   * `reverse` for a request whose response has not started. The error response waits for it only if another request could be rejected because of
   * these credits, or because of its Idempotency-Key.
   */
  async fail(error: ApiError): Promise<void> {
    const { key, remaining, charge } = this.#reservation;
    const isRecent = Date.now() - this.#log.start < MINUTE;
    const isNoticed = key !== undefined || !isRecent || remaining < headroom(charge.plan, this.#highestPrice);
    const reversed = this.reverse(error);
    if (isNoticed || this.#charge !== "none") await reversed;
    else this.#waitUntil(reversed);
  }

  /**
   * Releases or refunds the credits of a failed request. Never throws: the client gets the original error. If the database is
   * unreachable, the sweep releases the reservation, and the queue keeps a possible charge until it can be refunded.
   */
  async reverse({ status, code }: ApiError): Promise<void> {
    // Its outcome is in `#charge`.
    await this.#settling?.catch(() => {});
    const failure = { ...this.#end(this.#log.responseBytes), status, code };
    // If it is unknown whether the request was charged, one of the two changes nothing.
    try {
      if (this.#charge !== "made") {
        await twice(() => release(this.#database, this.#reservation, failure, this.#enqueue));
      }
      if (this.#charge !== "none") {
        await twice(() => refund(this.#database, this.#reservation, failure, this.#enqueue));
      }
    } catch (error) {
      logFault("credits not returned", { id: this.#reservation.id }, error);
      if (this.#charge === "none") return;
      await twice(() => this.#sendLate(failure)).catch((fault: unknown) =>
        logFault("credits not returned", { id: this.#reservation.id }, fault),
      );
    }
  }

  #end(outputBytes: number | null): RequestEnd {
    const { start, bodyBytes, referencedBytes, pageCount = null } = this.#log;
    const inputBytes = bodyBytes + referencedBytes;
    const at = new Date();
    return { at, durationMilliseconds: at.getTime() - start, inputBytes, outputBytes, pageCount };
  }
}

/** Retries once if a service did not respond. */
const twice = <T>(send: () => Promise<T>): Promise<T> => send().catch(send);

/** The Idempotency-Key of the request, with the fingerprint of its form. */
export async function keyOf(
  c: Context<AppEnv>,
  operation: string,
  parts: readonly FormPart<EngineBytes>[],
  loaded: ReadonlyMap<FormFile, LoadedFile>,
): Promise<RequestKey | undefined> {
  const key = c.req.header(KEY_HEADER);
  if (key === undefined) return undefined;
  const { account, livemode } = c.get("caller");
  const signed = await signedParts(parts, loaded);
  return requestKey(readEnv(c.env).serverSecrets[0], { account, livemode, operation }, key, signed);
}

/** Bytes of a file copied at a time for its digest: hashing it in one go would copy the whole file. */
const DIGEST_STEP = 1024 * 1024;

/** The parts of a form as its fingerprint has them: a file is the same whether it was uploaded or referred to. */
async function signedParts(
  parts: readonly FormPart<EngineBytes>[],
  loaded: ReadonlyMap<FormFile, LoadedFile>,
): Promise<readonly SignedPart[]> {
  const signed: SignedPart[] = [];
  for (const [{ field }, { file, filename, sha256 }] of loaded) {
    signed.push([field, "file", sha256 ?? (await sha256Of(file.bytes)), filename]);
  }
  const files = new Set(Array.from(loaded.keys(), ({ field }) => field));
  for (const part of parts) {
    if (part.kind === "text" && !files.has(part.field)) signed.push([part.field, "text", part.value]);
  }
  return signed;
}

async function sha256Of(bytes: EngineBytes): Promise<string> {
  const stream = new crypto.DigestStream("SHA-256");
  const writer = stream.getWriter();
  for (let start = 0; start < bytes.length; start += DIGEST_STEP) {
    await writer.write(bytes.view(start, Math.min(start + DIGEST_STEP, bytes.length)).slice());
  }
  await writer.close();
  return hex(new Uint8Array(await stream.digest));
}
