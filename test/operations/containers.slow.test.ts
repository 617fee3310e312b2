import { describe, expect, test } from "vitest";
import { arrays, dictionaries, documentWith, type Parts } from "../harness/bombs/container-documents.ts";
import { LONGEST_STRETCH, watchStretches } from "../harness/work/longest-stretch.ts";
import { operationService } from "./operation-service.ts";

/** Entries of the container. Direct annotations are some twenty values each, and each part of a content is decoded. */
const [ITEMS, KEYS, LARGE_ITEMS] = [15_000, 10_000, 2_000];
const LARGE = ["direct annotations", "contents"];

const forms: readonly (readonly [operation: string, fields: Readonly<Record<string, string>>])[] = [
  ["extract-pages", { range: "1" }],
  ["n-up", { pagesPerSheet: "2" }],
  ["compress", { grayscale: "true", stripMetadata: "true" }],
  ["metadata", { action: "set", metadata: '{"title":"b"}', replace: "true" }],
  ["flatten", {}],
  ["outline", { action: "set", outline: '[{"title":"a","page":1}]' }],
];

describe.each(forms)("%s %j", (operation, fields) => {
  test.each<[string, (count: number) => Parts, number]>([
    ...Object.entries(arrays).map(([name, make]) => [name, make, ITEMS] as [string, typeof make, number]),
    ...Object.entries(dictionaries).map(([name, make]) => [name, make, KEYS] as [string, typeof make, number]),
  ])("the operation yields to other requests in %s", async (name, make, count) => {
    const post = await operationService(operation);
    using stretches = watchStretches();
    const { status } = await post(documentWith(make(LARGE.includes(name) ? LARGE_ITEMS : count)), fields);
    expect([200, 413]).toContain(status);
    expect(stretches.longest).toBeLessThan(LONGEST_STRETCH);
  });
});
