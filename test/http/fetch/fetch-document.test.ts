import { describe, expect, inject, it, vi } from "vitest";
import { ApiError } from "../../../src/http/errors/api-error.ts";
import { fetchDocument, type FetchOptions } from "../../../src/http/fetch/fetch-document.ts";

const server = inject("documents");
const development = { baseUrl: "http://localhost:8787", allowLocal: true };
/** Of the document that the server responds with. */
const SIZE = 180_009;

async function read(path: string, options: Partial<FetchOptions> = {}): Promise<string> {
  const document = await fetchDocument(path.startsWith("http") ? path : server + path, {
    field: "file1",
    policy: development,
    maxBytes: 1_000_000,
    tooLarge: (actual, isWhole) =>
      new ApiError("file_too_large", "", { details: { actual: isWhole ? actual : "more" } }),
    signal: new AbortController().signal,
    ...options,
  });
  const text = new TextDecoder();
  let all = "";
  for await (const chunk of document.chunks()) all += text.decode(chunk, { stream: true });
  return all;
}

const length = async (path: string): Promise<number> => (await read(path)).length;

async function refusal(path: string, options?: Partial<FetchOptions>): Promise<[string, string, unknown]> {
  try {
    await read(path, options);
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message, error.details];
    throw error;
  }
  throw new Error("it was fetched");
}

/** The number of responses to a path that are still being sent. */
const open = async (path: string): Promise<string> => (await fetch(`${server}/open${path}`)).text();
const closed = (path: string): Promise<void> => vi.waitFor(async () => expect(await open(path)).toBe("0"), 60_000);

describe("fetchDocument", () => {
  it.each(["/report.pdf", "/redirects/3", "/chunked", "/gzip"])("a document is fetched from %s", async (path) => {
    const text = await read(path);
    expect([text.length, text.slice(0, 17), text.slice(-9)]).toEqual([SIZE, "%PDF-1.7\ndocument", "document "]);
  });

  it("an empty document is fetched", async () => {
    expect(await length("/empty")).toBe(0);
  });

  it("a document is requested again, once, if the connection is lost before the first byte", async () => {
    const log = async () => (await (await fetch(`${server}/log`)).json()) as string[];
    // Other files request the same documents.
    const before = await log();
    const requests = async (path: string): Promise<number> => {
      const since = (await log()).slice(before.length);
      return since.filter((one) => one === path).length;
    };
    expect(await length("/lost")).toBe(SIZE);
    expect(await requests("/lost")).toBe(2);
    expect((await refusal("/lost-again"))[1]).toContain("could not be reached");
    expect(await requests("/lost-again")).toBe(2);
    // What broke off later is not requested again.
    expect((await refusal("/short"))[1]).toContain("broke off");
    expect(await requests("/short")).toBe(1);
  });

  it("a document is fetched without cookies, credentials, or a compressed response", async () => {
    const headers = JSON.parse((await read("/headers")).slice(9)) as Record<string, string>;
    expect(headers).toMatchObject({ "user-agent": "pdf-service/0.1.0 (files)", "accept-encoding": "identity" });
    const sent = Object.keys(headers).filter((name) => !name.startsWith("cf-") && name !== "mf-custom-fetch-service");
    expect(sent.toSorted()).toEqual(expect.not.arrayContaining(["cookie", "authorization", "referer"]));
  });
});

describe("failing URLs", () => {
  it.each([
    ["/status/404", "responded with status 404", { input: "file1", status: 404 }],
    ["/status/206", "responded with status 206", { input: "file1", status: 206 }],
    ["/status/503", "responded with status 503", { input: "file1", status: 503 }],
    ["/nowhere", "responded with status 302", { input: "file1", status: 302 }],
    ["/redirects/4", "redirects more than 3 times", { input: "file1" }],
    ["/loop", "redirects more than 3 times", { input: "file1" }],
    ["/to?https://10.0.0.1/", "it must have a host name, not an IP address", { input: "file1" }],
    ["/to?http://169.254.169.254/latest", "it must be an HTTPS URL", { input: "file1" }],
    ["/to?https://user:password@example.com/", "it must not contain a user name", { input: "file1" }],
    ["/to?https://metadata.google.internal/", "it must have a public host name", { input: "file1" }],
    ["/to?http://localhost:8787/", "it must not be an address of this service", { input: "file1" }],
    ["/to?//%20", "it must", { input: "file1" }],
    ["/to?file:///etc/passwd", "it must be an HTTPS URL", { input: "file1" }],
    ["/short", "broke off before the document was complete", { input: "file1" }],
    ["http://127.0.0.1:9/", "could not be reached", { input: "file1" }],
  ])("the URL %s fails with its reason", async (path, words, details) => {
    const [code, message, given] = await refusal(path);
    expect(message).toMatch(/^The URL in `file1` .*\.$/);
    expect(message).toContain(words);
    expect(message).not.toContain("secret");
    expect([code, given]).toEqual(["fetch_failed", details]);
  });

  it.each(["/silent", "/stalled"])("a fetch times out when nothing arrives from %s", async (path) => {
    const [code, message] = await refusal(path, { graceMilliseconds: 100 });
    expect([code, message]).toEqual(["fetch_failed", expect.stringContaining("was too slow")]);
    await closed(path);
  });

  it("a document that announces an excessive size fails before its body", async () => {
    expect(await refusal("/huge")).toEqual(["file_too_large", "", { actual: 1e9 }]);
    await closed("/huge");
  });

  it("a document that turns out too large fails in its body", async () => {
    expect(await refusal("/endless")).toEqual(["file_too_large", "", { actual: "more" }]);
    expect(await refusal("/gzip", { maxBytes: 1_000 })).toEqual(["file_too_large", "", { actual: "more" }]);
    await closed("/endless");
  });

  it("a compressed document that expands too far fails in its body", async () => {
    const [code, message] = await refusal("/large-gzip", { maxBytes: 1e9 });
    expect([code, message]).toEqual(["fetch_failed", expect.stringContaining("more than 32 MiB")]);
    await closed("/large-gzip");
    expect((await refusal("/large-gzip", { maxBytes: 1e7 }))[0]).toBe("file_too_large");
  });

  it("a URL against the rules is an invalid parameter", async () => {
    const issue = "must be an HTTPS URL";
    const details = { fields: [{ name: "file1", issue }] };
    const deployed = { policy: { baseUrl: "https://pdf.example.com", allowLocal: false } };
    expect(await refusal("/report.pdf", deployed)).toEqual(["invalid_parameters", `\`file1\` ${issue}.`, details]);
  });
});

it.each(["/silent", "/stalled", "/endless"])(
  "a document is not read further for a client that is gone: %s",
  async (path) => {
    const gone = new AbortController();
    const reading = read(path, { signal: gone.signal, maxBytes: Infinity });
    await vi.waitFor(async () => expect(await open(path)).toBe("1"), 60_000);
    gone.abort();
    await expect(reading).rejects.toMatchObject({ name: "AbortError" });
    await closed(path);
  },
);
