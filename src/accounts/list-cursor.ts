import { and, type Column, count, desc, sql, type SQL } from "drizzle-orm";
import type { SQLiteSelect, SQLiteTable } from "drizzle-orm/sqlite-core";
import { AccountRefusal } from "./refusal.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";

/** A position in a list sorted newest first: after this row. New rows do not move it. */
interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** One page of a list. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** The page that a client requests. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A table, those of its rows that a list consists of, and the prefix of their IDs. */
interface List {
  readonly table: SQLiteTable & { readonly createdAt: Column; readonly id: Column };
  readonly rows: SQL | undefined;
  readonly prefix: Prefix;
}

type Prefix = "key" | "wh" | "evt" | "file" | "job";

/**
 * Narrows a query down to the rows that `pageOf` turns into a page: newest first, and one row more than requested, which shows
 * whether there is a next page. Throws `invalid_parameters` for a bad cursor.
 */
export function pageQuery<Query extends SQLiteSelect>(
  query: Query,
  { table, rows, prefix }: List,
  { limit, cursor }: PageRequest,
) {
  return query
    .where(and(rows, isBehind(table, cursor, prefix)))
    .orderBy(desc(table.createdAt), desc(table.id))
    .limit(limit + 1);
}

/** A page of a list, and how many rows the whole list has. Throws `invalid_parameters` for a bad cursor. */
export async function countedPage<Query extends SQLiteSelect & { readonly _: { readonly result: ListPosition[] } }>(
  db: Database,
  query: Query,
  list: List,
  request: PageRequest,
): Promise<Page<Query["_"]["result"][number]> & { readonly count: number }> {
  const {
    rows,
    total: [total],
  } = await batch(db, {
    rows: pageQuery(query, list, request),
    total: db.select({ count: count() }).from(list.table).where(list.rows),
  });
  return { ...pageOf(rows, request.limit), count: total?.count ?? 0 };
}

/** Turns the rows of `pageQuery` into a page of `limit`. */
export function pageOf<Row extends ListPosition>(rows: readonly Row[], limit: number): Page<Row> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, hasMore: last !== undefined, nextCursor: last === undefined ? null : writeCursor(last) };
}

/**
 * The condition for rows after a cursor; all rows without one. `prefix`: the prefix of the IDs in the list. Throws
 * `invalid_parameters` for a cursor that no such list has returned.
 */
export function isBehind(
  { createdAt, id }: { readonly createdAt: Column; readonly id: Column },
  cursor: string | undefined,
  prefix: Prefix,
): SQL | undefined {
  if (cursor === undefined) return undefined;
  const after = readCursor(cursor, prefix);
  return sql`(${createdAt}, ${id}) < (${sql.param(after.createdAt, createdAt)}, ${after.id})`;
}

/** The position as `nextCursor`: opaque to clients, so that its format can change. */
function writeCursor({ createdAt, id }: ListPosition): string {
  return btoa(`${createdAt.getTime()}:${id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function readCursor(cursor: string, prefix: string): ListPosition {
  const [, milliseconds, id] = /^(\d{1,15}):([0-9A-Za-z_.]{1,80})$/.exec(decoded(cursor)) ?? [];
  if (milliseconds === undefined || id === undefined || !id.startsWith(`${prefix}_`)) {
    const issue = "must be the `nextCursor` of a previous response";
    throw new AccountRefusal("invalid_parameters", `\`cursor\` ${issue}.`, { fields: [{ name: "cursor", issue }] });
  }
  return { createdAt: new Date(Number(milliseconds)), id };
}

function decoded(cursor: string): string {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}
