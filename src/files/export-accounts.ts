/** Accounts as lines of JSON, to move them from one server to another. */
import type { R2Bucket, R2MultipartUpload, R2UploadedPart } from "@cloudflare/workers-types";
import { and, eq, getTableColumns, getTableName, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { below, eraseAccount } from "./erase-account.ts";
import { objectKey } from "./file.ts";
import { settingOf } from "../accounts/server-settings.ts";
import { shardOfAccount } from "../accounts/token.ts";
import { base64, fromBase64 } from "../bytes/base64.ts";
import type { Database } from "../db/client.ts";
import { accounts, apiKeys, files, periodOperations, periods, webhooks } from "../db/schema.ts";

type Databases = readonly [Database, ...Database[]];

const FORMAT = "pdf-service accounts";
const VERSION = 1;
/** Bytes of an object that are read, and written, at a time: R2's parts have 5 MiB or more. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** Rows that are written at a time: wrangler takes them as an argument, of 128 KiB at most. */
const ROWS = 20;

/** The tables that move, in the order in which their rows can be written, and the condition for the rows of an account. */
const moved: readonly { readonly table: SQLiteTable; rows(account: string, now: Date): SQL | undefined }[] = [
  { table: accounts, rows: (account) => eq(accounts.id, account) },
  { table: apiKeys, rows: (account) => eq(apiKeys.account, account) },
  { table: periods, rows: (account) => below(periods.id, account, ":") },
  { table: periodOperations, rows: (account) => below(periodOperations.period, account, ":") },
  { table: webhooks, rows: (account) => eq(webhooks.account, account) },
  {
    table: files,
    rows: (account, now) =>
      and(eq(files.account, account), eq(files.state, "ready"), isNull(files.job), gt(files.expiresAt, now)),
  },
];

type Row = Readonly<Record<string, unknown>>;

/** A line of the file. */
type Line =
  | { readonly format: string; readonly version: number; readonly secret: string | null }
  | { readonly account: string; readonly table: string; readonly row: Row }
  | { readonly account: string; readonly object: string; readonly size: number }
  | { readonly bytes: string }
  | { readonly end: true };

/** The numbers of exported or imported objects. */
export interface Moved {
  readonly accounts: number;
  readonly keys: number;
  readonly webhooks: number;
  readonly files: number;
  /** Files that were left out, because there is no access to the bucket. */
  readonly filesLeftOut: number;
}

/** Which lines, by what `Moved` counts. */
const counted = { accounts: "accounts", keys: "api_keys", webhooks: "webhooks", files: "files" } as const;

class Count {
  readonly #rows = new Map<string, number>();
  filesLeftOut = 0;

  add(table: string): void {
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + 1);
  }

  get moved(): Moved {
    const of = (name: keyof typeof counted): number => this.#rows.get(counted[name]) ?? 0;
    return {
      accounts: of("accounts"),
      keys: of("keys"),
      webhooks: of("webhooks"),
      files: of("files"),
      filesLeftOut: this.filesLeftOut,
    };
  }
}

/**
 * Writes accounts with their keys, usage, webhooks, and stored files as lines; all accounts, or one. Throws if there is no such account. Secrets of
 * webhooks and files stay encrypted under the server's secret. Without a bucket, files are left out. Jobs, events, and records of
 * `Idempotency-Key` do not move.
 */
export async function exportAccounts(
  databases: Databases,
  bucket: R2Bucket | undefined,
  { account, now }: { readonly account: string | undefined; readonly now: Date },
  write: (line: string) => Promise<void>,
): Promise<Moved> {
  const count = new Count();
  const add = (line: Line): Promise<void> => write(`${JSON.stringify(line)}\n`);
  await add({ format: FORMAT, version: VERSION, secret: (await settingOf(databases[0], "secret check")) ?? null });
  for (const db of databases) {
    const ids = await db
      .select({ id: accounts.id })
      .from(accounts)
      .where(account === undefined ? undefined : eq(accounts.id, account));
    for (const { id } of ids) {
      for (const { table, rows } of moved) {
        const found = await db.all<Row>(sql`select * from ${table} where ${rows(id, now)}`);
        for (const row of found) {
          if (table === files && (bucket === undefined || !(await writeObject(bucket, id, String(row["id"]), add)))) {
            count.filesLeftOut += 1;
            continue;
          }
          await add({ account: id, table: getTableName(table), row });
          count.add(getTableName(table));
        }
      }
    }
  }
  await add({ end: true });
  if (account !== undefined && count.moved.accounts === 0) throw new Error(`${account} does not exist.`);
  return count.moved;
}

/** Writes the encrypted bytes of a file. False if they are gone. */
async function writeObject(
  bucket: R2Bucket,
  account: string,
  file: string,
  add: (line: Line) => Promise<void>,
): Promise<boolean> {
  const head = await bucket.head(objectKey(file));
  if (head === null) return false;
  await add({ account, object: file, size: head.size });
  for (let offset = 0; offset < head.size; offset += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, head.size - offset);
    const piece = await bucket.get(objectKey(file), { range: { offset, length } });
    if (piece === null) throw new Error(`The bytes of ${file} were deleted meanwhile. Export again.`);
    await add({ bytes: base64(new Uint8Array(await piece.arrayBuffer())) });
  }
  return true;
}

/**
 * Writes exported accounts into the databases that their IDs name, and their files into the bucket. Throws and leaves nothing behind if an account
 * exists, has no database here, or the lines are not those of an export as a whole. `isOtherSecret`: whether the data was encrypted under another
 * secret than that of the databases.
 */
export async function importAccounts(
  databases: Databases,
  bucket: R2Bucket | undefined,
  lines: AsyncIterable<string>,
  now: Date,
): Promise<Moved & { readonly isOtherSecret: boolean }> {
  const count = new Count();
  const begun = new Map<string, Database>();
  const pending = new Pending();
  let secret: string | null | undefined;
  let object: IncomingObject | undefined;
  let isComplete = false;
  try {
    for await (const text of lines) {
      const line = lineOf(text);
      if ("format" in line) {
        if (line.format !== FORMAT || line.version !== VERSION) throw notAnExport();
        secret = line.secret;
      } else if (secret === undefined) {
        throw notAnExport();
      } else if ("end" in line) {
        isComplete = true;
      } else if ("bytes" in line) {
        await object?.add(fromBase64(line.bytes));
      } else if ("object" in line) {
        object = bucket && new IncomingObject(bucket, objectKey(line.object), line.size);
      } else {
        if (line.table === "accounts") begun.set(line.account, await newHome(databases, line.account));
        const db = begun.get(line.account);
        if (db === undefined) throw notAnExport();
        if (line.table === "files" && bucket === undefined) {
          count.filesLeftOut += 1;
          continue;
        }
        await pending.add(db, insertOf(line.table, line.row));
        count.add(line.table);
      }
    }
    if (!isComplete) throw new Error("The export ends early. Nothing was imported.");
    await pending.flush();
  } catch (error) {
    // Whatever a first row has made: the account did not exist before.
    for (const [account, db] of begun) await eraseAccount(db, account, { bucket, settings: databases[0], now });
    throw error;
  }
  const own = await settingOf(databases[0], "secret check");
  return { ...count.moved, isOtherSecret: own !== undefined && secret !== null && own !== secret };
}

const notAnExport = (): Error => new Error("The file is not an export of accounts. Nothing was imported.");

function lineOf(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    throw notAnExport();
  }
}

/** The database of an account that is not there yet. */
async function newHome(databases: Databases, account: string): Promise<Database> {
  const shard = shardOfAccount(account);
  if (shard === undefined) throw notAnExport();
  const db = databases[shard];
  if (db === undefined)
    throw new Error(`There is no database DB_${shard}, to which ${account} belongs. Nothing was imported.`);
  const [known] = await db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, account));
  if (known !== undefined) throw new Error(`${account} exists already. Nothing was imported.`);
  return db;
}

interface Insert {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The statement that writes a row. Throws on a table or column that this version does not know. */
function insertOf(name: string, row: Row): Insert {
  const table = moved.map((one) => one.table).find((one) => getTableName(one) === name);
  if (table === undefined) throw notAnExport();
  const known = new Set(Object.values(getTableColumns(table)).map((column) => column.name));
  const names = Object.keys(row);
  const unknown = names.find((column) => !known.has(column));
  if (unknown !== undefined)
    throw new Error(`The export is of a newer version: it has ${name}.${unknown}. Nothing was imported.`);
  const quoted = names.map((column) => `"${column}"`).join(", ");
  const text = `insert into "${name}" (${quoted}) values (${names.map(() => "?").join(", ")})`;
  return { text, values: Object.values(row) };
}

/** Rows that are written together. */
class Pending {
  #db: Database | undefined;
  #inserts: Insert[] = [];

  async add(db: Database, insert: Insert): Promise<void> {
    if (this.#db !== db || this.#inserts.length === ROWS) await this.flush();
    this.#db = db;
    this.#inserts.push(insert);
  }

  async flush(): Promise<void> {
    const d1 = this.#db?.$client;
    const inserts = this.#inserts;
    this.#inserts = [];
    // drizzle's own batches take no statements of this kind.
    if (inserts.length > 0) await d1?.batch(inserts.map(({ text, values }) => d1.prepare(text).bind(...values)));
  }
}

/** An object that arrives in pieces of `PIECE_BYTES`. */
class IncomingObject {
  readonly #bucket: R2Bucket;
  readonly #key: string;
  readonly #size: number;
  #received = 0;
  #upload: R2MultipartUpload | undefined;
  readonly #parts: R2UploadedPart[] = [];

  constructor(bucket: R2Bucket, key: string, size: number) {
    this.#bucket = bucket;
    this.#key = key;
    this.#size = size;
  }

  async add(bytes: Uint8Array): Promise<void> {
    this.#received += bytes.length;
    if (bytes.length === this.#size) {
      await this.#bucket.put(this.#key, bytes);
      return;
    }
    this.#upload ??= await this.#bucket.createMultipartUpload(this.#key);
    this.#parts.push(await this.#upload.uploadPart(this.#parts.length + 1, bytes));
    if (this.#received === this.#size) await this.#upload.complete(this.#parts);
  }
}
