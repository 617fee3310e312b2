import { Column, getTableColumns, is, sql, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** A row for an `insert ... select`: values and columns of the selected table, in the target table's order. */
export function rowOf<Table extends SQLiteTable>(
  table: Table,
  row: { readonly [K in keyof Table["$inferSelect"]]: Table["$inferSelect"][K] | Column },
): SQL {
  const cells = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const cell: unknown = row[name as keyof Table["$inferSelect"]];
    return is(cell, Column) ? cell : sql.param(cell, column);
  });
  return sql.join(cells, sql`, `);
}
