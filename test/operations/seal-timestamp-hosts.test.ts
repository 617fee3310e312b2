import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { operationService } from "./operation-service.ts";

test("requests name no time-stamp service but those that the operator allows", async () => {
  const asked = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("no network"));
  const seal = await operationService("seal", { ...env, TSA_HOSTS: "tsa.example.com,time.example.org" });
  const signer = await issue({ subject: "Ada" });
  const call = async (timestampUrl: string): Promise<[number, string]> => {
    const fields = { privateKey: await keyPem(signer), chain: chainPem(signer), level: "b-t", timestampUrl };
    const response = await seal(document({ name: "letter", pages: 1 }), fields);
    return [response.status, await response.text()];
  };
  const [refused, text] = await call("https://tsa.example.net/");
  expect([refused, asked.mock.calls.length]).toEqual([400, 0]);
  expect(text).toContain("must be a service at tsa.example.com or time.example.org");
  const [failed] = await call("https://time.example.org/tsa");
  expect([failed, asked.mock.calls.map(([url]) => url)]).toEqual([422, ["https://time.example.org/tsa"]]);
});
