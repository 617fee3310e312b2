import { describe, expect, it } from "vitest";
import { metadata } from "../../src/operations/metadata.ts";
import { operations } from "../../src/operations/index.ts";
import { describeApi } from "../../src/http/openapi/openapi.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { errorOf, newKey, senderTo } from "../http/echo-service.ts";

const send = senderTo(metadata);
const bytes = document({ name: "scope", pages: 1 });

async function post(key: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", new Blob([bytes.slice()]), "scope.pdf");
  return send("/api/v1/metadata", { method: "POST", headers: { Authorization: `Bearer ${key}` }, body });
}

const get = { action: "get" };
const set = { action: "set", metadata: '{"title":"x"}' };

describe("scopes", () => {
  it("reading metadata needs pdf:read, writing needs pdf:write, and neither includes the other", async () => {
    const reader = await newKey("business", ["pdf:read"]);
    const writer = await newKey("business", ["pdf:write"]);
    expect((await post(reader, get)).status).toBe(200);
    expect((await post(writer, set)).status).toBe(200);
    expect(await errorOf(await post(reader, set))).toEqual([403, "forbidden", { requiredScope: "pdf:write" }]);
    expect(await errorOf(await post(writer, get))).toEqual([403, "forbidden", { requiredScope: "pdf:read" }]);
  });

  it("the scope is checked before the body, and the exact one after the parameters", async () => {
    const manager = await newKey("business", ["keys:manage"]);
    const reader = await newKey("business", ["pdf:read"]);
    const notAForm = (key: string) =>
      send("/api/v1/metadata", { method: "POST", headers: { Authorization: `Bearer ${key}` }, body: "{}" });
    expect(await errorOf(await notAForm(manager))).toEqual([403, "forbidden", { requiredScope: "pdf:read" }]);
    expect((await notAForm(reader)).status).toBe(415);
    expect((await post(reader, { ...set, metadata: "{" })).status).toBe(400);
  });

  it("the scope is in the description, with the result of `get`", () => {
    const { paths } = describeApi(operations, [], "") as { paths: Record<string, { post: Record<string, unknown> }> };
    const described = JSON.stringify(paths["/api/v1/metadata"]?.post);
    expect(described).toContain(
      "Requires the `pdf:read` scope when `action` is `get`, and the `pdf:write` scope when `action` is `set`.",
    );
    for (const name of ["modificationDate", "pdfVersion", "formFields", "maxLength"]) expect(described).toContain(name);
  });
});
