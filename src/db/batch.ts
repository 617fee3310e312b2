import { is, Param, Placeholder, type Query, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Database } from "./client.ts";

/** A query of drizzle's. */
type Statement = BatchItem<"sqlite"> & {
  prepare(): { getQuery(): Query; mapResult(response: unknown, isFromBatch: boolean): unknown };
};

/** One statement, several in a list or by name, or none. */
type Step = Statement | Steps | readonly Step[] | undefined;

/** Named statements, in the order in which they run. */
export interface Steps {
  readonly [name: string]: Step;
}

type ResultOf<S> = S extends Statement
  ? S["_"]["result"]
  : S extends readonly (infer Each)[]
    ? readonly ResultOf<Each>[]
    : S extends object
      ? { readonly [Name in keyof S]: ResultOf<S[Name]> }
      : undefined;

/** Runs statements in one transaction and returns each result under its statement's name. */
export async function batch<const S extends Steps>(db: Database, steps: S): Promise<ResultOf<S>> {
  const { statements, places } = listOf(steps);
  const [first, ...others] = statements;
  if (first === undefined) return places as ResultOf<S>;
  const results: readonly unknown[] = await db.batch([first, ...others]);
  return mapSteps(places, (place: number) => results[place]) as ResultOf<S>;
}

/**
 * A batch that runs in every request: its SQL is written once for each database, because that takes longer than the rest of a
 * batch does here. `write` gets placeholders typed as the values: it can put them wherever a statement takes a value, and do nothing
 * else with them.
 */
export function writtenOnce<Values extends object, const S extends Steps>(
  write: (db: Database, values: Values) => S,
): (db: Database, values: Values) => Promise<ResultOf<S>> {
  const known = new WeakMap<Database, ReturnType<typeof written>>();
  return async (db, values) => {
    const ready = known.get(db) ?? written(db, write(db, placeholders as Values));
    known.set(db, ready);
    const { statements, places } = ready;
    const given = new Map(Object.entries(values));
    const results = await db.$client.batch(statements.map(({ bind }) => bind(given)));
    return mapSteps(places, (place: number) => statements[place]?.mapResult(results[place])) as ResultOf<S>;
  };
}

/** Has a placeholder under every name. */
const placeholders: object = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) });

type Values = ReadonlyMap<string, unknown>;

function written(db: Database, steps: Steps) {
  const { statements, places } = listOf(steps);
  const prepared = statements.map((statement) => {
    const query = statement.prepare();
    const { sql: text, params } = query.getQuery();
    const template = db.$client.prepare(text);
    const parameters = params.map(parameterOf);
    return {
      bind: (values: Values) => template.bind(...parameters.map((parameter) => parameter(values))),
      mapResult: (result: unknown) => query.mapResult(result, true),
    };
  });
  return { statements: prepared, places };
}

/** The value of a statement's parameter in one run. Values are stored in the format of their columns. */
function parameterOf(parameter: unknown): (values: Values) => unknown {
  if (is(parameter, Placeholder)) return (values) => stored(values.get(parameter.name));
  if (!is(parameter, Param)) return () => parameter;
  const { encoder, value } = parameter;
  return is(value, Placeholder) ? (values) => encoder.mapToDriverValue(values.get(value.name)) : () => parameter;
}

/** A value that is compared with a column: dates are milliseconds, and `true` is 1 (schema.ts). */
const stored = (value: unknown): unknown =>
  value instanceof Date ? value.getTime() : typeof value === "boolean" ? Number(value) : value;

/** The statements in the order in which they run, and the places of their results. */
function listOf(steps: Steps) {
  const statements: Statement[] = [];
  const places = mapSteps(steps, (statement: Statement) => statements.push(statement) - 1);
  return { statements, places };
}

/** The same structure with `leafOf` applied to each leaf: anything that is neither a list nor an object literal. */
function mapSteps<Leaf>(step: unknown, leafOf: (leaf: Leaf) => unknown): unknown {
  if (step === undefined) return undefined;
  if (Array.isArray(step)) return step.map((each) => mapSteps(each, leafOf));
  if (!isLiteral(step)) return leafOf(step as Leaf);
  return Object.fromEntries(Object.entries(step).map(([name, each]) => [name, mapSteps(each, leafOf)]));
}

const isLiteral = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
