import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { newAccountId } from "../../src/accounts/token.ts";
import type { RequestKey } from "../../src/billing/idempotency.ts";
import * as ledger from "../../src/billing/ledger.ts";
import type { Charge, Reservation } from "../../src/billing/reservation.ts";
import { type Database, openDatabase } from "../../src/db/client.ts";

export const db = openDatabase(env.DB);

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** What a new account of the test asks for, unless a test says otherwise. */
export function chargeOf(given: Partial<Charge> = {}): Charge {
  return {
    account: newAccountId(0),
    livemode: true,
    plan: "free",
    operation: "merge",
    credits: 1,
    limit: 10,
    ...given,
  };
}

/** A key of the account as `requestKey` makes them, with a fingerprint that can be read. */
export function keyOf({ account, operation }: Charge, name = "k", fingerprint = "same"): RequestKey {
  return { id: `${account}:live:${operation}:${name}`, fingerprint };
}

/** `reserve`, where it must not be denied. */
export async function reserved(charge: Charge, now: Date): Promise<Reservation> {
  const result = await ledger.reserve(db, charge, now);
  if (isDenied(result)) throw new Error(`denied: ${result.reason}`);
  return result;
}

export const isDenied = (result: Reservation | ledger.Denied): result is ledger.Denied => "reason" in result;

/** How the calls of these tests end, where their credits are all that matters. */
const end = { at: new Date(), durationMilliseconds: 1, inputBytes: 1, outputBytes: 1, pageCount: null };
const failure = { ...end, status: 500, code: "internal_error" };
const nobody = (): void => {};

export async function settle(db: Database, call: Reservation): Promise<{ charged: number; remaining: number }> {
  const { charged, remaining } = await ledger.settle(db, call, end, nobody);
  return { charged, remaining };
}

export const release = (db: Database, call: Reservation): Promise<void> => ledger.release(db, call, failure, nobody);

export const refund = (db: Database, call: Reservation): Promise<void> => ledger.refund(db, call, failure, nobody);

/** `used` of a period, and what was charged in it by operation, as the tables say. */
export async function periodOf(id: string): Promise<{ used: number; charged: Record<string, number> } | undefined> {
  const period = await env.DB.prepare("SELECT used FROM periods WHERE id = ?").bind(id).first<{ used: number }>();
  const { results } = await env.DB.prepare("SELECT operation, credits FROM period_operations WHERE period = ?")
    .bind(id)
    .all<{ operation: string; credits: number }>();
  if (period === null) return undefined;
  return {
    used: period.used,
    charged: Object.fromEntries(results.map(({ operation, credits }) => [operation, credits])),
  };
}

export async function stateOf({ id }: { readonly id: string }): Promise<string | undefined> {
  const row = await env.DB.prepare("SELECT state FROM ledger WHERE id = ?").bind(id).first<{ state: string }>();
  return row?.state;
}

/** Expects that nothing in the database contradicts itself: that totals are the sums of the rows. */
export async function expectConsistency(): Promise<void> {
  const { results } = await env.DB.prepare(
    `SELECT 'used' AS what, id, used AS said,
       (SELECT COALESCE(SUM(credits), 0) FROM ledger WHERE period = periods.id AND state IN ('reserved', 'settled', 'refund_pending')) AS sum
     FROM periods WHERE said <> sum OR used < 0
     UNION ALL
     SELECT operation, period, credits,
       (SELECT COALESCE(SUM(credits), 0) FROM ledger
        WHERE period = p.period AND operation = p.operation AND state IN ('settled', 'refund_pending')) AS sum
     FROM period_operations AS p WHERE credits <> sum
     UNION ALL
     SELECT 'in flight', id, in_flight, (SELECT state FROM ledger WHERE id = in_flight) AS state
     FROM idempotency WHERE in_flight IS NOT NULL AND state IS NOT 'reserved'
     UNION ALL
     SELECT 'passing state', id, state, NULL FROM ledger WHERE state = 'sweeping'
     UNION ALL
     SELECT 'charged, but not counted', id, credits, NULL FROM ledger
     WHERE state = 'settled' AND credits > 0
       AND NOT EXISTS (SELECT 1 FROM period_operations AS p WHERE p.period = ledger.period AND p.operation = ledger.operation)`,
  ).all();
  expect(results).toEqual([]);
}
