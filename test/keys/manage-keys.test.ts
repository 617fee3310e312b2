import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { type Key, type Made, makeKey, newAccount, send, statusOf } from "../accounts/account-service.ts";
import { scopes } from "../../src/accounts/scopes.ts";

let owner: Awaited<ReturnType<typeof newAccount>>;
let admin: Made;
beforeEach(async () => {
  owner = await newAccount();
  admin = await owner.key();
});

const make = (body: Readonly<Record<string, unknown>>, token = admin.token) => makeKey(token, body);

describe("GET /keys", () => {
  it("pages from the newest on, and keys made meanwhile shift nothing", async () => {
    const made: string[] = [admin.id];
    for (let index = 0; index < 6; index += 1) made.push((await make({ name: `n${index}` })).id);
    await send("DELETE", `/keys/${made[3]}`, admin.token);
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let page = 0; cursor !== null; page += 1) {
      const { json, status } = await send("GET", `/keys?limit=3&cursor=${cursor}`, admin.token);
      expect(status).toBe(200);
      const data = json["data"] as Key[];
      seen.push(...data.map(({ id }) => id));
      expect(json["count"]).toBe(7 + page);
      expect(json["hasMore"]).toBe(page < 2);
      cursor = json["nextCursor"] as string | null;
      expect(typeof cursor).toBe(page < 2 ? "string" : "object");
      await make({ name: "meanwhile" });
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(new Set(seen).size).toBe(7);
  });

  it("lists all keys that were made at the same instant", async () => {
    await Promise.all(Array.from({ length: 7 }, () => owner.key()));
    await env.DB.prepare("UPDATE api_keys SET created_at = 1000 WHERE account = ?").bind(owner.account).run();
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { json }: { json: Record<string, unknown> } = await send(
        "GET",
        `/keys?limit=2&cursor=${cursor}`,
        admin.token,
      );
      seen.push(...(json["data"] as Key[]).map(({ id }) => id));
      cursor = json["nextCursor"] as string | null;
    }
    expect(new Set(seen).size).toBe(8);
    expect(seen.length).toBe(8);
  });

  it("shows the properties of SPEC.md's ApiKey, and no more", async () => {
    const { json } = await send("GET", "/keys", admin.token);
    expect(json).toEqual({
      data: [
        {
          id: admin.id,
          name: "test",
          livemode: true,
          scopes,
          lastFour: admin.token.slice(-4),
          createdAt: expect.any(String),
          expiresAt: null,
          revokedAt: null,
        },
      ],
      count: 1,
      hasMore: false,
      nextCursor: null,
    });
  });

  it.each([
    "limit=0",
    "limit=101",
    "limit=ten",
    "limit=1.5",
    "cursor=x",
    "cursor=MTox",
    "cursor=%00",
    "limit=1&limit=2",
  ])("GET /keys refuses %s", async (query) => {
    const { status, code, details } = await send("GET", `/keys?${query}`, admin.token);
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(details).toEqual({ fields: [{ name: query.split("=")[0], issue: expect.any(String) }] });
  });
});

describe("GET, PATCH and DELETE /keys/{id}", () => {
  it("fetches, renames, and revokes a key for good", async () => {
    const { key, ...made } = await make({ name: "before" });
    const path = `/keys/${made.id}`;
    expect((await send("GET", path, admin.token)).json).toEqual(made);

    const renamed = await send("PATCH", path, admin.token, { name: "after" });
    expect([renamed.status, renamed.json]).toEqual([200, { ...made, name: "after" }]);

    expect(await statusOf(key)).toBe(200);
    const revoked = await send("DELETE", path, admin.token);
    expect([revoked.status, revoked.json]).toEqual([
      200,
      { ...made, name: "after", revokedAt: expect.stringMatching(/Z$/) },
    ]);
    expect(await statusOf(key)).toBe(401);

    expect((await send("DELETE", path, admin.token)).json).toEqual(revoked.json);
    expect((await send("GET", path, admin.token)).json).toEqual(revoked.json);
    expect((await send("PATCH", path, admin.token, { name: "still a label" })).status).toBe(200);
  });

  it.each([{}, { name: "a", scopes: ["pdf:read"] }, { expiresAt: null }, { livemode: true, name: "a" }])(
    "PATCH accepts a name and nothing else: %j",
    async (body) => {
      const { status, code } = await send("PATCH", `/keys/${admin.id}`, admin.token, body);
      expect([status, code]).toEqual([400, "invalid_parameters"]);
    },
  );

  it("lets a key revoke itself", async () => {
    expect((await send("DELETE", `/keys/${admin.id}`, admin.token)).status).toBe(200);
    expect(await statusOf(admin.token)).toBe(401);
  });

  it("responds with 404 to an invalid ID, and 405 to another method", async () => {
    for (const id of ["key_0", "x", "%00", "%ff", "key_%27", "a".repeat(5_000)]) {
      expect((await send("GET", `/keys/${id}`, admin.token)).code).toBe("not_found");
    }
    const put = await send("PUT", `/keys/${admin.id}`, admin.token);
    expect([put.status, put.headers.get("Allow")]).toEqual([405, "GET, HEAD, PATCH, DELETE, OPTIONS"]);
  });
});
