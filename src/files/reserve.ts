import { and, count, eq, lt, lte, sql, type SQL } from "drizzle-orm";
import { newFileKey } from "./cipher.ts";
import { type FileOwner, type FileStore, taking, visibleTo } from "./file.ts";
import type { Plan } from "../accounts/plans.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { seal } from "../accounts/sealed-secret.ts";
import { newFileId } from "../accounts/token.ts";
import type { Database } from "../db/client.ts";
import { rowOf } from "../db/row.ts";
import { accounts, files } from "../db/schema.ts";
import { limits, MiB } from "../limits.ts";

/** A row for bytes that have not arrived. */
export interface Reservation {
  readonly state: "uploading" | "pending";
  readonly name: string;
  /** The size in bytes, or the most that it can become. */
  readonly size: number;
  readonly partBytes: number;
  readonly keptSeconds: number;
  /** When the upload is abandoned. */
  readonly expiresAt: Date;
  /** What the account may store. Without it, there is no limit: what jobs store is limited by their number. */
  readonly quota: FileQuota | undefined;
}

/** What a plan allows. */
export type FileQuota = Pick<Plan, "largestFileBytes" | "storedBytes">;

/**
 * Makes room for a file and creates its row and its key. Throws `file_too_large` for a file that is larger than the plan
 * allows, and `limit_reached` if the account's files take too much space, or are too many.
 */
export async function reserveFile(
  db: Database,
  { serverSecrets }: FileStore,
  owner: FileOwner,
  { quota, ...reservation }: Reservation,
  now: Date,
) {
  const { account, livemode, job = null } = owner;
  if (quota !== undefined && reservation.size > quota.largestFileBytes) {
    throw fileTooLarge(quota.largestFileBytes, reservation.size);
  }
  const id = newFileId(account);
  const key = newFileKey();
  const stored = and(visibleTo(owner), taking(now));
  const row = rowOf(files, {
    ...reservation,
    id,
    account: accounts.id,
    livemode,
    job,
    contentType: null,
    sha256: null,
    key: await seal(serverSecrets, "file keys", id, key),
    nonces: null,
    uploadId: null,
    createdAt: now,
  });
  const sum: SQL<number> = sql`(select coalesce(sum(${files.size}), 0) from ${files} where ${stored})`;
  const fits =
    quota &&
    and(lt(db.$count(files, stored), limits.storage.kept), lte(sql`${sum} + ${reservation.size}`, quota.storedBytes));
  // One statement counts and inserts: of two concurrent uploads for the last place, one wins.
  const [made] = await db
    .insert(files)
    .select(sql`select ${row} from ${accounts} where ${and(eq(accounts.id, account), fits)}`)
    .returning();
  if (made !== undefined) return { row: made, key };
  if (quota === undefined) throw new Error("the account of the file does not exist");
  const [others] = await db.select({ count: count() }).from(files).where(stored);
  if (others !== undefined && others.count >= limits.storage.kept) {
    throw limitReached(
      `Your account already has ${limits.storage.kept.toLocaleString("en-US")} files in this mode.`,
      limits.storage.kept,
    );
  }
  throw limitReached(
    `Your plan keeps up to ${(quota.storedBytes / MiB).toLocaleString("en-US")} MiB of files in each mode, and this file does not fit.`,
    quota.storedBytes,
  );
}

const limitReached = (reason: string, limit: number): AccountRefusal =>
  new AccountRefusal("limit_reached", `${reason} Delete a file, or wait until one expires.`, { limit });

/** The error for a file that is larger than the plan allows. `actual` is its size or, unless `isWhole`, the bytes so far. */
export function fileTooLarge(limit: number, actual: number, isWhole = true): AccountRefusal {
  const inMiB = (bytes: number): string => (bytes / MiB).toLocaleString("en-US", { maximumFractionDigits: 1 });
  const size = isWhole && inMiB(actual) !== inMiB(limit) ? `${inMiB(actual)} MiB` : "larger";
  const message = `Your plan allows files of up to ${inMiB(limit)} MiB; this one is ${size}.`;
  return new AccountRefusal("file_too_large", message, { limit, actual });
}
