import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";

const { baseUrl } = ownServer();

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

const returned = async (traceparent?: string): Promise<string | null> => {
  const response = await fetch(`${baseUrl}/api/v1/health`, {
    headers: traceparent === undefined ? {} : { traceparent },
  });
  return response.headers.get("traceparent");
};

test("a trace is continued with a step of the request's own", async () => {
  const sampled = new RegExp(`^00-${TRACE}-(?!${PARENT})(?!0{16})[0-9a-f]{16}-01$`);
  expect(await returned(`00-${TRACE}-${PARENT}-01`)).toMatch(sampled);
  // Flags that are not known are left out, and so is what a later version adds.
  expect(await returned(`00-${TRACE}-${PARENT}-ff`)).toMatch(sampled);
  expect(await returned(`cc-${TRACE}-${PARENT}-01-what-comes-later`)).toMatch(sampled);
  expect(await returned(`00-${TRACE}-${PARENT}-00`)).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
});

test("an invalid trace is ignored, and without a collector none is started", async () => {
  expect(await returned()).toBeNull();
  for (const wrong of [
    "",
    "no",
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01-more`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01.`,
  ])
    expect(await returned(wrong), wrong).toBeNull();
});
