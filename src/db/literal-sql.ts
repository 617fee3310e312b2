/** The result of drizzle's `toSQL()`: text with a `?` for each parameter. */
interface Query {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/**
 * Joins statements into one text with their parameters inlined, for `wrangler d1 execute`, which takes no parameters. Throws on
 * a value without a literal: only strings without NUL, safe integers and null are allowed.
 */
export function literalSql(queries: readonly Query[]): string {
  return queries.map((query) => `${fillIn(query)};`).join("\n");
}

function fillIn({ sql, params }: Query): string {
  // drizzle passes every value as a parameter, so the text itself contains no literal "?".
  const [first = "", ...rest] = sql.split("?");
  if (rest.length !== params.length) {
    throw new Error(`The statement has ${rest.length} places for ${params.length} parameters.`);
  }
  return rest.reduce((text, part, index) => text + literal(params[index]) + part, first);
}

function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  // SQLite's only escape is the doubled quote; a NUL would end the text.
  if (typeof value === "string" && !value.includes("\0")) return `'${value.replaceAll("'", "''")}'`;
  throw new Error(`No SQL literal for a ${typeof value}.`);
}
