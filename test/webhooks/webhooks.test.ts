import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { fieldsOf, type Made, newAccount, send } from "../accounts/account-service.ts";

type Json = Record<string, unknown>;

const url = "https://hooks.example.com/a";
const events = ["key.created", "operation.failed"];
let owner: Awaited<ReturnType<typeof newAccount>>;
let key: Made;
beforeEach(async () => {
  owner = await newAccount();
  key = await owner.key();
});

const subscribe = (body: Json = {}, token = key.token) => send("POST", "/webhooks", token, { url, events, ...body });
const made = async (body: Json = {}) => (await subscribe(body)).json as Json & { id: string; secret: string };

describe("POST /webhooks", () => {
  it("returns the secret, which no other response contains", async () => {
    const webhook = await made({ description: "Invoices, Wien" });
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_\w{22}$/),
      url,
      events: ["operation.failed", "key.created"],
      description: "Invoices, Wien",
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
      previousSecretExpiresAt: null,
      livemode: true,
      active: true,
      failingSince: null,
      createdAt: expect.any(String),
    });
    const masked = { ...webhook, secret: `whsec_****${webhook.secret.slice(-4)}` };
    const path = `/webhooks/${webhook.id}`;
    expect((await send("GET", path, key.token)).json).toEqual(masked);
    expect((await send("GET", "/webhooks", key.token)).json).toEqual({
      data: [masked],
      count: 1,
      hasMore: false,
      nextCursor: null,
    });
    expect((await send("PATCH", path, key.token, {})).json).toEqual(masked);
    const stored = JSON.stringify(await env.DB.prepare("SELECT * FROM webhooks WHERE id = ?").bind(webhook.id).all());
    expect(stored).toContain(url);
    expect(stored).not.toContain(webhook.secret.slice(6, -4));
    expect((await send("DELETE", path, key.token)).json).toEqual(masked);
    expect((await send("GET", path, key.token)).code).toBe("not_found");
    expect((await send("DELETE", path, key.token)).code).toBe("not_found");
  });

  it("lists every unknown event type and every other problem", async () => {
    const { status, code, details } = await subscribe({
      url: "",
      events: ["key.created", "key.made", "*", 1],
      description: "x".repeat(501),
      secret: "whsec_mine",
    });
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(fieldsOf(details).map(({ name }) => name)).toEqual([
      "url",
      "events.1",
      "events.2",
      "events.3",
      "description",
      "secret",
    ]);
    expect(fieldsOf(details)[1]?.issue).toMatch(
      /^is "key.made", but must be operation.completed, .*, or webhook.test$/,
    );
  });

  it.each([
    [{ url: undefined }, "url"],
    [{ url: 1 }, "url"],
    [{ url: "http://example.com/" }, "url"],
    [{ url: "https://127.0.0.1/" }, "url"],
    [{ url: "https://localhost:8787/" }, "url"],
    [{ events: undefined }, "events"],
    [{ events: [] }, "events"],
    [{ events: "key.created" }, "events"],
    [{ description: "a\u0000" }, "description"],
    [{ active: false }, "active"],
  ])("POST /webhooks refuses %j", async (body, name) => {
    const { status, details } = await subscribe(body);
    expect([status, fieldsOf(details).map((field) => field.name)]).toEqual([400, [name]]);
  });

  it("creates the 20th webhook of a mode and no more, however many requests race", async () => {
    const responses = await Promise.all(Array.from({ length: 30 }, () => subscribe()));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, code, details }) => [status, code, details])).toEqual(
      Array.from({ length: 10 }, () => [409, "limit_reached", { limit: 20 }]),
    );
    const test = await owner.key({ livemode: false });
    expect((await subscribe({}, test.token)).status).toBe(201);
    const { json } = await send("GET", "/webhooks?limit=20", key.token);
    const [first] = json["data"] as Json[];
    await send("DELETE", `/webhooks/${String(first?.["id"])}`, key.token);
    expect((await subscribe()).status).toBe(201);
  });
});

describe("GET /webhooks", () => {
  it("GET /webhooks pages from the newest on", async () => {
    const all: string[] = [];
    for (let index = 0; index < 5; index += 1) all.push((await made()).id);
    await env.DB.prepare("UPDATE webhooks SET created_at = 1000 WHERE account = ?").bind(owner.account).run();
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { json }: { json: Json } = await send("GET", `/webhooks?limit=2&cursor=${cursor}`, key.token);
      expect(json["count"]).toBe(5);
      seen.push(...(json["data"] as Json[]).map(({ id }) => String(id)));
      cursor = json["nextCursor"] as string | null;
    }
    expect(seen).toEqual(all.toSorted().reverse());
    const foreign = (await send("GET", "/keys?limit=1", (await owner.key()).token)).json["nextCursor"];
    expect((await send("GET", `/webhooks?cursor=${String(foreign)}`, key.token)).code).toBe("invalid_parameters");
  });
});

describe("PATCH /webhooks/{id}", () => {
  it("PATCH /webhooks changes only the given fields", async () => {
    const { secret, ...webhook } = await made({ description: "before" });
    const change = async (body: Json) => {
      const { status, json } = await send("PATCH", `/webhooks/${webhook.id}`, key.token, body);
      expect(status).toBe(200);
      const { secret: masked, ...shown } = json;
      expect(masked).toBe(`whsec_****${secret.slice(-4)}`);
      return shown;
    };
    expect(await change({ url: "https://b.example.com/" })).toEqual({ ...webhook, url: "https://b.example.com/" });
    expect(await change({ url, events: ["webhook.test", "key.revoked", "key.revoked"] })).toEqual({
      ...webhook,
      events: ["key.revoked", "webhook.test"],
    });
    expect(await change({ events, description: null, active: false })).toEqual({
      ...webhook,
      description: null,
      active: false,
    });
    expect(await change({ description: "before", active: true })).toEqual(webhook);
    const refused = await send("PATCH", `/webhooks/${webhook.id}`, key.token, { url: "https://[::1]/" });
    expect([refused.status, fieldsOf(refused.details)[0]?.name]).toEqual([400, "url"]);
  });

  it("cancels pending deliveries for good when it deactivates a webhook", async () => {
    const webhook = await made();
    const other = await made();
    await send("POST", "/keys", key.token, { name: "told" });
    const states = async ({ id }: { readonly id: string }) => {
      const { json } = await send("GET", `/webhooks/${id}/deliveries`, key.token);
      return (json["data"] as Json[]).map(({ type, state }) => [type, state]);
    };
    await send("PATCH", `/webhooks/${webhook.id}`, key.token, { active: false });
    await send("POST", "/keys", key.token, { name: "not told" });
    await send("PATCH", `/webhooks/${webhook.id}`, key.token, { active: true });
    expect(await states(webhook)).toEqual([["key.created", "canceled"]]);
    expect(await states(other)).toEqual([
      ["key.created", "pending"],
      ["key.created", "pending"],
    ]);
  });
});

describe("POST /webhooks/{id}/rotate-secret", () => {
  it("shows the new secret once, and says until when the old one signs", async () => {
    const webhook = await made();
    const before = Date.now();
    const { status, json } = await send("POST", `/webhooks/${webhook.id}/rotate-secret`, key.token);
    expect(status).toBe(200);
    expect(json).toEqual({
      ...webhook,
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
      previousSecretExpiresAt: expect.any(String),
    });
    expect(json["secret"]).not.toBe(webhook.secret);
    expect(Date.parse(String(json["previousSecretExpiresAt"])) - before).toBeGreaterThanOrEqual(86_400_000);
    await env.DB.prepare("UPDATE webhooks SET previous_secret_expires_at = ? WHERE id = ?")
      .bind(Date.now(), webhook.id)
      .run();
    expect((await send("GET", `/webhooks/${webhook.id}`, key.token)).json["previousSecretExpiresAt"]).toBeNull();
  });
});

describe("tests and replays", () => {
  it("an account gets ten tests and replays a minute, for all its webhooks and modes together", async () => {
    const test = await owner.key({ livemode: false });
    const webhooks = [await made(), await made()];
    const ofTest = (await subscribe({}, test.token)).json["id"];
    const ask = (index: number) =>
      index % 3 === 2
        ? send("POST", `/webhooks/${String(ofTest)}/test`, test.token)
        : send("POST", `/webhooks/${webhooks[index % 3]?.id}/test`, key.token);
    // A minute that does not end while this test runs.
    await env.DB.prepare("UPDATE accounts SET asked_minute = ? WHERE id = ?")
      .bind(Math.floor(Date.now() / 60_000) + 5, owner.account)
      .run();
    const responses = await Promise.all(Array.from({ length: 15 }, (_, index) => ask(index)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, code }) => [status, code])).toEqual(
      Array.from({ length: 5 }, () => [429, "rate_limit_exceeded"]),
    );
    expect(Number(refused[0]?.headers.get("Retry-After"))).toBeGreaterThan(0);
    const [delivery] = responses.filter(
      ({ status, json }) => status === 201 && String(json["id"]).endsWith(webhooks[0]?.id ?? "-"),
    );
    const replay = await send(
      "POST",
      `/webhooks/${webhooks[0]?.id}/deliveries/${String(delivery?.json["id"])}/replay`,
      key.token,
    );
    expect(replay.status).toBe(429);
  });

  it("tests and replays are refused for an inactive webhook", async () => {
    const webhook = await made();
    const { json } = await send("POST", `/webhooks/${webhook.id}/test`, key.token);
    await send("PATCH", `/webhooks/${webhook.id}`, key.token, { active: false });
    for (const path of ["test", `deliveries/${String(json["id"])}/replay`]) {
      const { status, code } = await send("POST", `/webhooks/${webhook.id}/${path}`, key.token);
      expect([status, code]).toEqual([409, "webhook_inactive"]);
    }
  });

  it("a replay sends only events of its own webhook", async () => {
    const [webhook, other] = [await made(), await made()];
    const { json } = await send("POST", `/webhooks/${webhook.id}/test`, key.token);
    const ids = [String(json["id"]), String(json["id"]).replace(webhook.id, other.id), "evt_none", "%25"];
    for (const id of ids) {
      const { status, code } = await send("POST", `/webhooks/${other.id}/deliveries/${id}/replay`, key.token);
      expect([status, code]).toEqual([404, "not_found"]);
    }
    const { data } = (await send("GET", `/webhooks/${other.id}/deliveries`, key.token)).json;
    expect(data).toEqual([]);
  });
});
