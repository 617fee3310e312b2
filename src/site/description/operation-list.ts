import type { Operation } from "./description.ts";
import { searchIn } from "./search.ts";

export interface OperationGroup {
  readonly name: string;
  readonly operations: readonly Operation[];
}

/** The operations by where people look for them, in the order of the API. */
export const grouped = (operations: readonly Operation[]): OperationGroup[] =>
  [...new Set(operations.map(({ group }) => group))].map((name) => ({
    name,
    operations: operations.filter(({ group }) => group === name),
  }));

/** The operations that somebody may look for, best first. */
export function operationSearch(operations: readonly Operation[]): (query: string) => Operation[] {
  const search = searchIn(
    operations.map(({ name, summary, keywords, description }) => {
      const title = `${name} ${summary}`;
      return { name: title, words: keywords, place: "", text: description, weight: 1 };
    }),
  );
  return (query) => search(query).flatMap((at) => operations[at] ?? []);
}
