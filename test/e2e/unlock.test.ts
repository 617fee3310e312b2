import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type ApiResponse } from "../harness/requests/client.ts";
import { compareKept, describe as told, selectedPages } from "../harness/compare/compare.ts";
import { ciphers, encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { allFeatures, document } from "../harness/fixtures/fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check, showEncryption } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const plain = document({ name: "locked", pages: 3, features: allFeatures });
const letter = document({ name: "letter", pages: 1 });

const unlock = (bytes: Uint8Array, password?: string): Promise<ApiResponse> =>
  post({ baseUrl, key: liveKey }, "unlock", { file: pdfPart(bytes), ...(password !== undefined && { password }) });

/** Ciphers, and AES-256 as Acrobat 9 had it (revision 5). */
const methods = [...ciphers.map((cipher) => [cipher, []] as const), ["aes-256", ["--force-R5"]] as const];

describe.each(methods)("unlock %s %j", (cipher, restrictions) => {
  test.each(["a user's", "an owner's"])(
    "the encryption is removed with %s password, and everything else stays",
    async (password) => {
      const locked = await encrypt(plain, {
        cipher,
        userPassword: "a user's",
        ownerPassword: "an owner's",
        restrictions,
      });
      const { status, body } = await unlock(locked, password);
      expect(status).toBe(200);
      expect(await showEncryption(body)).toMatchObject({ encrypted: false });
      expect(await check(body)).toMatchObject({ ok: true });
      const mapping = {
        kind: "rotate",
        pages: selectedPages([0, 1, 2]),
        encryption: { encryptFilter: null, permissions: null },
      } as const;
      const [before, after] = [await openPdf(plain, { drawing: true }), await openPdf(body, { drawing: true })];
      expect(compareKept([before], after, mapping).map(told)).toEqual([]);
    },
  );
});

test("restricted permissions need the owner's password, even if none is needed to read", async () => {
  const restricted = { cipher: "aes-256", ownerPassword: "owner", restrictions: ["--modify=none"] } as const;
  const readable = await encrypt(letter, { ...restricted, userPassword: "" });
  const locked = await encrypt(letter, { ...restricted, userPassword: "user" });
  for (const [file, password] of [
    [readable, undefined],
    [locked, "user"],
  ] as const) {
    const refused = await unlock(file, password);
    expect([refused.status, refused.code]).toEqual([403, "owner_password_required"]);
    expect(refused.headers.get("X-Credits-Charged")).toBeNull();
    expect(await showEncryption((await unlock(file, "owner")).body)).toMatchObject({ encrypted: false });
  }
  expect(await unlock(locked)).toMatchObject({ status: 400, code: "password_required" });
  expect(await unlock(locked, "guess")).toMatchObject({ status: 400, code: "incorrect_password" });
});

test("a document that is not encrypted is returned byte for byte", async () => {
  const { status, headers, body } = await unlock(letter);
  expect([status, headers.get("X-Page-Count")]).toEqual([200, "1"]);
  expect(Buffer.from(body).equals(letter)).toBe(true);
});
