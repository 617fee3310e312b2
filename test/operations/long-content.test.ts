import { expect, test } from "vitest";
import { errorOf } from "../http/echo-service.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { operationService } from "./operation-service.ts";

test("content that saves the graphics state endlessly is refused before it fills the memory", async () => {
  const post = await operationService("compress");
  const file = drawing({ width: 300, height: 300, content: "q 0 0 1 rg q 0 g ".repeat(75_000) });
  const [status, code, details] = await errorOf(await post(file, { grayscale: "true" }));
  expect([status, code, details]).toEqual([413, "limit_exceeded", { limit: 100_000 }]);
});
