import { describe, expect, test } from "vitest";
import { PdfEncryption } from "../../src/engines/pdf/encryption/encryption.ts";
import { Cipher } from "../../src/engines/pdf/encryption/object-cipher.ts";
import { concat } from "../../src/bytes/concat.ts";
import { largeDocument } from "../harness/bombs/large-document.ts";
import { passwords, platform, refusal, replaced, send } from "./protect-service.ts";

const ciphers = [["aes-256"], ["aes-128"]];

test.each(ciphers)("encryption with %s is confirmed by headers", async (encryption) => {
  const response = await send({ ...passwords, encryption });
  expect(response.status).toBe(200);
  const names = ["X-Encryption", "X-Encryption-Verified", "X-Page-Count", "Content-Disposition"];
  expect(names.map((name) => response.headers.get(name))).toEqual([
    encryption,
    "true",
    "2",
    'attachment; filename="letter-protect.pdf"',
  ]);
  const body = new TextDecoder("latin1").decode(await response.arrayBuffer());
  expect(body).toMatch(/^%PDF-1\.[67]\n/);
  expect(body).not.toContain("Title of letter");
});

describe.each(ciphers)("faults of encryption with %s", (encryption) => {
  const fields = { ...passwords, encryption };

  test("an encryption that silently does nothing is caught", async () => {
    const response = await send(fields, (own) =>
      replaced(own, {
        cipher: ({ key }) => new Cipher(crypto, { ...key, strings: "none", streams: "none" }),
      }),
    );
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("a cipher that returns its input is caught", async () => {
    const nothing = (algorithm: unknown, _key: unknown, data: Uint8Array) => {
      const blocks = Math.floor(data.length / 16) + 1;
      const padded = new Uint8Array(blocks * 16).fill(blocks * 16 - data.length);
      padded.set(data);
      return Promise.resolve(algorithm === undefined ? undefined : padded.buffer);
    };
    const response = await send(fields, (own) =>
      replaced(own, {
        cipher: (made) => new PdfEncryption(platform({ encrypt: nothing as SubtleCrypto["encrypt"] })).cipher(made),
      }),
    );
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("a file encrypted with other passwords is caught", async () => {
    const response = await send(fields, (own) =>
      replaced(own, { prepare: (protection) => own.prepare({ ...protection, userPassword: "other" }) }),
    );
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("content encrypted with a key of other passwords is caught", async () => {
    const response = await send(fields, (own) =>
      replaced(own, {
        cipher: ({ key }) => new Cipher(crypto, { ...key, key: key.key.toReversed() }),
      }),
    );
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("passwords of another file are caught", async () => {
    const response = await send(fields, (own) =>
      replaced(own, {
        prepare: async (protection) => {
          const other = await own.prepare({ ...protection, ownerPassword: "other" });
          return { ...(await own.prepare(protection)), dictionary: other.dictionary, key: other.key };
        },
      }),
    );
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("a file that opens without a password is caught", async () => {
    const response = await send(fields, (own) =>
      replaced(own, { prepare: (protection) => own.prepare({ ...protection, userPassword: "" }) }),
    );
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("a file with other permissions is caught", async () => {
    const response = await send({ ...fields, permissions: "none" }, (own) =>
      replaced(own, { prepare: (protection) => own.prepare({ ...protection, permissions: -4 }) }),
    );
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("a file with the other cipher is caught", async () => {
    const method = encryption === "aes-256" ? "aes-128" : "aes-256";
    const response = await send(fields, (own) =>
      replaced(own, { prepare: (protection) => own.prepare({ ...protection, method }) }),
    );
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("an encryption that breaks off is an error", async () => {
    let calls = 0;
    const broken = (own: PdfEncryption): PdfEncryption =>
      replaced(own, {
        cipher: (made) =>
          new PdfEncryption(
            platform({
              encrypt: (algorithm, secret, data) =>
                ++calls > 1
                  ? Promise.reject(new Error("operation failed"))
                  : crypto.subtle.encrypt(algorithm, secret, data),
            }),
          ).cipher(made),
      });
    const file = concat([...largeDocument({ pages: 20, pictureBytes: 32 * 1024 })]);
    const response = await send(fields, broken, file);
    expect(calls).toBe(2);
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("a verification that throws is an error", async () => {
    const response = await send(fields, (own) =>
      replaced(own, {
        verify: () => {
          throw new TypeError("a word of the document");
        },
      }),
    );
    expect(await response.clone().text()).not.toContain("a word of the document");
    expect(await refusal(response)).toEqual([500, "encryption_failed"]);
  });

  test("a missing cipher is an error", async () => {
    const absent = platform({ importKey: () => Promise.reject(new DOMException("no AES", "NotSupportedError")) });
    const response = await send(fields, () => new PdfEncryption(absent));
    expect(await refusal(response)).toEqual([503, "encryption_unavailable"]);
  });

  test("a request after the faults succeeds", async () => {
    expect((await send(fields)).status).toBe(200);
  });
});
