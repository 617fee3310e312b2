import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { zipSync } from "fflate";
import { describe, expect, inject, it, test, vi } from "vitest";
import { creditsOf, expectNoCredits } from "../paid-service.ts";
import { documentBytes, type FileService, fileService } from "../../files/file-service.ts";
import { issue, pkcs12 } from "../../harness/signatures/certificates.ts";
import { withoutXref } from "../../harness/fixtures/broken-fixtures.ts";
import { ciiInvoice } from "../../harness/fixtures/invoice-fixtures.ts";
import { document } from "../../harness/fixtures/fixtures.ts";
import { fromBase64 } from "../../../src/bytes/base64.ts";
import { createApp } from "../../../src/app.ts";
import { MiB } from "../../../src/limits.ts";
import type { Operation } from "../../../src/operations/definition/define.ts";
import type { Fields } from "../../../src/operations/definition/fields.ts";
import { operations } from "../../../src/operations/index.ts";

const scopes = ["files:read", "files:write", "pdf:read", "pdf:write"] as const;
const server = inject("documents");
const app = createApp(operations);
const local = { ...env, FETCH_ALLOW_LOCAL: "true" };
const service = await fileService({ scopes });

const letter = document({ name: "letter", pages: 3, features: ["form"] });
/** 16 gray pixels. */
const image = fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAAAAACMmsGiAAAADklEQVR4nGNoAAIGVAIAUBQIAXAlrj8AAAAASUVORK5CYII=",
);

/** What an operation takes that is neither a PDF nor an image, by field. */
const others: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>> = {
  seal: { certificate: await pkcs12(await issue({ subject: "Signer" }), "secret") },
  "to-pdf": { file: new TextEncoder().encode("A letter ![seal](seal.png)"), assets: zipSync({ "seal.png": image }) },
};

type Values = Readonly<Record<string, string | Blob>>;
const named = (bytes: Uint8Array, name = "letter.pdf"): File => new File([bytes.slice()], name);

async function post(operation: string, values: Values, init: RequestInit = {}, from: FileService = service) {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.append(name, value);
  const encoded = new Response(form);
  const headers = new Headers({ ...init.headers, Authorization: `Bearer ${from.token}` });
  headers.set("Content-Type", encoded.headers.get("Content-Type") ?? "");
  const body = await encoded.bytes();
  headers.set("Content-Length", String(body.length));
  const request = new Request(`http://localhost/api/v1/${operation}`, { method: "POST", ...init, headers, body });
  const context = createExecutionContext();
  const waited = vi.spyOn(context, "waitUntil");
  const response = await app.fetch(request, local, context);
  const read = new Response(await response.arrayBuffer(), response);
  await Promise.all(waited.mock.calls.flat());
  return read;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: unknown;
}

async function refusal(...given: Parameters<typeof post>): Promise<Refusal> {
  const response = await post(...given);
  expectNoCredits(response);
  const { error } = await response.json<{ error: Omit<Refusal, "status"> }>();
  return { status: response.status, ...error };
}

/** Stores bytes under a name, and returns the ID. */
async function stored(bytes: Uint8Array, name = "letter.pdf", owner = service): Promise<string> {
  const body = new FormData();
  body.append("file", named(bytes, name));
  const response = await owner.send("POST", "/files", { body });
  return (await response.json<{ id: string }>()).id;
}

/** Serves bytes at a path, and returns the URL. */
const invoice = new TextEncoder().encode(ciiInvoice());

async function served(bytes: Uint8Array, path = "/kept/letter.pdf"): Promise<string> {
  await (await fetch(server + path, { method: "PUT", body: bytes.slice() })).text();
  return server + path;
}

/** The paths that were requested of the server. */
const requested = async (): Promise<string[]> => (await fetch(`${server}/log`)).json();
/** The number of responses to a path that are still being sent. */
const open = async (path: string): Promise<string> => (await fetch(`${server}/open${path}`)).text();

const pageCount = (response: Response): string | null => response.headers.get("X-Page-Count");

describe("file fields", () => {
  /** Parameters of operations that take these files, all of them, with other values than in their example. */
  const special: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    watermark: { kind: "image" },
    seal: {
      certificatePassword: "secret",
      appearance: "image",
      field: '{"page":1,"x":9,"y":9,"width":90,"height":40}',
    },
    sign: { mode: "image", field: '{"page":1,"x":9,"y":9,"width":90,"height":40}' },
    "fill-form": { values: "{}" },
    unlock: {},
    "to-pdf": { format: "markdown" },
  };
  const parametersOf = ({ name, fields, example }: Operation): Readonly<Record<string, string>> =>
    special[name] ?? Object.fromEntries(Object.entries(example).filter(([field]) => fields[field]?.kind === "text"));
  /** What does not differ between two runs: the output of protect has random keys, and signatures have random numbers. */
  const content = async (name: string, response: Response): Promise<unknown> => {
    if (name === "protect") return response.headers.get("X-Encryption-Verified");
    return name === "seal" ? response.headers.get("X-Signature-Field") : response.arrayBuffer();
  };

  const filesOf = (operation: string, fields: Fields): [string, Uint8Array][] =>
    Object.entries(fields).flatMap(([name, field]): [string, Uint8Array][] => {
      if (field.kind === "text") return [];
      const bytes =
        others[operation]?.[name] ??
        (field.accept.includes("xml") ? invoice : field.accept.includes("pdf") ? letter : image);
      const names =
        field.kind === "file" ? [name] : Array.from({ length: field.min }, (_, at) => `${field.prefix}${at}`);
      return names.map((name) => [name, bytes]);
    });

  it.each(operations)("a file field of $name takes a reference", async (operation) => {
    const { name, fields } = operation;
    const parameters = parametersOf(operation);
    const files = filesOf(name, fields);
    const uploads = Object.fromEntries(files.map(([field, bytes]) => [field, named(bytes)]));
    const stores: Record<string, string> = {};
    const urls: Record<string, string> = {};
    for (const [field, bytes] of files) {
      stores[field] = await stored(bytes);
      urls[field] = await served(bytes, `/kept/${bytes.length}/letter.pdf`);
    }
    const expected = await post(name, { ...uploads, ...parameters });
    expect(expected.status, await expected.clone().text()).toBe(200);
    const same = await content(name, expected);
    for (const references of [stores, urls]) {
      const response = await post(name, { ...references, ...parameters });
      expect(response.status).toBe(200);
      for (const header of ["Content-Type", "Content-Disposition", "X-Page-Count", "X-Credits-Charged"]) {
        expect(response.headers.get(header)).toBe(expected.headers.get(header));
      }
      expect(await content(name, response)).toEqual(same);
    }
  });
});

describe("references", () => {
  it("references may be mixed with uploads, small and large", async () => {
    const [id, url] = [await stored(letter), await served(letter)];
    const large = document({ name: "large", pages: 1, features: ["image-per-page"], imageBytes: 4.5 * MiB });
    expect(large.length).toBeGreaterThan(4 * MiB);
    const [largeId, largeUrl] = [await stored(large), await served(large, "/kept/large.pdf")];
    const all = [named(letter), id, url, named(large), largeId, largeUrl];
    for (const order of [all.slice(0, 3), all.toReversed(), [all[0], all[4], all[1], all[5]]]) {
      const values = Object.fromEntries(order.map((value, at) => [`file${at}`, value ?? ""]));
      const response = await post("merge", values);
      const pages = order.reduce((sum, value) => sum + (all.indexOf(value ?? "") < 3 ? 3 : 1), 0);
      expect([response.status, pageCount(response)]).toEqual([200, String(pages)]);
    }
  });

  it("references have passwords of their own", async () => {
    const locked = await (await post("protect", { file: named(letter), userPassword: "open" })).bytes();
    const values = { file0: await stored(locked), file1: await served(locked), password1: "open" };
    expect(await refusal("merge", values)).toMatchObject({ code: "password_required", details: { input: "file0" } });
    expect((await post("merge", { ...values, password0: "open" })).status).toBe(200);
  });

  it("a referenced file is repaired like an upload, if it fits into memory", async () => {
    const uploaded = await post("rotate", { file: named(withoutXref(letter)), angle: "90" });
    const response = await post("rotate", { file: await stored(withoutXref(letter)), angle: "90" });
    expect([response.status, response.headers.get("X-Input-Repaired"), pageCount(response)]).toEqual([
      200,
      "true",
      "3",
    ]);
    expect((await response.bytes()).length).toBe((await uploaded.bytes()).length);
  });

  it("many fields may refer to the same file, which is read once", async () => {
    const id = await stored(letter);
    const url = await served(letter, "/kept/hundred.pdf");
    const before = (await requested()).filter((path) => path === "/kept/hundred.pdf").length;
    const same = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`file${at}`, at % 2 === 0 ? id : url]));
    expect(pageCount(await post("merge", same))).toBe("300");
    expect((await requested()).filter((path) => path === "/kept/hundred.pdf").length - before).toBe(1);
    const others = Array.from({ length: 100 }, (_, at) => [`file${at}`, `${url}?${at}`] as const);
    for (const [, other] of others) await served(letter, other.slice(server.length));
    expect(pageCount(await post("merge", Object.fromEntries(others)))).toBe("300");
    expect(await refusal("merge", { ...same, file100: id })).toMatchObject({ code: "limit_exceeded" });
  });

  it("a reference gives the result its name", async () => {
    const name = async (file: string): Promise<string | null> =>
      (await post("rotate", { file, angle: "90" })).headers.get("Content-Disposition");
    expect(await name(await stored(letter, "Müller & Söhne.v2.pdf"))).toContain(
      "M%C3%BCller%20%26%20S%C3%B6hne.v2-rotate.pdf",
    );
    expect(await name(await served(letter, "/kept/a%20b%2Fc%22.pdf?token=x"))).toContain('filename="c_-rotate.pdf"');
    expect(await name(await served(letter, "/kept/%FF%00.pdf"))).toContain("-rotate.pdf");
    expect(await name(await served(letter, "/kept/"))).toContain('filename="document-rotate.pdf"');
  });

  it("a reference has the same fingerprint as the upload of the same file", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const send = async (file: string | File) => creditsOf(await post("rotate", { file, angle: "90" }, { headers }));
    expect((await send(named(letter)))[0]).toBe("1");
    expect((await send(await stored(letter)))[0]).toBe("0");
    expect((await send(await served(letter)))[0]).toBe("0");
    const other = { file: await stored(document({ name: "other", pages: 1 })), angle: "90" };
    expect(await refusal("rotate", other, { headers })).toMatchObject({ status: 422, code: "idempotency_key_reused" });
  });
});

describe("refused references", () => {
  test("a malformed reference is reported with all other problems, and nothing is fetched", async () => {
    const url = await served(letter, "/kept/never.pdf");
    const { code, details } = await refusal("merge", {
      file0: url,
      file1: "letter.pdf",
      file2: "http://example.com/a.pdf",
      file3: "https://10.0.0.1/a.pdf",
      file4: `${url}#page=2`,
      bookmarks: "some",
    });
    expect([code, details]).toEqual([
      "invalid_parameters",
      {
        fields: [
          { name: "file1", issue: "must be a file, a `file_...` ID, or an https:// URL" },
          { name: "file2", issue: "must be an HTTPS URL" },
          { name: "file3", issue: "must have a host name, not an IP address" },
          { name: "file4", issue: "must not contain a fragment" },
          { name: "bookmarks", issue: "must be keep, per-file, or none" },
        ],
      },
    ]);
    // Nor are its pages counted.
    const ranged = { file: url, pages: "9", dpi: "0" };
    expect((await refusal("to-images", ranged)).details).toMatchObject({ fields: [{ name: "dpi" }] });
    expect(await requested()).not.toContain("/kept/never.pdf");
  });

  test("a reference to no file, or one of another account or mode, is refused", async () => {
    const others = [
      await fileService({ scopes }),
      await fileService({ scopes, livemode: false, account: service.account }),
    ];
    const ids = [...(await Promise.all(others.map((owner) => stored(letter, "letter.pdf", owner)))), "file_x", "file_"];
    for (const id of ids) {
      expect(await refusal("rotate", { file: id, angle: "90" })).toMatchObject({
        status: 404,
        code: "not_found",
        message: "`file`: No such file.",
        details: { input: "file" },
      });
    }
  });

  test("a reference to an expired, deleted, or incomplete file is refused", async () => {
    const id = await stored(letter);
    await env.DB.prepare("UPDATE files SET expires_at = 1 WHERE id = ?").bind(id).run();
    const values = { file0: await stored(letter), file1: id };
    expect(await refusal("merge", values)).toMatchObject({ status: 410, code: "expired", details: { input: "file1" } });
    await service.send("DELETE", `/files/${values.file0}`);
    expect(await refusal("merge", { ...values, file1: named(letter) })).toMatchObject({
      status: 404,
      code: "not_found",
    });
    const lost = await stored(letter);
    await env.FILES.delete(`${lost.slice(-1)}/${lost}`);
    expect(await refusal("merge", { file0: named(letter), file1: lost })).toMatchObject({
      status: 410,
      code: "expired",
      message: expect.stringContaining("`file1`"),
    });
  });

  test("a reference to a stored file by a key without the scope is refused", async () => {
    const file = await stored(letter);
    const writer = await fileService({ scopes: ["pdf:write"], account: service.account });
    expect(await refusal("rotate", { file, angle: "90" }, {}, writer)).toMatchObject({
      status: 403,
      code: "forbidden",
      details: { requiredScope: "files:read" },
    });
    expect((await post("rotate", { file: await served(letter), angle: "90" }, {}, writer)).status).toBe(200);
  });

  test("a reference to a URL that cannot be fetched is refused", async () => {
    const angle = "90";
    expect(await refusal("rotate", { file: `${server}/status/403`, angle })).toMatchObject({
      status: 422,
      code: "fetch_failed",
      message: expect.stringContaining("The URL in `file` responded with status 403."),
      details: { input: "file", status: 403 },
    });
    expect(await refusal("rotate", { file: `${server}/short`, angle })).toMatchObject({ code: "fetch_failed" });
    const internal = { file0: await served(letter), file1: `${server}/to?https://10.0.0.1/` };
    expect(await refusal("merge", internal)).toMatchObject({ code: "fetch_failed", details: { input: "file1" } });
    expect(await refusal("rotate", { file: `${server}/empty`, angle })).toMatchObject({ code: "invalid_file" });
    expect(await refusal("rotate", { file: "http://localhost:8787/", angle })).toMatchObject({
      message: "`file` must not be an address of this service.",
    });
  });

  test("a reference to more than the plan or the memory allows is refused", async () => {
    const free = await fileService({ plan: "free", scopes });
    const tooLarge = { status: 413, code: "file_too_large", details: { limit: 10 * MiB } };
    for (const path of ["/huge?1", "/endless?1", "/gzip-bomb?1"]) {
      expect(await refusal("rotate", { file: server + path, angle: "90" }, {}, free)).toMatchObject(tooLarge);
      await vi.waitFor(async () => expect(await open(path)).toBe("0"), 60_000);
    }
    const six = await served(documentBytes(6 * MiB), "/kept/six.pdf");
    expect(await refusal("merge", { file0: six, file1: `${server}/kept/six.pdf` }, {}, free)).toMatchObject(tooLarge);
    const [large, larger] = [await stored(documentBytes(20 * MiB)), await stored(documentBytes(33 * MiB))];
    const limit = 32 * MiB;
    expect(await refusal("merge", { file0: large, file1: large })).toMatchObject({
      status: 413,
      code: "limit_exceeded",
      details: { limit },
    });
    expect(await refusal("compress", { file: larger })).toMatchObject({
      status: 413,
      code: "limit_exceeded",
      details: { limit, actual: 33 * MiB, input: "file" },
    });
  });
});

test("nothing of a URL is logged or repeated", async () => {
  const logged = vi.spyOn(console, "log").mockImplementation(() => {});
  logged.mockClear();
  for (const path of ["/status/500", "/report.pdf", "/loop", "/short", "/huge"]) {
    const response = await post("metadata", { file: `${server}${path}?token=zq7marked`, action: "get" });
    expect(await response.text()).not.toMatch(/zq7marked|secret/);
  }
  const gone = await post("rotate", { file: "http://localhost:9/?token=zq7marked", angle: "90" });
  expect(await gone.text()).not.toContain("zq7marked");
  expect(logged.mock.calls).toHaveLength(6);
  expect(logged.mock.calls.join()).not.toMatch(/zq7marked|localhost|127\.0\.0\.1|secret/);
});

test("documents that do not arrive delay no other request, and end with their clients", async () => {
  const gone = new AbortController();
  const values = { file: `${server}/hanging`, angle: "90" };
  const hanging = Array.from({ length: 3 }, () => post("rotate", values, { signal: gone.signal }));
  const stalled = post("rotate", { ...values, file: `${server}/stalled?1` }, { signal: gone.signal });
  await vi.waitFor(async () => expect([await open("/hanging"), await open("/stalled?1")]).toEqual(["3", "1"]), 60_000);
  const other = await fileService({ scopes });
  for (const file of [named(letter), await stored(letter, "letter.pdf", other), await served(letter)]) {
    expect((await post("rotate", { file, angle: "90" }, {}, other)).status).toBe(200);
  }
  gone.abort();
  for (const response of await Promise.all([...hanging, stalled])) expect(response.status).toBe(499);
  await vi.waitFor(async () => expect([await open("/hanging"), await open("/stalled?1")]).toEqual(["0", "0"]), 60_000);
});
