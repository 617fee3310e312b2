import { openDatabase, type Database } from "../db/client.ts";

type Binding = Parameters<typeof openDatabase>[0];

export interface Result {
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly success: true;
}

/** Runs the statements as one transaction and returns a result for each. */
export type Execute = (statements: readonly Statement[]) => Promise<readonly Result[]>;

/** A database whose queries and batches each are one call of `execute`. */
export function openExecuted(execute: Execute): Database {
  const binding = { prepare: (sql: string) => new Statement(execute, sql, []), batch: execute };
  // The parts of a binding that drizzle uses: `prepare` and `batch`, and the methods of a statement below.
  return openDatabase(binding as unknown as Binding);
}

export class Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly #execute: Execute;

  constructor(execute: Execute, sql: string, params: readonly unknown[]) {
    this.#execute = execute;
    this.sql = sql;
    this.params = params;
  }

  bind(...params: readonly unknown[]): Statement {
    return new Statement(this.#execute, this.sql, params);
  }

  async all(): Promise<Result> {
    const [result] = await this.#execute([this]);
    if (result === undefined) throw new Error("The database returned no result.");
    return result;
  }

  run(): Promise<Result> {
    return this.all();
  }

  async raw(): Promise<unknown[][]> {
    const { results } = await this.all();
    return results.map((row) => Object.values(row));
  }
}
