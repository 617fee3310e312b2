import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { newAccount, send } from "./account-service.ts";
import { checkOf, claimData, forceClaim } from "../../src/accounts/server-secret.ts";
import { openDatabase } from "../../src/db/client.ts";
import { files, serverSettings, webhooks } from "../../src/db/schema.ts";

const db = openDatabase(env.DB);
const [first, second, third] = ["1".repeat(32), "2".repeat(32), "3".repeat(32)];

beforeEach(async () => {
  for (const table of [serverSettings, webhooks, files]) await db.delete(table);
});

describe("claimData", () => {
  test("new data belongs to the secret of its first start", async () => {
    expect(await claimData([db], [first])).toBe(true);
    expect(await claimData([db], [first])).toBe(true);
    expect(await claimData([db], [second])).toBe(false);
    expect(await claimData([db], [first])).toBe(true);
  });

  test("a secret that replaces the one of the data is taken together with that", async () => {
    await claimData([db], [first]);
    expect(await claimData([db], [second, third])).toBe(false);
    expect(await claimData([db], [second, first])).toBe(true);
    expect(await claimData([db], [second])).toBe(true);
    expect(await claimData([db], [first])).toBe(false);
    expect(await claimData([db], [first, second])).toBe(true);
  });

  test("the operator can give up data whose secret is lost", async () => {
    await claimData([db], [first]);
    await forceClaim(db, second);
    expect(await claimData([db], [second])).toBe(true);
    expect(await claimData([db], [first])).toBe(false);
  });

  test("data of a version without the check belongs to the secret that opens its webhooks", async () => {
    const { token } = await (await newAccount()).key();
    const url = "https://example.com/hook";
    expect((await send("POST", "/webhooks", token, { url, events: ["key.created"] })).status).toBe(201);
    expect(await claimData([db], [first])).toBe(false);
    expect(await claimData([db], [first, env.SERVER_SECRET])).toBe(true);
    expect(await claimData([db], [first])).toBe(true);
  });

  test("the stored check does not contain the secret", async () => {
    expect(await checkOf(first)).toMatch(/^[0-9a-f]{64}$/);
    expect(await checkOf(first)).not.toBe(await checkOf(second));
  });
});
