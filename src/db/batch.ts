import type { BatchItem } from "drizzle-orm/batch";
import type { Database } from "./client.ts";

type Statement = BatchItem<"sqlite">;

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
  const statements: Statement[] = [];
  const places = mapSteps(steps, (statement: Statement) => statements.push(statement) - 1);
  const [first, ...others] = statements;
  if (first === undefined) return places as ResultOf<S>;
  const results: readonly unknown[] = await db.batch([first, ...others]);
  return mapSteps(places, (place: number) => results[place]) as ResultOf<S>;
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
