import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call } from "../any-operation.ts";
import { errorOf, newKey } from "../../http/echo-service.ts";
import { modesOf } from "../../../src/operations/definition/modes.ts";
import { operations } from "../../../src/operations/index.ts";

const selected = operations.flatMap((operation) =>
  "by" in operation.modes ? [{ ...operation, by: operation.modes.by }] : [],
);
const readKey = await newKey("enterprise", ["pdf:read"]);
const writeKey = await newKey("enterprise", ["pdf:write"]);

describe.each(selected)("$name", ({ by, ...operation }) => {
  test("each operation has a mode for each value of the parameter that selects it", () => {
    const field = operation.fields[by];
    if (field?.kind !== "text") throw new Error(`\`${by}\` is no parameter`);
    const { enum: choices = ["false", "true"] } = z.toJSONSchema(field.schema, {
      io: "output",
      unrepresentable: "any",
    });
    expect(modesOf(operation).map(({ value }) => value)).toEqual(choices);
  });
});

/** The first values with which each operation that reads needs nothing more. */
const reading = operations.flatMap((operation) => {
  const mode = modesOf(operation).find(({ scope }) => scope === "pdf:read");
  if (mode === undefined) return [];
  const by = "by" in operation.modes ? operation.modes.by : undefined;
  return [{ operation, name: operation.name, texts: by === undefined ? {} : { [by]: mode.value ?? "" } }];
});

describe.each(reading)("$name with reading modes", ({ operation, texts }) => {
  test("a reading mode needs `pdf:read`", async () => {
    expect((await call(operation, { texts, key: readKey })).status).toBe(200);
    const [status, code, details] = await errorOf(await call(operation, { texts, key: writeKey }));
    expect([status, code, details]).toEqual([403, "forbidden", { requiredScope: "pdf:read" }]);
  });
});

test("redact needs `pdf:write` unless it only reads", async () => {
  const redact = operations.find(({ name }) => name === "redact");
  if (redact === undefined) throw new Error("the registry lacks redact");
  const response = await call(redact, { key: readKey });
  const [status, code, details] = await errorOf(response);
  expect([status, code, details]).toEqual([403, "forbidden", { requiredScope: "pdf:write" }]);
});
