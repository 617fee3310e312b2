import { env } from "cloudflare:workers";

/** What a database was asked. */
export interface Counts {
  /** Round trips: batches, and statements sent alone. */
  trips: number;
  /** Rows, as D1 bills them; of batches only. */
  rowsRead: number;
  rowsWritten: number;
  /** Every statement that was prepared. */
  readonly statements: Set<string>;
}

/** The test's database, and counts of what passes through. */
export function countedDatabase(): { readonly database: D1Database; readonly counts: Counts } {
  const counts: Counts = { trips: 0, rowsRead: 0, rowsWritten: 0, statements: new Set() };
  const originals = new WeakMap<object, D1PreparedStatement>();

  function counted(statement: D1PreparedStatement): D1PreparedStatement {
    const proxy = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => counted(target.bind(...values));
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...values: unknown[]): unknown => {
          counts.trips += 1;
          return Reflect.apply(member, target, values);
        };
      },
    });
    originals.set(proxy, statement);
    return proxy;
  }

  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare") {
        return (sql: string) => {
          counts.statements.add(sql);
          return counted(target.prepare(sql));
        };
      }
      if (name !== "batch") throw new Error(`D1's ${String(name)} is not counted`);
      return async (statements: D1PreparedStatement[]) => {
        counts.trips += 1;
        const results = await target.batch(statements.map((statement) => originals.get(statement) ?? statement));
        for (const { meta } of results) {
          counts.rowsRead += meta.rows_read;
          counts.rowsWritten += meta.rows_written;
        }
        return results;
      };
    },
  });
  return { database, counts };
}

const tables = ["accounts", "api_keys", "periods", "period_operations", "ledger", "idempotency", "webhook"];

interface Step {
  readonly detail: string;
}

/** How the database would carry out statements: in how many steps it searches, and which read a whole table or index. */
export async function plansOf(statements: ReadonlySet<string>): Promise<{ searches: number; scans: string[] }> {
  const scans: string[] = [];
  let searches = 0;
  for (const sql of statements) {
    const dummies = Array.from({ length: sql.split("?").length - 1 }, () => 1);
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...dummies)
      .all<Step>();
    for (const { detail } of results) {
      if (tables.some((table) => detail.startsWith(`SCAN ${table}`))) scans.push(`${detail}: ${sql}`);
      if (detail.startsWith("SEARCH")) searches += 1;
    }
  }
  return { searches, scans };
}
