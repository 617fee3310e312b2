import { describe, expect, test } from "vitest";
import { call } from "../operations/any-operation.ts";
import { newKey, senderTo } from "./echo-service.ts";
import { operations } from "../../src/operations/index.ts";

const send = senderTo(...operations);
const headers = { Authorization: `Bearer ${await newKey("business")}` };

describe("trailing slashes", () => {
  test("the path of an operation may end in a slash", async () => {
    const [rotate] = operations.filter(({ name }) => name === "rotate");
    if (!rotate) throw new Error("there is no such operation");
    expect((await call({ ...rotate, name: "rotate/" }, { texts: { angle: "90" } })).status).toBe(200);
  });

  test.each(["/api/v1/usage/", "/api/v1/keys/", "/api/v1/health/", "/api/v1/openapi.json/"])(
    "the path of an endpoint may end in a slash: %s",
    async (path) => {
      const [plain, slash] = await Promise.all([path.slice(0, -1), path].map((one) => send(one, { headers })));
      expect(slash?.status).toBe(200);
      expect(await slash?.text()).toBe(await plain?.text());
    },
  );

  test("an unknown path with a slash is still not found, and other methods are still refused", async () => {
    expect((await send("/api/v1/mergee/", { method: "POST", headers })).status).toBe(404);
    expect((await send("/api/v1/merge/x", { method: "POST", headers })).status).toBe(404);
    expect((await send("/api/v1/merge/", { headers })).status).toBe(405);
  });
});

test("unknown query parameters are ignored, and those of the endpoint are checked", async () => {
  const month = await send("/api/v1/usage?period=2026-01&period=2026-02", { headers });
  expect(month.status).toBe(200);
  expect(await month.json()).toMatchObject({ used: 0 });
  expect((await send("/api/v1/keys?limit=0&utm_source=x", { headers })).status).toBe(400);
  expect((await send("/api/v1/keys?limit=5&utm_source=x", { headers })).status).toBe(200);
});
