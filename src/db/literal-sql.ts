/** What drizzle's `toSQL()` gives: text with `?` for each parameter. */
interface Query {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/**
 * Statements as one text with the parameters written out, for `wrangler d1 execute`, which takes no parameters.
 * Throws on a value that has no literal: only strings without NUL, safe integers and null.
 */
export function literalSql(queries: readonly Query[]): string {
  return queries.map((query) => `${fillIn(query)};`).join("\n");
}

function fillIn({ sql, params }: Query): string {
  // drizzle writes every value as a parameter, so no "?" stands in a literal of the text itself.
  const [first = "", ...rest] = sql.split("?");
  if (rest.length !== params.length) {
    throw new Error(`The statement has ${rest.length} places for ${params.length} parameters.`);
  }
  return rest.reduce((text, part, index) => text + literal(params[index]) + part, first);
}

function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  // SQLite knows no escape but the doubled quote; a NUL would end the text.
  if (typeof value === "string" && !value.includes("\0")) return `'${value.replaceAll("'", "''")}'`;
  throw new Error(`No SQL literal for a ${typeof value}.`);
}
