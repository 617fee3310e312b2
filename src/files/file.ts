import type { R2Bucket } from "@cloudflare/workers-types";
import { and, eq, gt, inArray, isNull, or, type SQL } from "drizzle-orm";
import { AccountRefusal } from "../accounts/refusal.ts";
import type { ServerSecrets } from "../accounts/sealed-secret.ts";
import type { Database } from "../db/client.ts";
import { files } from "../db/schema.ts";

/** Where the bytes of files are kept. */
export interface FileStore {
  readonly bucket: R2Bucket;
  /** The key that encrypts the keys of files in the database is derived from these. */
  readonly serverSecrets: ServerSecrets;
}

/** Whose files are meant: those of an account in one of its modes. */
export interface FileOwner {
  readonly account: string;
  readonly livemode: boolean;
  /** The job whose own files are meant, too. Nobody else sees them. */
  readonly job?: string;
}

/** A file as its owner sees it. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** By its first bytes; null until it is `ready`. */
  readonly contentType: string | null;
  /** Lower-case hexadecimal; null until it is `ready`. */
  readonly sha256: string | null;
  readonly status: "pending" | "ready";
  readonly livemode: boolean;
  readonly createdAt: Date;
  /** Until it is `ready`: when the upload is abandoned. */
  readonly expiresAt: Date;
  /** The parts of an upload that is not complete. */
  readonly parts?: FileParts;
}

/** An upload in parts. */
export interface FileParts {
  /** Bytes of each part but the last. */
  readonly size: number;
  readonly count: number;
  /** The numbers of those that have arrived, from 1, in order. */
  readonly received: readonly number[];
}

/** The visible columns. The key is not among them. */
export const shownColumns = {
  id: files.id,
  name: files.name,
  size: files.size,
  contentType: files.contentType,
  sha256: files.sha256,
  state: files.state,
  livemode: files.livemode,
  createdAt: files.createdAt,
  expiresAt: files.expiresAt,
};

type ShownRow = Pick<typeof files.$inferSelect, keyof typeof shownColumns>;

export const fileOf = (row: ShownRow): StoredFile => ({
  id: row.id,
  name: row.name,
  size: row.size,
  contentType: row.contentType,
  sha256: row.sha256,
  status: row.state === "ready" ? "ready" : "pending",
  livemode: row.livemode,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
});

/** The files of an owner. Every query about files has this condition. */
export const visibleTo = ({ account, livemode, job }: FileOwner): SQL | undefined =>
  and(
    eq(files.account, account),
    eq(files.livemode, livemode),
    job === undefined ? isNull(files.job) : or(isNull(files.job), eq(files.job, job)),
  );

/** The file with this ID, if it is the owner's. */
const visibleAs = (owner: FileOwner, id: string): SQL | undefined => and(eq(files.id, id), visibleTo(owner));

/** The files that take space: those that are kept, and those that are being uploaded. */
export const taking = (now: Date): SQL | undefined =>
  and(inArray(files.state, ["uploading", "pending", "ready"]), gt(files.expiresAt, now));

export const noSuchFile = (): AccountRefusal => new AccountRefusal("not_found", "No such file.");

/** The 410 for a file that has expired, or whose bytes are gone. */
export const fileExpired = (): AccountRefusal =>
  new AccountRefusal("expired", "The file has expired. Upload it again.");

/**
 * The row of a file. Throws `not_found` for a file of another account or mode exactly as for one that never existed: it is the
 * same query. A file that a single request is still uploading does not exist yet. Throws `expired`.
 */
export async function fileRow(db: Database, owner: FileOwner, id: string, now: Date) {
  const [row] = await db.select().from(files).where(visibleAs(owner, id));
  if (row === undefined || row.state === "uploading" || row.state === "deleted") throw noSuchFile();
  if (row.state === "expired" || row.expiresAt <= now) throw fileExpired();
  return row;
}

/** The key of an object in the bucket: below the digit of its database, so that the sweep of each database sees its own. */
export const objectKey = (id: string): string => `${id.slice(-1)}/${id}`;
