import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { seal, unseal } from "../../src/accounts/sealed-secret.ts";
import { newSecret, secretText, signatureHeaders } from "../../src/webhooks/sign.ts";

const body = JSON.stringify({ type: "webhook.test", data: { name: "Grüße 👋" } });

describe("sign", () => {
  it("a signature is verified by the Standard Webhooks package, for its own body, ID, and time only", async () => {
    const secret = newSecret();
    const receiver = new Webhook(secretText(secret));
    const headers = await signatureHeaders([secret], { id: "evt_1", at: new Date(), body });
    expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => receiver.verify(`${body} `, headers)).toThrow("No matching signature");
    expect(() => receiver.verify(body, { ...headers, "webhook-id": "evt_2" })).toThrow("No matching signature");
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    expect(() => receiver.verify(body, { ...headers, "webhook-timestamp": later })).toThrow("No matching signature");
    expect(() => new Webhook(secretText(newSecret())).verify(body, headers)).toThrow("No matching signature");
  });

  it("a delivery has a signature for each secret during a rotation", async () => {
    const [old, fresh] = [newSecret(), newSecret()];
    const headers = await signatureHeaders([fresh, old], { id: "evt_1", at: new Date(), body });
    expect(headers["webhook-signature"]).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    for (const secret of [old, fresh]) {
      expect(new Webhook(secretText(secret)).verify(body, headers)).toEqual(JSON.parse(body));
    }
  });
});

describe("stored secrets", () => {
  const server = ["s".repeat(32)] as const;
  const purpose = "webhook signing secrets";

  it("a stored secret opens only under the same server secret, for its own purpose and subscription", async () => {
    const secret = newSecret();
    const sealed = await seal(server, purpose, "wh_1", secret);
    expect(await unseal(server, purpose, "wh_1", sealed)).toEqual(secret);
    expect(await unseal(["t".repeat(32)], purpose, "wh_1", sealed)).toBeUndefined();
    expect(await unseal(server, purpose, "wh_2", sealed)).toBeUndefined();
    expect(await unseal(server, "file keys", "wh_1", sealed)).toBeUndefined();
    expect(
      await unseal(server, purpose, "wh_1", `${sealed.startsWith("A") ? "B" : "A"}${sealed.slice(1)}`),
    ).toBeUndefined();
  });

  it("a stored secret is never twice the same text", async () => {
    const secret = newSecret();
    expect(await seal(server, purpose, "wh_1", secret)).not.toBe(await seal(server, purpose, "wh_1", secret));
  });
});
