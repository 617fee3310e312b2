import { openDatabase, type Database } from "./client.ts";

type Binding = Parameters<typeof openDatabase>[0];

export interface Result {
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly success: true;
}

/** Runs the statements as one transaction and returns a result for each. */
export type Execute = (statements: readonly Statement[]) => Promise<readonly Result[]>;

/** Runs one statement and returns its rows in the order of their columns, of which two may have the same name. */
export type ReadRows = (statement: Statement) => Promise<unknown[][]>;

/** A database whose queries and batches each are one call. Without `readRows`, the names of a query's columns must differ. */
export function openExecuted(execute: Execute, readRows?: ReadRows): Database {
  return openDatabase(executedBinding(execute, readRows));
}

/** The same as a binding: the parts of D1 that drizzle uses, `prepare` and `batch`, and the methods of a statement below. */
export function executedBinding(execute: Execute, readRows: ReadRows = rowsOf(execute)): Binding {
  const prepare = (sql: string): Statement => new Statement(execute, readRows, sql, []);
  return { prepare, batch: execute } as unknown as Binding;
}

const rowsOf =
  (execute: Execute): ReadRows =>
  async (statement) => {
    const [result] = await execute([statement]);
    return (result?.results ?? []).map((row) => Object.values(row));
  };

export class Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly #execute: Execute;
  readonly #readRows: ReadRows;

  constructor(execute: Execute, readRows: ReadRows, sql: string, params: readonly unknown[]) {
    this.#execute = execute;
    this.#readRows = readRows;
    this.sql = sql;
    this.params = params;
  }

  bind(...params: readonly unknown[]): Statement {
    return new Statement(this.#execute, this.#readRows, this.sql, params);
  }

  async all(): Promise<Result> {
    const [result] = await this.#execute([this]);
    if (result === undefined) throw new Error("The database returned no result.");
    return result;
  }

  run(): Promise<Result> {
    return this.all();
  }

  raw(): Promise<unknown[][]> {
    return this.#readRows(this);
  }
}
