import type { Context, MiddlewareHandler } from "hono";
import { ApiError } from "./errors.ts";
import type { AppEnv } from "./exchange.ts";
import type { FormPart } from "./multipart.ts";
import { type RequestKey, requestKey, type SignedPart } from "../accounts/idempotency.ts";
import { refund, release, type Reservation, reserve, settle, type Settled } from "../accounts/ledger.ts";
import { creditLimit, monthOf } from "../accounts/periods.ts";
import { hex } from "../accounts/token.ts";
import type { EngineBytes } from "../engines/pdf/heap.ts";
import { type Env, readEnv } from "../env.ts";
import type { Operation } from "../operations/define.ts";

const KEY_HEADER = "Idempotency-Key";
const MAX_KEY_LENGTH = 255;
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
      const issue = `must be 1 to ${MAX_KEY_LENGTH} characters`;
      const message = `The header \`${KEY_HEADER}\` ${issue}.`;
      throw new ApiError("invalid_parameters", message, { details: { fields: [{ name: KEY_HEADER, issue }] } });
    }
    const { limit, used } = c.get("credits");
    if (key === undefined && used + credits > limit) throw quotaExceeded(credits, limit, used, new Date());
    await next();
  };
}

function quotaExceeded(credits: number, limit: number, used: number, now: Date): ApiError {
  const { end } = monthOf(now);
  const remaining = Math.max(0, limit - used);
  return new ApiError("quota_exceeded", `The call costs ${credits} credits, and ${remaining} of ${limit} are left.`, {
    details: { limit, used, remaining, resetAt: end.toISOString() },
    headers: { "Retry-After": String(Math.ceil((end.getTime() - now.getTime()) / 1_000)) },
  });
}

/** The credits of one call, from its reservation to the end of its answer. */
export class Payment {
  readonly #database: Env["databases"][number];
  readonly #reservation: Reservation;
  /** `asked`: the database did not say whether it has charged the call. */
  #charge: "none" | "asked" | "made" = "none";

  private constructor(database: Env["databases"][number], reservation: Reservation) {
    this.#database = database;
    this.#reservation = reservation;
  }

  /** Sets the credits aside. Throws 429 `quota_exceeded`, 409 `idempotency_conflict` or 422 `idempotency_key_reused`. */
  static async reserve(c: Context<AppEnv>, operation: Operation, parts: readonly FormPart[]): Promise<Payment> {
    const { account, livemode, plan } = c.get("caller");
    const database = c.get("database");
    const { name, credits } = operation;
    const limit = creditLimit(plan, livemode);
    const key = await keyOf(c, name, parts);
    const now = new Date();
    const result = await reserve(database, { account, livemode, operation: name, credits, limit, key }, now);
    if (!("reason" in result)) return new Payment(database, result);
    if (result.reason === "quota") throw quotaExceeded(credits, limit, result.used, now);
    throw new ApiError(result.reason === "reused" ? "idempotency_key_reused" : "idempotency_conflict");
  }

  /** Charges the call: before the first byte of its answer, which gets these headers. */
  async settle(): Promise<Readonly<Record<string, string>>> {
    this.#charge = "asked";
    const settled = await this.#settleTwice();
    this.#charge = "made";
    return {
      "X-Credits-Charged": String(settled.charged),
      "X-Credits-Remaining": String(settled.remaining),
      ...(this.#reservation.credits === 0 && { "Idempotency-Replayed": "true" }),
    };
  }

  /** Once more where the database did not answer: a charge that came through the first time stays one charge. */
  #settleTwice(): Promise<Settled> {
    return settle(this.#database, this.#reservation).catch(() => settle(this.#database, this.#reservation));
  }

  /**
   * Gives everything back for a call that failed, settled or not. Never throws, as the caller is told of the failure
   * itself; a reservation that cannot be given back now is found by the sweep.
   */
  async giveBack(): Promise<void> {
    try {
      if (this.#charge !== "made") await release(this.#database, this.#reservation);
      if (this.#charge !== "none") await refund(this.#database, this.#reservation);
    } catch (error) {
      const { id } = this.#reservation;
      console.log(JSON.stringify({ level: "error", message: "credits not given back", id, cause: String(error) }));
    }
  }
}

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
