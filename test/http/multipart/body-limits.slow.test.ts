import { describe, expect, it } from "vitest";
import { echoService, errorOf, newKey } from "../echo-service.ts";
import { planNames, plans } from "../../../src/accounts/plans.ts";
import { defaultSizes } from "../../../src/limits.ts";

const { send } = await echoService();

/** Calls the echo with a body of `bytes` bytes, its length announced or not. */
async function upload(key: string, bytes: number, { announced }: { announced: boolean }): Promise<Response> {
  const head = '--X\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n%PDF-';
  const body = new TextEncoder().encode(`${head.padEnd(bytes - "\r\n--X--".length, "x")}\r\n--X--`);
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "multipart/form-data; boundary=X" };
  const chunks = (): ReadableStream | null =>
    new Response(body).body?.pipeThrough(new IdentityTransformStream()) ?? null;
  return send("/api/v1/echo", {
    method: "POST",
    headers: announced ? { ...headers, "Content-Length": String(bytes) } : headers,
    body: announced ? body : chunks(),
  });
}

describe.each(planNames)("body limit of the plan %s", (plan) => {
  const limit = Math.min(plans[plan].maxBodyBytes, defaultSizes.heldBytes);

  it.each([{ announced: true }, { announced: false }])(
    "the plan accepts bodies up to its limit, to the byte: %j",
    async (length) => {
      const key = await newKey(plan);
      const fits = await upload(key, limit, length);
      expect(fits.status).toBe(200);
      await fits.arrayBuffer();
      expect(await errorOf(await upload(key, limit + 1, length))).toEqual([
        413,
        "file_too_large",
        { limit, actual: expect.any(Number) },
      ]);
    },
  );

  it("the plan refuses a longer body by its Content-Length, before it arrives", async () => {
    const headers = {
      Authorization: `Bearer ${await newKey(plan)}`,
      "Content-Type": "multipart/form-data; boundary=X",
      "Content-Length": String(limit + 1),
    };
    const response = await send("/api/v1/echo", { method: "POST", headers, body: "--X" });
    expect(await errorOf(response)).toEqual([413, "file_too_large", { limit, actual: limit + 1 }]);
  });
});
