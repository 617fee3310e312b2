import { describe, expect, it } from "vitest";
import { newAccount, sendRaw, type Sent } from "../accounts/account-service.ts";

const { token } = await (await newAccount()).key();

function post(contentType: string | null, body: BodyInit | null): Promise<Sent> {
  const headers = new Headers({ Authorization: `Bearer ${token}` });
  if (contentType !== null) headers.set("Content-Type", contentType);
  return sendRaw("/keys", { method: "POST", headers, body });
}

const body = JSON.stringify({ name: "a" });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("JSON bodies", () => {
  it.each(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])(
    "a JSON body is accepted as %s",
    async (type) => {
      expect((await post(type, bytes(body))).status).toBe(201);
    },
  );

  it("a compressed JSON body is rejected", async () => {
    const headers = {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Content-Encoding": "gzip",
    };
    const { status, code } = await sendRaw("/keys", { method: "POST", headers, body });
    expect([status, code]).toEqual([415, "unsupported_encoding"]);
  });

  it("a byte order mark is skipped", async () => {
    expect((await post("application/json", bytes(`\ufeff${body}`))).status).toBe(201);
  });

  it.each([
    ["text/plain", bytes(body)],
    ["application/x-www-form-urlencoded", bytes("name=a")],
    ["application/jsonp", bytes(body)],
    ["text/plain", null],
    [null, bytes(body)],
  ])("a JSON body is rejected as %s", async (type, body) => {
    const { status, code } = await post(type, body);
    expect([status, code]).toEqual([415, "unsupported_format"]);
  });

  it.each([
    ["cut off", bytes('{"name":"a"')],
    ["an array", bytes("[]")],
    ["null", bytes("null")],
    ["a string", bytes('"name"')],
    ["with a comment", bytes('{"name":"a"} // hello')],
    ["not UTF-8", new Uint8Array([...bytes('{"name":"'), 0xff, ...bytes('"}')])],
    ["deep", bytes("[".repeat(60_000))],
  ])("a JSON body (%s) is rejected without repeating it", async (_case, body) => {
    const { status, code, details, text } = await post("application/json", body);
    expect([status, code, details]).toEqual([400, "invalid_parameters", { fields: [] }]);
    expect(text).not.toContain("hello");
  });

  it("a repeated key is named in the error", async () => {
    const { status, code, details } = await post("application/json", bytes('{"name":"a","n\\u0061me":"b"}'));
    const fields = [{ name: "name", issue: "must not be repeated" }];
    expect([status, code, details]).toEqual([400, "invalid_parameters", { fields }]);
  });

  it("an absent body is an empty object", async () => {
    const { status, details } = await post(null, null);
    expect([status, details]).toEqual([400, { fields: [{ name: "name", issue: "is required" }] }]);
  });

  it("a JSON body has at most 64 KiB, to the byte, with or without a Content-Length", async () => {
    const sized = (size: number): Uint8Array => bytes(body + " ".repeat(size - body.length));
    expect((await post("application/json", sized(65_536))).status).toBe(201);
    const over = await post("application/json", sized(65_537));
    expect([over.status, over.code, over.details]).toEqual([413, "file_too_large", { limit: 65_536, actual: 65_537 }]);
    const streamed = new Response(sized(1_000_000)).body?.pipeThrough(new IdentityTransformStream());
    const unannounced = await post("application/json", streamed ?? null);
    expect([unannounced.status, unannounced.code]).toEqual([413, "file_too_large"]);
    expect(unannounced.details?.["limit"]).toBe(65_536);
  });

  it("ten thousand unknown members are an error that lists a hundred of them, shortened", async () => {
    const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 0]));
    const many = await post("application/json", bytes(JSON.stringify(members)));
    expect(many.status).toBe(400);
    expect(many.details?.["fields"]).toHaveLength(100);
    const long = await post("application/json", bytes(`{"name":"a","${"x".repeat(60_000)}":1}`));
    expect(long.text.length).toBeLessThan(1_000);
  });

  it("a JSON body cannot reach an object's prototype", async () => {
    const { details } = await post("application/json", bytes('{"name":"a","__proto__":{"livemode":false}}'));
    expect(details).toEqual({ fields: [{ name: "__proto__", issue: "is not a known parameter" }] });
  });
});
