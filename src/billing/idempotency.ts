import { and, eq, exists, gt, gte, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { idempotency, ledger } from "../db/schema.ts";
import { hex } from "../bytes/hex.ts";

/** Milliseconds that a key is remembered. */
export const KEY_LIFETIME = 24 * 60 * 60 * 1_000;
/** Retries covered by one charge. */
const FREE_REPLAYS = 5;

/** The Idempotency-Key of a request. */
export interface RequestKey {
  /** Account, mode, operation, and the HMAC of the key: the same key on another path is a different key. */
  readonly id: string;
  /** The HMAC of parameters and files. */
  readonly fingerprint: string;
}

/** One part of a form, as signed. */
export type SignedPart = readonly [name: string, kind: "text" | "file", value: string, filename?: string];

/**
 * The ID and fingerprint of a request, which reveal nothing about it without the server's secret. They do not depend on the
 * order of the fields or the boundary.
 */
export async function requestKey(
  secret: string,
  scope: { readonly account: string; readonly livemode: boolean; readonly operation: string },
  key: string,
  parts: readonly SignedPart[],
): Promise<RequestKey> {
  const sorted = parts.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["sign"]);
  const keyHash = await sign(imported, ["key", key]);
  const fingerprint = await sign(imported, ["request", ...sorted]);
  return { id: `${scope.account}:${scope.livemode ? "live" : "test"}:${scope.operation}:${keyHash}`, fingerprint };
}

async function sign(secret: CryptoKey, value: readonly unknown[]): Promise<string> {
  const signed = await crypto.subtle.sign("HMAC", secret, new TextEncoder().encode(JSON.stringify(value)));
  return hex(new Uint8Array(signed));
}

/*
 * Statements for the batches of the ledger, under the ledger's verbs. A key is bound to the ledger row of the request in progress.
 */

const rowOf = (db: Database, condition: SQL | undefined) =>
  sql`EXISTS ${db
    .select({ one: sql`1` })
    .from(idempotency)
    .where(condition)}`;

/** Whether the same request was charged and can be retried without another charge. */
export function isReplay(db: Database, { id, fingerprint }: RequestKey): SQL {
  return rowOf(
    db,
    and(
      eq(idempotency.id, id),
      eq(idempotency.fingerprint, fingerprint),
      isNotNull(idempotency.charge),
      lt(idempotency.replays, FREE_REPLAYS),
    ),
  );
}

/** Whether the key belongs to another request, or to one in progress. */
export function isInUse(db: Database, { id, fingerprint }: RequestKey): SQL {
  return rowOf(
    db,
    and(eq(idempotency.id, id), or(ne(idempotency.fingerprint, fingerprint), isNotNull(idempotency.inFlight))),
  );
}

/** Deletes a key from before `expired`, in milliseconds. */
export function forgetExpired(db: Database, { id }: RequestKey, expired: number) {
  return db
    .delete(idempotency)
    .where(and(eq(idempotency.id, id), isNull(idempotency.inFlight), sql`${idempotency.createdAt} <= ${expired}`));
}

/** Binds the key to the request, if its reservation was created. `now`: in milliseconds. */
export function reserveKey(db: Database, key: RequestKey, ledgerId: string | SQL, now: number) {
  return db
    .insert(idempotency)
    .select(
      db
        .select({
          id: sql<string>`${key.id}`.as("id"),
          fingerprint: sql<string>`${key.fingerprint}`.as("fingerprint"),
          charge: sql<null>`NULL`.as("charge"),
          inFlight: ledger.id,
          replays: sql<number>`0`.as("replays"),
          createdAt: sql<Date>`${now}`.as("created_at"),
        })
        .from(ledger)
        .where(eq(ledger.id, ledgerId)),
    )
    .onConflictDoUpdate({ target: idempotency.id, set: { inFlight: sql`excluded.in_flight` } });
}

/** Records the settled request: as the charge, or as one more retry. */
export function settleKey(db: Database, key: RequestKey, ledgerId: string, credits: number) {
  const counted =
    credits > 0
      ? {
          charge: ledgerId,
          replays: 0,
          createdAt: sql`(SELECT ${ledger.createdAt} FROM ${ledger} WHERE ${ledger.id} = ${ledgerId})`,
        }
      : { replays: sql`${idempotency.replays} + 1` };
  return db
    .update(idempotency)
    .set({ ...counted, inFlight: null })
    .where(boundTo(key, ledgerId));
}

/** Frees the key of a failed request: without a charge, it is deleted. */
export const releaseKey = (db: Database, key: RequestKey, ledgerId: string) => freeKeys(db, boundTo(key, ledgerId));

/** Frees the keys of the reservations that the sweep is releasing. */
export function releaseSweptKeys(db: Database) {
  const swept = db.select({ id: ledger.id }).from(ledger).where(eq(ledger.state, "sweeping"));
  const keys = db.select({ key: ledger.idempotency }).from(ledger).where(eq(ledger.state, "sweeping"));
  return freeKeys(db, and(inArray(idempotency.id, keys), inArray(idempotency.inFlight, swept)));
}

function freeKeys(db: Database, bound: SQL | undefined) {
  return {
    uncharged: db.delete(idempotency).where(and(bound, isNull(idempotency.charge))),
    charged: db.update(idempotency).set({ inFlight: null }).where(bound),
  };
}

/** Whether retries depend on this charge: they have succeeded or are in progress. */
export function isShared(db: Database, { id }: RequestKey, ledgerId: string): SQL {
  const others = or(ne(idempotency.charge, ledgerId), gt(idempotency.replays, 0), isNotNull(idempotency.inFlight));
  return rowOf(db, and(eq(idempotency.id, id), others));
}

/** Deletes the key of a charge that is being refunded; an aborted retry does not count as a retry. */
export function refundKey(db: Database, key: RequestKey, ledgerId: string, credits: number) {
  const stillSettled = db
    .select({ one: sql`1` })
    .from(ledger)
    .where(
      and(
        eq(ledger.id, ledgerId),
        eq(ledger.state, "settled"),
        // A retry of an earlier charge does not count toward this one.
        gte(ledger.createdAt, idempotency.createdAt),
      ),
    );
  return credits > 0
    ? db
        .delete(idempotency)
        .where(and(eq(idempotency.id, key.id), eq(idempotency.charge, ledgerId), exists(stillSettled)))
    : db
        .update(idempotency)
        .set({ replays: sql`MAX(0, ${idempotency.replays} - 1)` })
        .where(and(eq(idempotency.id, key.id), exists(stillSettled)));
}

function boundTo({ id }: RequestKey, ledgerId: string) {
  return and(eq(idempotency.id, id), eq(idempotency.inFlight, ledgerId));
}
