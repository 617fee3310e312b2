import { describe, expect, it } from "vitest";
import { expire, newAccount, send } from "./account-service.ts";
import { call, idRoutes, makerOf, makeThing, routes, seenBy, strangerTo, titleOf } from "./registered-routes.ts";
import { scopes } from "../../src/accounts/scopes.ts";
import { newToken } from "../../src/accounts/token.ts";

const titled = <T extends (typeof routes)[number]>(of: readonly T[]) =>
  of.map((route) => [titleOf(route), route] as const);
const own = await newAccount();
const admin = await own.key();

it("there are routes of both registries, and some that take an ID", () => {
  expect(routes.map(titleOf)).toEqual(expect.arrayContaining(["POST /rotate", "POST /keys", "PATCH /keys/{id}"]));
  expect(idRoutes.length).toBeGreaterThan(3);
});

describe.each(titled(routes))("%s", (_title, route) => {
  it("rejects a request without a key, or with an invented one", async () => {
    for (const token of [
      undefined,
      "x",
      "sk_live_x",
      newToken(true, 0),
      newToken(false, 0),
      admin.id,
      `${admin.token}0`,
    ]) {
      const { status, code, headers } = await call(route, token);
      expect([token, status, code]).toEqual([token, 401, "unauthenticated"]);
      expect(headers.get("WWW-Authenticate")).toBe("Bearer");
    }
  });

  it("rejects a key that has every scope but the required one", async () => {
    const other = await own.key({ scopes: scopes.filter((scope) => !route.anyOf.includes(scope)) });
    const { status, code, details } = await call(route, other.token);
    expect([status, code]).toEqual([403, "forbidden"]);
    expect(route.anyOf).toContain(details?.["requiredScope"]);
    await send("DELETE", `/keys/${other.id}`, admin.token);
  });

  it("accepts a key that has one of the required scopes and no other", async () => {
    for (const scope of route.anyOf) {
      const account = await newAccount();
      let id: string | undefined;
      if (idRoutes.includes(route)) {
        const maker = await account.key({ scopes: [...makerOf(route).anyOf, scope] });
        id = await makeThing(route, maker.token);
      }
      const only = await account.key({ scopes: [scope] });
      const { status, text } = await call(route, only.token, id);
      // An operation misses its form.
      expect(route.body === undefined && status === 415 ? 200 : status, text).toBeLessThan(300);
    }
  });

  it("rejects a key from the request after its revocation, and from the instant of its expiry", async () => {
    for (const end of ["revoked", "expired"]) {
      const key = await own.key({ scopes });
      expect((await call(route, key.token)).status).not.toBe(401);
      if (end === "revoked") await send("DELETE", `/keys/${key.id}`, admin.token);
      else await expire(key.id);
      const { status, code, text } = await call(route, key.token);
      expect([status, code]).toEqual([401, "unauthenticated"]);
      expect(text).toContain(end);
    }
  });
});

describe.each(titled(idRoutes))("%s of other accounts", (_title, route) => {
  it("an ID of another account or mode responds like one that never existed", async () => {
    const owner = await own.key({ scopes });
    const id = await makeThing(route, owner.token);
    const before = await seenBy(route, owner.token, id);
    const strangers = [
      await strangerTo(route),
      await strangerTo(route, false),
      await own.key({ livemode: false }),
      await (await newAccount()).key(),
    ];
    for (const stranger of strangers) {
      const refused = await call(route, stranger.token, id);
      expect([refused.status, refused.code]).toEqual([404, "not_found"]);
      for (const unknown of [
        `${id.slice(0, -1)}~`,
        id.slice(0, -1),
        id.toLowerCase(),
        "none",
        `${id}'--`,
        "%25",
        "_____%",
      ]) {
        const { status, text } = await call(route, stranger.token, unknown);
        expect([status, text]).toEqual([refused.status, refused.text]);
      }
    }
    expect(await seenBy(route, owner.token, id)).toBe(before);
    await send("DELETE", `/keys/${owner.id}`, admin.token);
  });
});

describe.each(titled(routes.filter(({ method, path }) => method === "GET" && !path.includes("{"))))(
  "%s of other modes",
  (_title, route) => {
    it("an account sees nothing of another account, nor of its other mode", async () => {
      const thing = await makeThing({ ...route, path: `${route.path}/{id}` }, admin.token).catch(() => "");
      const stranger = await newAccount();
      for (const { token } of [await stranger.key(), await own.key({ livemode: false })]) {
        const { status, text } = await call(route, token);
        expect(status).toBe(200);
        for (const secret of [admin.id, admin.token.slice(-4), own.account, ...(thing === "" ? [] : [thing])]) {
          expect(text).not.toContain(secret);
        }
      }
    });
  },
);
