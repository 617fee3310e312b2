import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Engines } from "../../src/engines/engines.ts";
import { PdfEncryption } from "../../src/engines/pdf/encryption.ts";
import { protect } from "../../src/operations/protect.ts";
import { document } from "../harness/fixtures.ts";
import { errorOf, newKey } from "../http/echo-service.ts";

const letter = document({ name: "letter", pages: 2, features: ["outline", "form", "attachments"] });
const passwords = { userPassword: "user", ownerPassword: "owner" };

let key: string;
beforeAll(async () => {
  key = await newKey("business");
});

/** The service, with another encryption in place of its own. */
async function send(
  fields: Readonly<Record<string, string>>,
  broken: (own: PdfEncryption) => Engines["encryption"] = (own) => own,
  file: Uint8Array = letter,
): Promise<Response> {
  const operation: typeof protect = {
    ...protect,
    run: (input, engines) => protect.run(input, { ...engines, encryption: broken(engines.encryption) }),
  };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([file.slice()]), "letter.pdf");
  const request = new Request("http://localhost/api/v1/protect", {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
    body: form,
  });
  return createApp([operation]).fetch(request, env, createExecutionContext());
}

/** The error of an answer that holds nothing of the document. */
async function refusal(answer: Response): Promise<[number, string]> {
  const body = await answer.clone().text();
  expect(body).not.toContain("%PDF");
  expect(body.length).toBeLessThan(2000);
  expect(answer.headers.get("X-Encryption")).toBeNull();
  expect(answer.headers.get("X-Encryption-Verified")).toBeNull();
  const [status, code] = await errorOf(answer);
  return [status, code];
}

async function issues(fields: Readonly<Record<string, string>>): Promise<unknown> {
  const [status, code, details] = await errorOf(await send(fields));
  expect([status, code]).toEqual([400, "invalid_parameters"]);
  return (details as { fields: { name: string; issue: string }[] }).fields;
}

/** A PdfEncryption of which some methods are others. */
const replaced = (own: PdfEncryption, methods: Partial<PdfEncryption>): PdfEncryption =>
  Object.assign(Object.create(own) as PdfEncryption, {
    prepare: own.prepare.bind(own),
    encrypt: own.encrypt.bind(own),
    verify: own.verify.bind(own),
    randomPassword: own.randomPassword.bind(own),
    ...methods,
  });

/** The platform's cryptography, of which some functions are others. */
const platform = (functions: Partial<SubtleCrypto>) => ({
  subtle: {
    digest: (algorithm, data) => crypto.subtle.digest(algorithm, data),
    encrypt: (algorithm, secret, data) => crypto.subtle.encrypt(algorithm, secret, data),
    importKey: (...args: Parameters<SubtleCrypto["importKey"]>) => crypto.subtle.importKey(...args),
    ...functions,
  } as SubtleCrypto,
  getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes),
});

const ciphers = [["aes-256"], ["aes-128"]];

test.each(ciphers)("%s is confirmed by headers", async (encryption) => {
  const answer = await send({ ...passwords, encryption });
  expect(answer.status).toBe(200);
  const names = ["X-Encryption", "X-Encryption-Verified", "X-Page-Count", "Content-Disposition"];
  expect(names.map((name) => answer.headers.get(name))).toEqual([
    encryption,
    "true",
    "2",
    'attachment; filename="letter-protect.pdf"',
  ]);
  const body = new TextDecoder("latin1").decode(await answer.arrayBuffer());
  expect(body).toMatch(/^%PDF-1\.[67]\n/);
  expect(body).not.toContain("Title of letter");
});

describe.each(ciphers)("no unencrypted body leaves, whatever goes wrong with %s", (encryption) => {
  const fields = { ...passwords, encryption };

  test("the encryption silently does nothing", async () => {
    const answer = await send(fields, (own) =>
      replaced(own, { encrypt: async (engine, plain) => engine.bytesOf(plain) }),
    );
    expect(await refusal(answer)).toEqual([500, "encryption_failed"]);
  });

  test("the cipher gives back what it was given", async () => {
    const nothing = (algorithm: unknown, _key: unknown, data: Uint8Array) => {
      const blocks = Math.floor(data.length / 16) + 1;
      const padded = new Uint8Array(blocks * 16).fill(blocks * 16 - data.length);
      padded.set(data);
      return Promise.resolve(algorithm === undefined ? undefined : padded.buffer);
    };
    const answer = await send(fields, (own) =>
      replaced(own, {
        encrypt: (...args) =>
          new PdfEncryption(platform({ encrypt: nothing as SubtleCrypto["encrypt"] })).encrypt(...args),
      }),
    );
    expect(await refusal(answer)).toEqual([500, "encryption_failed"]);
  });

  test("the file is encrypted with other passwords", async () => {
    const answer = await send(fields, (own) =>
      replaced(own, { prepare: (protection) => own.prepare({ ...protection, userPassword: "other" }) }),
    );
    expect(await refusal(answer)).toEqual([500, "encryption_failed"]);
  });

  test("the file opens without a password", async () => {
    const answer = await send(fields, (own) =>
      replaced(own, { prepare: (protection) => own.prepare({ ...protection, userPassword: "" }) }),
    );
    expect(await refusal(answer)).toEqual([500, "encryption_failed"]);
  });

  test("the file has other permissions", async () => {
    const answer = await send({ ...fields, permissions: "none" }, (own) =>
      replaced(own, { prepare: (protection) => own.prepare({ ...protection, permissions: -4 }) }),
    );
    expect(await refusal(answer)).toEqual([500, "encryption_failed"]);
  });

  test("the file has the other cipher", async () => {
    const method = encryption === "aes-256" ? "aes-128" : "aes-256";
    const answer = await send(fields, (own) =>
      replaced(own, { prepare: (protection) => own.prepare({ ...protection, method }) }),
    );
    expect(await refusal(answer)).toEqual([500, "encryption_failed"]);
  });

  test("the encryption breaks off", async () => {
    let calls = 0;
    const answer = await send(fields, (own) =>
      replaced(own, {
        encrypt: (...args) =>
          new PdfEncryption(
            platform({
              encrypt: (algorithm, secret, data) =>
                ++calls > 3
                  ? Promise.reject(new Error("operation failed"))
                  : crypto.subtle.encrypt(algorithm, secret, data),
            }),
          ).encrypt(...args),
      }),
    );
    expect(calls).toBe(4);
    expect(await refusal(answer)).toEqual([500, "encryption_failed"]);
  });

  test("the verification throws", async () => {
    const answer = await send(fields, (own) =>
      replaced(own, {
        verify: () => {
          throw new TypeError("a word of the document");
        },
      }),
    );
    expect(await answer.clone().text()).not.toContain("a word of the document");
    expect(await refusal(answer)).toEqual([500, "encryption_failed"]);
  });

  test("the cipher is not available", async () => {
    const absent = platform({ importKey: () => Promise.reject(new DOMException("no AES", "NotSupportedError")) });
    const answer = await send(fields, () => new PdfEncryption(absent));
    expect(await refusal(answer)).toEqual([503, "encryption_unavailable"]);
  });

  test("and the next call is answered as ever", async () => {
    expect((await send(fields)).status).toBe(200);
  });
});

describe("parameters", () => {
  test("all problems are told at once", async () => {
    const given = {
      userPassword: "same\u0000",
      ownerPassword: "same\u0000",
      permissions: "print,fly,run",
      encryption: "rc4",
    };
    expect(await issues(given)).toEqual([
      { name: "encryption", issue: "must be one of aes-128, aes-256" },
      { name: "userPassword", issue: expect.stringContaining("NUL") as string },
      { name: "ownerPassword", issue: expect.stringContaining("NUL") as string },
      { name: "ownerPassword", issue: expect.stringContaining("must differ") as string },
      {
        name: "permissions",
        issue:
          '"fly", "run": the permissions are print, print-high, modify, copy, annotate, fill-forms, accessibility, assemble, all, none',
      },
    ]);
  });

  test("a password must be given, and an empty one is not", async () => {
    const missing = [{ name: "userPassword", issue: "userPassword or ownerPassword is required" }];
    expect(await issues({})).toEqual(missing);
    expect(await issues({ userPassword: "", ownerPassword: "" })).toEqual(missing);
  });

  test("passwords that come to the same are the same", async () => {
    const same = [{ name: "ownerPassword", issue: expect.stringContaining("must differ") as string }];
    expect(await issues({ userPassword: "x", ownerPassword: "x" })).toEqual(same);
    expect(await issues({ userPassword: "e\u0301ﬁ", ownerPassword: "éfi" })).toEqual(same);
  });

  test.each([
    ["aes-256", "x".repeat(128), /1 to 127 bytes/],
    ["aes-256", "ü".repeat(64), /1 to 127 bytes in UTF-8, has 128/],
    ["aes-256", "\u00ad", /1 to 127 bytes in UTF-8, has 0/],
    ["aes-256", "a\u0007", /nobody can type/],
    ["aes-128", "x".repeat(33), /1 to 32 printable ASCII.*aes-256/],
    ["aes-128", "ü", /1 to 32 printable ASCII.*aes-256/],
    ["aes-128", "a\u0000", /1 to 32 printable ASCII.*aes-256/],
  ])("%s does not take %j", async (encryption, userPassword, issue) => {
    expect(await issues({ encryption, userPassword })).toEqual([
      { name: "userPassword", issue: expect.stringMatching(issue) as string },
    ]);
  });

  test("none stands alone, and no item is empty", async () => {
    const of = (permissions: string) => issues({ userPassword: "x", permissions });
    expect(await of("none,print")).toEqual([{ name: "permissions", issue: "none stands alone" }]);
    expect(await of("print,")).toMatchObject([{ name: "permissions", issue: expect.stringMatching(/^"":/) as string }]);
    expect(await of("toString")).toMatchObject([{ name: "permissions" }]);
  });

  test("what is not a field is named", async () => {
    expect(await issues({ userPassword: "x", userpassword: "y" })).toMatchObject([{ name: "userpassword" }]);
  });
});
