import { and, eq, exists, gt, gte, inArray, isNotNull, isNull, lt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { idempotency, ledger } from "../db/schema.ts";
import { hex } from "../accounts/token.ts";

/** For how long a key is known, in milliseconds. */
export const KEY_LIFETIME = 24 * 60 * 60 * 1_000;
/** How often one charge stands for the same request again. */
const FREE_REPLAYS = 5;

/** A request that came with an Idempotency-Key. */
export interface RequestKey {
  /** Account, mode, operation and HMAC of the key: another path is another key. */
  readonly id: string;
  /** HMAC of parameters and files. */
  readonly fingerprint: string;
}

/** What is signed of one part of a form. */
export type SignedPart = readonly [name: string, kind: "text" | "file", value: string, filename?: string];

/**
 * The row's id and fingerprint of a request. Nothing of the request can be had from them without the server's secret.
 * The order of the fields does not matter, nor does the boundary.
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
  return hex(signed);
}

/** Statements for the ledger's batches follow, in which a row is found by its id and the call that it is bound to. */

const rowOf = (db: Database, condition: SQL | undefined) =>
  sql`EXISTS ${db
    .select({ one: sql`1` })
    .from(idempotency)
    .where(condition)}`;

/** Whether the same request was paid and may be repeated. */
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

/** Whether the key is not free for this request: another one's, or at work. */
export function isTaken(db: Database, { id, fingerprint }: RequestKey): SQL {
  return rowOf(
    db,
    and(eq(idempotency.id, id), or(ne(idempotency.fingerprint, fingerprint), isNotNull(idempotency.inFlight))),
  );
}

/** Forgets a key whose time is over. */
export function forgetExpired(db: Database, { id }: RequestKey, now: Date) {
  return db
    .delete(idempotency)
    .where(
      and(
        eq(idempotency.id, id),
        isNull(idempotency.inFlight),
        lte(idempotency.createdAt, new Date(now.getTime() - KEY_LIFETIME)),
      ),
    );
}

/** Binds the key to the call, if its reservation stands. */
export function markInFlight(db: Database, key: RequestKey, ledgerId: string, now: Date) {
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
          createdAt: sql<Date>`${now.getTime()}`.as("created_at"),
        })
        .from(ledger)
        .where(eq(ledger.id, ledgerId)),
    )
    .onConflictDoUpdate({ target: idempotency.id, set: { inFlight: sql`excluded.in_flight` } });
}

/** Counts the call that has just been settled: as the charge, or as one more that needed none. */
export function noteCharge(db: Database, key: RequestKey, ledgerId: string, credits: number) {
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

/** Frees the key of a call that did not succeed: where nothing was ever paid under it, it is forgotten. */
export function freeKey(db: Database, key: RequestKey, ledgerId: string) {
  return [
    db.delete(idempotency).where(and(boundTo(key, ledgerId), isNull(idempotency.charge))),
    db.update(idempotency).set({ inFlight: null }).where(boundTo(key, ledgerId)),
  ] as const;
}

/** Whether other calls depend on this charge, or did: repetitions that succeeded or are at work. */
export function isShared(db: Database, { id }: RequestKey, ledgerId: string): SQL {
  const others = or(ne(idempotency.charge, ledgerId), gt(idempotency.replays, 0), isNotNull(idempotency.inFlight));
  return rowOf(db, and(eq(idempotency.id, id), others));
}

/** Forgets the key of a charge that is taken back; a repetition that broke off does not count. */
export function withdrawCharge(db: Database, key: RequestKey, ledgerId: string, credits: number) {
  const stillSettled = db
    .select({ one: sql`1` })
    .from(ledger)
    .where(
      and(
        eq(ledger.id, ledgerId),
        eq(ledger.state, "settled"),
        // A repetition of an earlier charge is none of this one.
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

/** The sweep: frees the keys of calls that were given up, like `freeKey`. */
export function freeKeysOfExpiring(db: Database) {
  const given = db.select({ id: ledger.id }).from(ledger).where(eq(ledger.state, "expiring"));
  const keys = db.select({ key: ledger.idempotency }).from(ledger).where(eq(ledger.state, "expiring"));
  const bound = and(inArray(idempotency.id, keys), inArray(idempotency.inFlight, given));
  return [
    db.delete(idempotency).where(and(bound, isNull(idempotency.charge))),
    db.update(idempotency).set({ inFlight: null }).where(bound),
  ] as const;
}

function boundTo({ id }: RequestKey, ledgerId: string) {
  return and(eq(idempotency.id, id), eq(idempotency.inFlight, ledgerId));
}
