import { and, eq, exists, gt, type SQL, sql } from "drizzle-orm";
import {
  forgetExpired,
  isInUse,
  isReplay,
  isShared,
  KEY_LIFETIME,
  refundKey,
  releaseKey,
  type RequestKey,
  reserveKey,
  settleKey,
} from "./idempotency.ts";
import {
  completedEvent,
  type CompletedEvent,
  failedEvent,
  type RequestEnd,
  type RequestFailure,
} from "./operation-events.ts";
import type { Charge, Reservation } from "./reservation.ts";
import { emitThresholds, passedThresholds } from "./thresholds.ts";
import { monthOf, periodId } from "../accounts/periods.ts";
import { newId } from "../accounts/token.ts";
import { batch, writtenOnce } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { idempotency, ledger, type ledgerStates, periodOperations, periods } from "../db/schema.ts";
import { deliveriesOf, dropHeld, emit, type Enqueue, heldFor, hold, isHeld } from "../events/outbox.ts";

/* The credits of a request: `reserve` before the work; then `settle`, which charges them, or `release`. `refund` reverses a
   charge. Each is one idempotent batch. */

type State = (typeof ledgerStates)[number];

/** Why no credits were reserved: too few are left, or the Idempotency-Key is in use or belongs to another request. */
export type Denied =
  | { readonly reason: "quota"; readonly used: number; readonly warned: number }
  | { readonly reason: "in flight" }
  | { readonly reason: "reused" };

/**
 * Reserves the credits of a request, or returns why not. Of two requests for the last credit, one wins. If the database does
 * not respond, the reservation may or may not exist, so it is released; if that fails too, the sweep releases it.
 */
export async function reserve(db: Database, charge: Charge, now: Date): Promise<Reservation | Denied> {
  const { key, limit, operation, credits: asked } = charge;
  const month = monthOf(now);
  const period = periodId(charge.account, charge.livemode, month);
  const id = `${charge.account}/${charge.requestId ?? crypto.randomUUID()}`;
  const values = { id, period, operation, credits: asked, limit, start: month.start, now: now.getTime() };
  const expired = now.getTime() - KEY_LIFETIME;
  const reserving = key
    ? reserveWithKey(db, { ...values, key: key.id, fingerprint: key.fingerprint, expired })
    : reserveAlone(db, values);
  const results = await reserving.catch(async (error: unknown) => {
    await batch(db, releaseSteps(db, { id, key })).catch(() => {});
    throw error;
  });
  const [standing] = results.found;
  if (standing === undefined) throw new Error(`the period ${period} does not exist right after it was made`);
  const { credits } = standing;
  if (credits !== null) return reservationOf(charge, { id, period, month, credits }, standing);
  if (standing.fingerprint !== null && standing.fingerprint !== key?.fingerprint) return { reason: "reused" };
  return standing.inFlight === null
    ? { reason: "quota", used: standing.used, warned: standing.warned }
    : { reason: "in flight" };
}

/** A reservation that was made, and the period right after it. */
export function reservationOf(
  charge: Charge,
  row: Pick<Reservation, "id" | "period" | "month" | "credits">,
  period: { readonly used: number; readonly warned: number },
): Reservation {
  const { limit, key } = charge;
  const thresholds = passedThresholds(period, limit);
  return { ...row, limit, charge, key, thresholds, remaining: Math.max(0, limit - period.used) };
}

/** What a reservation is made of; as expressions where only the database knows it. */
interface Reserving {
  readonly id: string | SQL;
  /** NULL: nothing is reserved. */
  readonly period: string | SQL;
  readonly operation: string;
  readonly credits: number;
  readonly limit: number | SQL;
  /** In milliseconds. */
  readonly now: number;
}

interface ReserveValues extends Reserving {
  readonly id: string;
  readonly period: string;
  readonly limit: number;
  readonly start: Date;
}

const reserveAlone = writtenOnce((db, values: ReserveValues) => ({
  begin: beginPeriod(db, values),
  ...reserveSteps(db, values),
  found: findReserved(db, values),
}));

const reserveWithKey = writtenOnce(
  (db, values: ReserveValues & { readonly key: string; readonly fingerprint: string; readonly expired: number }) => {
    const key = { id: values.key, fingerprint: values.fingerprint };
    return {
      expired: forgetExpired(db, key, values.expired),
      begin: beginPeriod(db, values),
      ...reserveSteps(db, values, key),
      found: findReserved(db, values, key),
    };
  },
);

const beginPeriod = (db: Database, { period, start }: ReserveValues) =>
  db.insert(periods).values({ id: period, start, used: 0 }).onConflictDoNothing();

/** The statements that reserve credits of a period that has begun, if it has enough. */
export function reserveSteps(
  db: Database,
  { id, period, operation, credits, limit, now }: Reserving,
  key?: RequestKey,
) {
  const isRepeated = key === undefined ? sql`0` : isReplay(db, key);
  return {
    row: db.insert(ledger).select(
      db
        .select({
          id: sql<string>`${id}`.as("id"),
          period: periods.id,
          operation: sql<string>`${operation}`.as("operation"),
          credits: sql<number>`CASE WHEN ${isRepeated} THEN 0 ELSE ${credits} END`.as("credits"),
          state: sql<State>`'reserved'`.as("state"),
          createdAt: sql<Date>`${now}`.as("created_at"),
          idempotency: sql<string | null>`${key?.id ?? null}`.as("idempotency"),
        })
        .from(periods)
        .where(
          and(
            eq(periods.id, period),
            sql`(${isRepeated} OR ${periods.used} + ${credits} <= ${limit})`,
            key && sql`NOT ${isInUse(db, key)}`,
          ),
        ),
    ),
    used: changeUsed(db, id, "reserved", sql`${periods.used} + ${ledger.credits}`),
    key: key && reserveKey(db, key, id, now),
  };
}

function findReserved(db: Database, { id, period }: ReserveValues, key?: RequestKey) {
  return db
    .select({
      used: periods.used,
      warned: periods.warned,
      credits: ledger.credits,
      fingerprint: idempotency.fingerprint,
      inFlight: idempotency.inFlight,
    })
    .from(periods)
    .leftJoin(ledger, eq(ledger.id, id))
    .leftJoin(idempotency, eq(idempotency.id, key?.id ?? ""))
    .where(eq(periods.id, period));
}

/** The credits a settled request was charged, and the account's remaining credits. */
export interface Settled {
  readonly charged: number;
  readonly remaining: number;
  /** Whether an event waits for the end of the response. */
  readonly held: boolean;
}

/**
 * Charges a request. A reservation that the sweep has released as abandoned is no longer charged. Emits `operation.completed`,
 * or holds it for `finish` if the response is streamed. `credits`: the charge, if less than reserved.
 */
export async function settle(
  db: Database,
  reservation: Reservation,
  end: RequestEnd,
  enqueue: Enqueue,
  credits = reservation.credits,
): Promise<Settled> {
  const { id, period, limit, key, charge, month, thresholds } = reservation;
  const { account, livemode, at, data, trace = null } = completedEvent({ ...reservation, credits }, end);
  const isStreamed = end.outputBytes === null;
  const values = { id, period, eventId: newId("evt"), account, livemode, at, data, trace };
  const isLess = credits < reservation.credits;
  const isUsual = key === undefined && thresholds.length === 0 && !isLess;
  const results = await (isUsual
    ? (isStreamed ? settleStreamed : settleWhole)(db, values)
    : batch(
        db,
        settleSteps(db, values, isStreamed, {
          less: isLess ? chargeLess(db, reservation, credits) : undefined,
          key: key && settleKey(db, key, id, credits),
          thresholds: emitThresholds(db, { ...charge, month }, thresholds, end.at),
        }),
      ));
  const [found] = results.found;
  if (found === undefined) throw new Error("the reservation is not in the ledger");
  const passed = (results.thresholds ?? []).map(({ event }) => event);
  enqueue(deliveriesOf(...(results.event === undefined ? [] : [results.event]), ...passed));
  const isCharged = found.state === "reserved" || found.state === "settled";
  return {
    charged: isCharged ? credits : 0,
    remaining: Math.max(0, limit - found.used),
    held: results.held !== undefined && results.held.length > 0,
  };
}

interface SettleValues extends Pick<CompletedEvent, "account" | "livemode" | "at" | "data"> {
  readonly id: string;
  readonly period: string;
  readonly eventId: string;
  /** A statement that is written once has a value for it, too. */
  readonly trace: string | null;
}

/** The parts that only some requests have to settle. */
interface SettleMore {
  readonly less?: ReturnType<typeof chargeLess> | undefined;
  readonly key?: ReturnType<typeof settleKey> | undefined;
  readonly thresholds?: ReturnType<typeof emitThresholds>;
}

const settleWhole = writtenOnce((db, values: SettleValues) => settleSteps(db, values, false));
const settleStreamed = writtenOnce((db, values: SettleValues) => settleSteps(db, values, true));

function settleSteps(
  db: Database,
  { id, period, eventId, account, livemode, at, data, trace }: SettleValues,
  isStreamed: boolean,
  { less, key, thresholds }: SettleMore = {},
) {
  const completed = { type: "operation.completed", account, livemode, at, data, trace } as const;
  const isReserved = isIn(db, id, "reserved");
  return {
    // First in the batch, to see the row while it is still reserved.
    found: db
      .select({ used: periods.used, state: ledger.state })
      .from(ledger)
      .innerJoin(periods, eq(periods.id, period))
      .where(eq(ledger.id, id)),
    event: isStreamed ? undefined : emit(db, completed, isReserved, eventId),
    hold: isStreamed ? hold(db, completed, id, isReserved, eventId) : undefined,
    less,
    byOperation: db
      .insert(periodOperations)
      .select(
        db
          .select({ period: ledger.period, operation: ledger.operation, credits: ledger.credits })
          .from(ledger)
          .where(and(eq(ledger.id, id), eq(ledger.state, "reserved"))),
      )
      .onConflictDoUpdate({
        target: [periodOperations.period, periodOperations.operation],
        set: { credits: sql`${periodOperations.credits} + excluded.credits` },
      }),
    key,
    state: moveState(db, id, "reserved", "settled"),
    thresholds,
    held: isStreamed ? heldFor(db, id) : undefined,
  };
}

/**
 * Emits the held event at the end of a streamed response: complete, abandoned by its client, or aborted by a fault of the document, which stays charged.
 */
export async function finish(
  db: Database,
  reservation: Reservation,
  end: RequestEnd | RequestFailure,
  enqueue: Enqueue,
): Promise<void> {
  const { id, credits } = reservation;
  const ended = "code" in end ? failedEvent(reservation, end, credits) : completedEvent(reservation, end);
  const { event } = await batch(db, { event: emit(db, ended, isHeld(db, id)), held: dropHeld(db, id) });
  enqueue(deliveriesOf(event));
}

/** Releases the reservation of a failed request and emits the failure. */
export async function release(
  db: Database,
  reservation: Reservation,
  end: RequestFailure,
  enqueue: Enqueue,
): Promise<void> {
  const { event } = await batch(db, {
    event: emit(db, failedEvent(reservation, end), isIn(db, reservation.id, "reserved")),
    ...releaseSteps(db, reservation),
  });
  enqueue(deliveriesOf(event));
}

/** Releases the reservation of a request that was rejected before its operation ran, which is no event. */
export async function cancel(db: Database, reservation: Reservation): Promise<void> {
  await batch(db, releaseSteps(db, reservation));
}

/**
 * Refunds the charge of a response that was aborted because the service failed, and emits the failure. If the request has been
 * retried in the meantime, the charge stands for the retries (`refund_pending`), and the sweep refunds it if none of them
 * succeeds.
 */
export async function refund(
  db: Database,
  reservation: Reservation,
  end: RequestFailure,
  enqueue: Enqueue,
): Promise<void> {
  const { id, period, key, credits } = reservation;
  const isSettled = isIn(db, id, "settled");
  const { event } = await batch(db, {
    event: emit(db, failedEvent(reservation, end), isSettled),
    held: dropHeld(db, id),
    pending:
      key &&
      db
        .update(ledger)
        .set({ state: "refund_pending" })
        .where(and(eq(ledger.id, id), eq(ledger.state, "settled"), gt(ledger.credits, 0), isShared(db, key, id))),
    byOperation: db
      .update(periodOperations)
      .set({ credits: sql`${periodOperations.credits} - ${credits}` })
      .where(
        and(
          eq(periodOperations.period, period),
          eq(
            periodOperations.operation,
            db.select({ operation: ledger.operation }).from(ledger).where(eq(ledger.id, id)),
          ),
          isSettled,
        ),
      ),
    used: subtractUsed(db, id, "settled"),
    key: key && refundKey(db, key, id, credits),
    state: moveState(db, id, "settled", "refunded"),
  });
  enqueue(deliveriesOf(event));
}

/** Releases a reservation and its Idempotency-Key. */
const releaseSteps = (db: Database, { id, key }: Pick<Reservation, "id" | "key">) => ({
  ...releaseRow(db, id),
  key: key && releaseKey(db, key, id),
});

export const releaseRow = (db: Database, id: string | SQL) => ({
  used: subtractUsed(db, id, "reserved"),
  state: moveState(db, id, "reserved", "released"),
});

/** Charges a reservation less than was reserved. */
function chargeLess(db: Database, { id, period, credits: reserved }: Reservation, credits: number) {
  return {
    used: db
      .update(periods)
      .set({ used: sql`${periods.used} - ${reserved - credits}` })
      .where(and(eq(periods.id, period), isIn(db, id, "reserved"))),
    row: db
      .update(ledger)
      .set({ credits })
      .where(and(eq(ledger.id, id), eq(ledger.state, "reserved"))),
  };
}

/** Subtracts the credits of a row from its period if the row is in this state. */
const subtractUsed = (db: Database, id: string | SQL, state: State) =>
  changeUsed(db, id, state, sql`${periods.used} - ${ledger.credits}`);

/** Changes the period of a row if the row is in this state. */
function changeUsed(db: Database, id: string | SQL, state: State, used: SQL) {
  return db
    .update(periods)
    .set({ used })
    .from(ledger)
    .where(and(eq(ledger.id, id), eq(ledger.state, state), eq(periods.id, ledger.period)));
}

function moveState(db: Database, id: string | SQL, from: State, to: State) {
  return db
    .update(ledger)
    .set({ state: to })
    .where(and(eq(ledger.id, id), eq(ledger.state, from)));
}

/**
 * Whether the row is still in the state in which this request left it: the sweep, or another attempt, may have changed it
 * first.
 */
function isIn(db: Database, id: string, state: State) {
  return exists(
    db
      .select({ one: sql`1` })
      .from(ledger)
      .where(and(eq(ledger.id, id), eq(ledger.state, state))),
  );
}
