import { describe, expect, test, vi } from "vitest";
import { echoService, newKey } from "./echo-service.ts";
import { paidService } from "./paid-service.ts";
import { MiB } from "../../src/limits.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
const { post, send } = await echoService();

const messageOf = async (response: Response): Promise<string> =>
  (await response.json<{ error: { message: string } }>()).error.message;

describe("error messages", () => {
  test("an error of the key, path, or method names the problem", async () => {
    expect(await messageOf(await post({}, null, "sk_live_madeup"))).toBe("Invalid API key.");
    const reader = await newKey("business", ["pdf:read"]);
    expect(await messageOf(await post({}, null, reader))).toBe("This API key lacks the `pdf:write` scope.");
    expect(await messageOf(await send("/api/v1/echo"))).toBe("GET is not supported here; use POST.");
    const keys = await send("/api/v1/keys", { method: "PATCH" });
    expect(await messageOf(keys)).toBe("PATCH is not supported here; use GET or POST.");
    expect(await messageOf(await send("/api/v1/nothing"))).toBe(
      "This path does not exist. `GET /api/v1/openapi.json` lists those that do.",
    );
  });

  test("an error of parameters gives the first problem and the number of problems", async () => {
    expect(await messageOf(await post({}, null))).toBe("`file` is required.");
    expect(await messageOf(await post({ act: "fly" }))).toBe("`act` must be zip, json, refuse, throw, trap, or late.");
    const two = "`file` is required. See `details.fields` for 1 more problem.";
    expect(await messageOf(await post({ typo: "1" }, null))).toBe(two);
  });

  test("an error of a large upload gives sizes in MiB if that distinguishes them", async () => {
    const free = await newKey("free");
    const upload = (bytes: number, headers = {}): Promise<Response> =>
      send("/api/v1/echo", {
        method: "POST",
        headers: { Authorization: `Bearer ${free}`, "Content-Type": "multipart/form-data; boundary=X", ...headers },
        body: new Uint8Array(bytes),
      });
    const says = "Your plan allows uploads of up to";
    const announced = (bytes: number): Promise<Response> => upload(bytes, { "Content-Length": String(bytes) });
    expect(await messageOf(await announced(12.5 * MiB))).toBe(`${says} 10 MiB; this one is 12.5 MiB.`);
    const byOne = `${says} 10,485,760 bytes; this one is 10,485,761 bytes.`;
    expect(await messageOf(await announced(10 * MiB + 1))).toBe(byOne);
    expect(await messageOf(await upload(12.5 * MiB))).toBe(`${says} 10 MiB; this one is larger.`);
  });

  test("an error of credits gives the cost, the remaining credits, and the time of the next ones", async () => {
    const service = await paidService("pro");
    await service.leave(1);
    const now = new Date();
    const reset = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
    const day = `${reset.toLocaleString("en-US", { month: "long", timeZone: "UTC" })} 1`;
    expect(await messageOf(await service.send())).toBe(
      `This request costs 2 credits; you have 1 of 10,000 left. Credits reset on ${day}, 00:00 UTC.`,
    );
  });
});
