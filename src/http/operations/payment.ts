import type { Context, MiddlewareHandler } from "hono";
import { announcer } from "../exchange/enqueue-deliveries.ts";
import { ApiError } from "../errors/api-error.ts";
import type { AppEnv } from "../exchange/exchange.ts";
import type { FormPart } from "../multipart/multipart.ts";
import type { RequestLog } from "../exchange/request-log.ts";
import { type RequestKey, requestKey, type SignedPart } from "../../billing/idempotency.ts";
import type { CallEnd, CallFailure } from "../../billing/operation-events.ts";
import { finish, refund, release, settle, type Settled } from "../../billing/ledger.ts";
import { creditLimit, monthOf } from "../../accounts/periods.ts";
import { type Reservation, reserve } from "../../billing/reserve.ts";
import { tellRefusal } from "../../billing/thresholds.ts";
import { hex, shardOfAccount } from "../../accounts/token.ts";
import type { EngineBytes } from "../../engines/bytes/heap.ts";
import { type Env, readEnv } from "../../env.ts";
import { logFault } from "../../faults.ts";
import type { Operation } from "../../operations/define.ts";
import type { Announce } from "../../events/outbox.ts";

const KEY_HEADER = "Idempotency-Key";
const MAX_KEY_LENGTH = 255;
/** Seconds until credits that could not be given back are tried again, for a database that comes back by then. */
const LATE_SECONDS = 30;
/** Bytes of a file that are copied at once for its digest: a digest of the whole would copy all of it. */
const DIGEST_STEP = 1024 * 1024;

/**
 * Before the body: is there any use in sending it? Only what `reserve` finds later counts; and with an Idempotency-Key the
 * call may be one that was paid.
 */
export function lookAtQuota({ credits }: Operation): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const key = c.req.header(KEY_HEADER);
    if (key !== undefined && (key.length < 1 || key.length > MAX_KEY_LENGTH)) {
      const issue = `must be 1 to ${MAX_KEY_LENGTH} characters long`;
      const message = `\`${KEY_HEADER}\` ${issue}.`;
      throw new ApiError("invalid_parameters", message, { details: { fields: [{ name: KEY_HEADER, issue }] } });
    }
    const { limit, used, warned } = c.get("credits");
    if (key === undefined && used + credits > limit) throw refused(c, credits, { used, warned }, new Date());
    await next();
  };
}

/** The 429 for a call that costs more than is left. The first one of a period is told of; the answer does not wait for that. */
function refused(c: Context<AppEnv>, credits: number, period: { used: number; warned: number }, now: Date): ApiError {
  const { account, livemode, plan } = c.get("caller");
  const { limit } = c.get("credits");
  const { used } = period;
  const month = monthOf(now);
  const budget = { account, livemode, plan, limit, month };
  const told = tellRefusal(c.get("database"), budget, period, credits, now, announcer(c));
  c.executionCtx.waitUntil(told.catch((error: unknown) => logFault("refusal not told of", { account }, error)));
  const remaining = Math.max(0, limit - used);
  const cost = credits === 1 ? "1 credit" : `${credits} credits`;
  const left = `you have ${remaining.toLocaleString("en-US")} of ${limit.toLocaleString("en-US")} left`;
  const reset = month.end.toLocaleString("en-US", { month: "long", day: "numeric", timeZone: "UTC" });
  const message = `This request costs ${cost}; ${left}. Credits reset on ${reset}, 00:00 UTC.`;
  return new ApiError("quota_exceeded", message, {
    details: { limit, used, remaining, resetAt: month.end.toISOString() },
    headers: { "Retry-After": String(Math.ceil((month.end.getTime() - now.getTime()) / 1_000)) },
  });
}

/** The credits of one call, from its reservation to the end of its answer. */
export class Payment {
  readonly #database: Env["databases"][number];
  readonly #reservation: Reservation;
  readonly #log: RequestLog;
  readonly #announce: Announce;
  readonly #sendLate: (failure: CallFailure) => Promise<void>;
  /** `asked`: the database did not say whether it has charged the call. */
  #charge: "none" | "asked" | "made" = "none";
  /** Whether an event waits for the end of the answer. */
  #held = false;

  private constructor(c: Context<AppEnv>, reservation: Reservation) {
    this.#database = c.get("database");
    this.#reservation = reservation;
    this.#log = c.get("log");
    this.#announce = announcer(c);
    const { webhookQueue } = readEnv(c.env);
    const shard = shardOfAccount(reservation.charge.account) ?? 0;
    // JSON has no dates.
    this.#sendLate = async (failure) => {
      await webhookQueue.send({ shard, reservation, failure }, { contentType: "v8", delaySeconds: LATE_SECONDS });
    };
  }

  /** Sets the credits aside. Throws 429 `quota_exceeded`, 409 `idempotency_conflict` or 422 `idempotency_key_reused`. */
  static async reserve(c: Context<AppEnv>, operation: Operation, parts: readonly FormPart[]): Promise<Payment> {
    const { account, livemode, plan } = c.get("caller");
    const { requestId } = c.get("log");
    const { name, credits } = operation;
    const limit = creditLimit(plan, livemode);
    const key = await keyOf(c, name, parts);
    const now = new Date();
    const charge = { account, livemode, plan, requestId, operation: name, credits, limit, key };
    const result = await reserve(c.get("database"), charge, now);
    if (!("reason" in result)) return new Payment(c, result);
    if (result.reason === "quota") throw refused(c, credits, result, now);
    throw new ApiError(result.reason === "reused" ? "idempotency_key_reused" : "idempotency_conflict");
  }

  /**
   * Charges the call: before the first byte of its answer, which gets these headers. `outputBytes`: those of the answer; null
   * where it is streamed, so that `ended` has to be called.
   */
  async settle(outputBytes: number | null): Promise<Readonly<Record<string, string>>> {
    this.#charge = "asked";
    const settled = await this.#settleTwice(this.#end(outputBytes));
    this.#charge = "made";
    this.#held = settled.held;
    return {
      "X-Credits-Charged": String(settled.charged),
      "X-Credits-Remaining": String(settled.remaining),
      ...(this.#reservation.credits === 0 && { "Idempotency-Replayed": "true" }),
    };
  }

  /** Once more where the database did not answer: a charge that came through the first time stays one charge. */
  #settleTwice(end: CallEnd): Promise<Settled> {
    return twice(() => settle(this.#database, this.#reservation, end, this.#announce));
  }

  /**
   * Records the end of a streamed response that stays charged: complete, left by its client, or broken off by a `failure`
   * that is the document's. Never throws: the sweep records it otherwise.
   */
  async ended(outputBytes: number, failure?: ApiError): Promise<void> {
    if (!this.#held) return;
    const { id } = this.#reservation;
    const end = { ...this.#end(outputBytes), ...(failure && { status: failure.status, code: failure.code }) };
    await finish(this.#database, this.#reservation, end, this.#announce).catch((error: unknown) =>
      logFault("end not told of", { id }, error),
    );
  }

  /**
   * Gives everything back for a call that failed, settled or not. Never throws, as the caller is told of the failure
   * itself. Where the database cannot be reached, a reservation is found by the sweep; what may have been charged, the queue keeps
   * until it can be.
   */
  async giveBack({ status, code }: ApiError): Promise<void> {
    const failure = { ...this.#end(this.#log.answerBytes), status, code };
    // Where it is not known whether the call was charged, one of the two finds nothing to do.
    try {
      if (this.#charge !== "made") {
        await twice(() => release(this.#database, this.#reservation, failure, this.#announce));
      }
      if (this.#charge !== "none") {
        await twice(() => refund(this.#database, this.#reservation, failure, this.#announce));
      }
    } catch (error) {
      logFault("credits not given back", { id: this.#reservation.id }, error);
      if (this.#charge === "none") return;
      await twice(() => this.#sendLate(failure)).catch((fault: unknown) =>
        logFault("credits not given back", { id: this.#reservation.id }, fault),
      );
    }
  }

  #end(outputBytes: number | null): CallEnd {
    const { start, bodyBytes, pageCount = null } = this.#log;
    const at = new Date();
    return { at, durationMilliseconds: at.getTime() - start, inputBytes: bodyBytes, outputBytes, pageCount };
  }
}

/** Once more where a service did not answer. */
const twice = <T>(send: () => Promise<T>): Promise<T> => send().catch(send);

async function keyOf(
  c: Context<AppEnv>,
  operation: string,
  parts: readonly FormPart[],
): Promise<RequestKey | undefined> {
  const key = c.req.header(KEY_HEADER);
  if (key === undefined) return undefined;
  const { account, livemode } = c.get("caller");
  const signed: SignedPart[] = [];
  for (const part of parts) {
    if (part.kind === "text") signed.push([part.name, "text", part.value]);
    else signed.push([part.name, "file", part.bytes ? await sha256(part.bytes) : "", part.filename]);
  }
  return requestKey(readEnv(c.env).serverSecret, { account, livemode, operation }, key, signed);
}

async function sha256(bytes: EngineBytes): Promise<string> {
  const stream = new crypto.DigestStream("SHA-256");
  const writer = stream.getWriter();
  for (let start = 0; start < bytes.length; start += DIGEST_STEP) {
    await writer.write(bytes.view(start, Math.min(start + DIGEST_STEP, bytes.length)).slice());
  }
  await writer.close();
  return hex(await stream.digest);
}
