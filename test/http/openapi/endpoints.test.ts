import { describe, expect, it } from "vitest";
import { newAccount, send } from "../../accounts/account-service.ts";
import { endpoints } from "../../../src/http/endpoints/index.ts";

type Json = Readonly<Record<string, unknown>>;
interface Described {
  readonly operationId: string;
  readonly security?: unknown;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: Json }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Json }>> }>>;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

const { paths, components } = (await send("GET", "/openapi.json")).json as unknown as Description;
const described = Object.entries(paths).map(([path, methods]) => [path.replace("/api/v1", ""), methods] as const);

describe("openapi.json", () => {
  it.each(described)("%s describes exactly the methods that the path takes", async (path, methods) => {
    const method = "put" in methods ? "PATCH" : "PUT";
    const refused = await send(method, path.replaceAll(/\{\w+\}/g, "key_none"));
    expect(refused.status).toBe(405);
    const described = Object.keys(methods).flatMap((method) =>
      method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()],
    );
    expect(refused.headers.get("Allow")?.split(", ").toSorted()).toEqual([...described, "OPTIONS"].toSorted());
  });

  it.each(described)("%s requires a key where it is documented", async (path, methods) => {
    for (const [method, { security }] of Object.entries(methods)) {
      const { status } = await send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "key_none"));
      expect(status).toBe(security === undefined ? 401 : 200);
    }
  });

  it("holds every endpoint of the registry", () => {
    for (const { path, method, name, status } of endpoints) {
      const one = paths[`/api/v1${path}`]?.[method.toLowerCase()];
      expect(one?.operationId).toBe(name);
      expect(Object.keys(one?.responses ?? {})).toEqual(
        expect.arrayContaining([String(status), "400", "401", "403", "500"]),
      );
    }
  });
});

describe("endpoints", () => {
  const rotate = paths["/api/v1/keys/{id}/rotate"]?.["post"];

  it("an endpoint is described by the schemas that validate it", () => {
    expect(rotate?.parameters).toEqual([{ name: "id", in: "path", required: true, schema: { type: "string" } }]);
    expect(rotate?.requestBody).toMatchObject({
      required: false,
      content: {
        "application/json": {
          schema: {
            properties: { gracePeriodSeconds: { type: "integer", minimum: 0, maximum: 2_592_000, default: 86_400 } },
            additionalProperties: false,
          },
        },
      },
    });
    const list = paths["/api/v1/keys"]?.["get"];
    expect(list?.parameters).toMatchObject([
      { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100 } },
      { name: "cursor", in: "query", schema: { type: "string" } },
    ]);
    expect(list?.requestBody).toBeUndefined();
  });

  it("an endpoint lists the responses that it can get", () => {
    const statuses = ["201", "400", "401", "403", "404", "408", "409", "413", "415", "500"];
    expect(Object.keys(rotate?.responses ?? {})).toEqual(expect.arrayContaining(statuses));
    expect(rotate?.responses["201"]?.content?.["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/IssuedApiKey",
    });
  });

  it("an endpoint responds as its schema describes, and allows more properties", async () => {
    const { token } = await (await newAccount()).key();
    const made = (await send("POST", "/keys", token, { name: "a" })).json;
    const { IssuedApiKey, ApiKey } = components.schemas;
    expect(Object.keys(made).toSorted()).toEqual(Object.keys(IssuedApiKey?.["properties"] as Json).toSorted());
    expect(IssuedApiKey?.["required"]).toEqual(Object.keys(made));
    expect(Object.keys(ApiKey?.["properties"] as Json)).not.toContain("key");
    expect(IssuedApiKey).not.toHaveProperty("additionalProperties");
  });
});
