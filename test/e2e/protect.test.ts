import { describe, expect, test } from "vitest";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { protect, protectedBy, roleOf } from "../harness/requests/protect-call.ts";
import { check, runQpdf, showEncryption } from "../harness/engines/qpdf.ts";
import { document } from "../harness/fixtures/fixtures.ts";

const letter = document({ name: "letter", pages: 2, features: ["outline", "form"] });
async function fileKey(bytes: Uint8Array, password: string): Promise<string> {
  const args = [`--password=${password}`, "--show-encryption", "--show-encryption-key", "/in.pdf"];
  const { stdout } = await runQpdf(args, { "/in.pdf": bytes });
  return /Encryption key = ([0-9a-f]+)/.exec(stdout)?.[1] ?? "none";
}

/** A password as it is sent, and as it stands in the file. */
const unicode: [string, string][] = [
  ["x,decrypt=yes", "x,decrypt=yes"],
  [`a "quoted", 'word'`, `a "quoted", 'word'`],
  ["back\\slash\\", "back\\slash\\"],
  ["user-password==,permissions=-1", "user-password==,permissions=-1"],
  ["  spaces  around  ", "  spaces  around  "],
  ["x".repeat(127), "x".repeat(127)],
  ["ж".repeat(63), "ж".repeat(63)],
  ["пароль 密码 パスワード", "пароль 密码 パスワード"],
  ["سر ١٢٣ 🔒", "سر ١٢٣ 🔒"],
  // NFKC: a ligature, a decomposed accent, a wide digit, a space that does not break, a soft hyphen.
  ["ﬁn cafe\u0301 ９\u00a0so\u00adft", "fin café 9 soft"],
];
const ascii = unicode
  .map(([sent]) => sent)
  .filter((sent) => /^[ -~]{1,32}$/.test(sent))
  .concat("x".repeat(32));

describe("passwords", () => {
  const cases = [
    ...unicode.map(([sent, stands]) => ["aes-256", sent, stands] as const),
    ...ascii.map((sent) => ["aes-128", sent, sent] as const),
  ];
  test.each(cases)("qpdf and pdf.js open a file of %s with the password %j", async (encryption, sent, stands) => {
    const asUser = await protectedBy(letter, { encryption, userPassword: sent, ownerPassword: "owner" });
    expect(await roleOf(asUser, stands)).toBe("user");
    expect(await roleOf(asUser, "owner")).toBe("owner");
    expect(await roleOf(asUser, "x")).toBeUndefined();
    expect((await openPdf(asUser, { password: stands })).pages[1]?.text).toContain("Page 2 of letter");

    const asOwner = await protectedBy(letter, { encryption, userPassword: "user", ownerPassword: sent });
    expect(await roleOf(asOwner, stands)).toBe("owner");
    expect((await openPdf(asOwner, { password: stands })).pages).toHaveLength(2);

    // What a caller typed here opens the file here again, in whatever form.
    for (const password of new Set([sent, stands])) {
      const again = await protect(asUser, { password, userPassword: "new" });
      expect(again.status).toBe(200);
      expect(await roleOf(again.body, "new")).toBe("user");
      expect(await roleOf(again.body, stands)).toBeUndefined();
    }
  });

  test.each(["aes-256", "aes-128"])(
    "a file of %s opens with no other password, and qpdf finds no fault",
    async (encryption) => {
      const bytes = await protectedBy(letter, { encryption, userPassword: "user", ownerPassword: "owner" });
      expect(await roleOf(bytes, "user")).toBe("user");
      expect(await roleOf(bytes, "owner")).toBe("owner");
      expect(await roleOf(bytes, "")).toBeUndefined();
      expect((await check(bytes, "user")).ok).toBe(true);
      await expect(openPdf(bytes)).rejects.toThrow(/password/i);
    },
  );
});

describe.each(["aes-256", "aes-128"])("protect with %s", (encryption) => {
  test("an owner password alone lets anyone open the file, without permissions", async () => {
    const bytes = await protectedBy(letter, { encryption, ownerPassword: "owner", permissions: "none" });
    expect(await roleOf(bytes, "")).toBe("user");
    expect(await roleOf(bytes, "owner")).toBe("owner");
    expect((await openPdf(bytes)).permissions).toEqual([512]);
    expect((await protect(bytes, { userPassword: "x" })).code).toBe("owner_password_required");
    expect((await protect(bytes, { userPassword: "x", password: "no" })).code).toBe("incorrect_password");
    expect((await protect(bytes, { userPassword: "x", password: "owner" })).status).toBe(200);
  });

  test("a user password alone gets a random owner password, neither empty nor the same", async () => {
    const bytes = await protectedBy(letter, { encryption, userPassword: "user", permissions: "print" });
    expect(await roleOf(bytes, "user")).toBe("user");
    expect(await roleOf(bytes, "")).toBeUndefined();
    const owners = await Promise.all(
      [0, 1].map(async () => {
        const { text } = await showEncryption(await protectedBy(letter, { encryption, userPassword: "user" }), "user");
        return text.includes("owner password");
      }),
    );
    expect(owners).toEqual([false, false]);
  });

  test("two outputs never share a file key, even within the same second", async () => {
    const fields = { encryption, userPassword: "user", ownerPassword: "owner" };
    const outputs = await Promise.all(Array.from({ length: 6 }, () => protectedBy(letter, fields)));
    const keys = new Set(await Promise.all(outputs.map((bytes) => fileKey(bytes, "user"))));
    expect([...keys].map((key) => key.length)).toEqual(Array(6).fill(encryption === "aes-256" ? 64 : 32));
  });

  test("initialization vectors are random, so the same content never has the same bytes", async () => {
    const bytes = Buffer.from(await protectedBy(letter, { encryption, userPassword: "user" })).toString("latin1");
    const starts = [...bytes.matchAll(/stream\n([^]{16})/g)].map(([, start]) => start);
    expect(starts.length).toBeGreaterThan(3);
    expect(new Set(starts).size).toBe(starts.length);
  });

  const allowed: Record<string, readonly string[]> = {
    print: ["print low resolution"],
    printing: ["print low resolution"],
    "print-high": ["print low resolution", "print high resolution"],
    modify: ["modify other"],
    copy: ["extract for any purpose"],
    copying: ["extract for any purpose"],
    annotate: ["modify annotations"],
    "fill-forms": ["modify forms"],
    accessibility: [],
    assemble: ["modify document assembly"],
    none: [],
    " copying , print ": ["extract for any purpose", "print low resolution"],
    "Modifying,annotating": ["modify other", "modify annotations"],
    "fillForms,form_filling,assembly": ["modify forms", "modify document assembly"],
    "": [],
  };
  const all = [...new Set([...Object.values(allowed).flat(), "extract for accessibility", "modify anything"])];

  test.each([...Object.entries(allowed), ["all", all] as const])(
    "permissions %j are enforced by the file",
    async (permissions, names) => {
      const { text } = await showEncryption(
        await protectedBy(letter, { encryption, userPassword: "user", permissions }),
        "user",
      );
      const found = [...text.matchAll(/^(.*): allowed$/gm)].map(([, name]) => name);
      expect(found.toSorted()).toEqual([...new Set(["extract for accessibility", ...names])].toSorted());
    },
  );

  test("one password for both opens the document with all permissions", async () => {
    const bytes = await protectedBy(letter, { encryption, userPassword: "same", ownerPassword: "same" });
    expect(await roleOf(bytes, "same")).toContain("owner");
    expect(await roleOf(bytes, "")).toBeUndefined();
    expect((await showEncryption(bytes, "same")).text).not.toContain("not allowed");
    expect((await protect(bytes, { userPassword: "x", password: "same" })).status).toBe(200);
  });

  test("all permissions are granted by default", async () => {
    const { text } = await showEncryption(await protectedBy(letter, { encryption, userPassword: "user" }), "user");
    expect(text).not.toContain("not allowed");
  });
});
