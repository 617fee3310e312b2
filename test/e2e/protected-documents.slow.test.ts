import { describe, expect, test } from "vitest";
import { withoutXref } from "../harness/fixtures/broken-fixtures.ts";
import { compareKept, describe as told, selectedPages } from "../harness/compare/compare.ts";
import { ciphers, encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { allFeatures, document } from "../harness/fixtures/fixtures.ts";
import { latin1, pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { protect, protectedBy, roleOf } from "../harness/requests/protect-call.ts";
import { runQpdf, showEncryption } from "../harness/engines/qpdf.ts";
import { signedDocument } from "../harness/fixtures/metadata-fixtures.ts";
import { withSignature } from "../harness/signatures/updates.ts";

const letter = document({ name: "letter", pages: 2, features: ["outline", "form"] });

/** Every permission, as pdf.js numbers them. */
const ALL = [4, 8, 16, 32, 256, 512, 1024, 2048];

describe.each(["aes-256", "aes-128"])("documents protected with %s", (encryption) => {
  test.each(ciphers)("protect replaces %s, opened with the user's or the owner's password", async (cipher) => {
    const plain = document({ name: cipher, pages: 3, features: allFeatures });
    const old = await encrypt(plain, { cipher, userPassword: "old user", ownerPassword: "old owner" });
    const source = await openPdf(old, { password: "old user", drawing: true });
    for (const password of ["old user", "old owner"]) {
      const bytes = await protectedBy(old, { encryption, password, userPassword: "new" });
      expect((await showEncryption(bytes, "new")).method).toBe(encryption === "aes-256" ? "AESv3" : "AESv2");
      expect(await roleOf(bytes, "old user")).toBeUndefined();
      const output = await openPdf(bytes, { password: "new", drawing: true });
      const mapping = { kind: "rotate", pages: selectedPages([0, 1, 2]) } as const;
      const kept = { ...mapping, encryption: { encryptFilter: "Standard", permissions: ALL } };
      expect(compareKept([source], output, kept).map(told)).toEqual([]);
    }
  });

  test("restricted inputs need the owner's password", async () => {
    const restrictions = ["--modify=none"];
    const old = await encrypt(letter, { cipher: "aes-256", userPassword: "u", ownerPassword: "o", restrictions });
    const refused = await protect(old, { encryption, password: "u", userPassword: "new" });
    expect([refused.status, refused.code]).toEqual([403, "owner_password_required"]);
    await protectedBy(old, { encryption, password: "o", userPassword: "new" });
  });

  test("unencrypted metadata of the input is encrypted in the output", async () => {
    const restrictions = ["--cleartext-metadata"];
    const old = await encrypt(letter, { cipher: "aes-128", userPassword: "u", ownerPassword: "o", restrictions });
    const { xmp } = await openPdf(old, { password: "u" });
    expect(Buffer.from(old).includes("x:xmpmeta")).toBe(true);
    const bytes = await protectedBy(old, { encryption, password: "o", userPassword: "new" });
    expect(Buffer.from(bytes).includes("x:xmpmeta")).toBe(false);
    expect((await openPdf(bytes, { password: "new" })).xmp).toBe(xmp);
  });

  test("10,000 linked outline entries are encrypted", async () => {
    const count = 10_000;
    const outline: PdfObject[] = Array.from({ length: count }, (_, index) => {
      const [before, after] = [index > 0 ? `/Prev ${index + 5} 0 R` : "", `/Next ${index + 7} 0 R`];
      return `<</Title(Entry ${index})/Parent 5 0 R/Dest[3 0 R/Fit]${before}${index < count - 1 ? after : ""}>>`;
    });
    const bytes = pdf(
      [
        "<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Contents 4 0 R>>",
        { entries: "", data: latin1("") },
        `<</First 6 0 R/Last ${count + 5} 0 R/Count ${count}>>`,
        ...outline,
      ],
      "/Root 1 0 R",
    );
    const output = await openPdf(await protectedBy(bytes, { encryption, userPassword: "user" }), { password: "user" });
    expect(output.outline.map(({ title }) => title)).toEqual(outline.map((_, index) => `Entry ${index}`));
  });

  test("strings of every kind and streams of every length are encrypted", async () => {
    // Around a block of AES, and around the pieces in which long streams are encrypted.
    const lengths = [0, 1, 15, 16, 17, 31, 32, 262_143, 262_144, 262_145, 524_288, 600_000];
    const bytes = pdf(
      [
        "<</Type/Catalog/Pages 2 0 R/PageLabels<</Nums[0<</P(\\(\\)\\\\\\n\\101)>>]>>>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Kept[5 0 R 6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R 12 0 R 13 0 R 14 0 R 15 0 R 16 0 R]>>",
        "<</Title<FEFF043F>/Author()/Subject(a\\\nb)/Keywords(\\7\\053(nested))>>",
        ...lengths.map((length) => ({
          entries: "/Note(of a stream)/Filter/JPXDecode",
          data: new Uint8Array(length).fill(0x41),
        })),
      ],
      "/Root 1 0 R /Info 4 0 R",
    );
    const output = await protectedBy(bytes, { encryption, userPassword: "user" });
    const { info } = await openPdf(output, { password: "user" });
    expect(info).toMatchObject({ Title: "п", Subject: "ab", Keywords: "\u0007+(nested)" });
    const decrypted = await runQpdf(
      ["--password=user", "--decrypt", "--object-streams=disable", "/in.pdf", "/out.pdf"],
      {
        "/in.pdf": output,
      },
    );
    const text = Buffer.from(decrypted.output ?? []).toString("latin1");
    expect(decrypted.exitCode).toBe(0);
    expect(text).toContain("/P (\\(\\)\\\\\\nA)");
    const found = [...text.matchAll(/\/Note \(of a stream\) \/Length (\d+)/g)].map(([, length]) => Number(length));
    expect(found.toSorted((a, b) => a - b)).toEqual(lengths);
    const contents = [...text.matchAll(/stream\n(A*)\n?endstream/g)].map(([, content]) => content?.length ?? 0);
    expect(contents.toSorted((a, b) => a - b)).toEqual(lengths);
  });
});

test("a repaired input and an invalidated signature are reported", async () => {
  const repaired = await protect(withoutXref(letter), { userPassword: "user" });
  expect(repaired.headers.get("X-Input-Repaired")).toBe("true");
  expect(repaired.headers.get("X-Signature-Invalidated")).toBeNull();

  const response = await protect(await withSignature(signedDocument()), { userPassword: "user" });
  expect(response.headers.get("X-Signature-Invalidated")).toBe("true");
});

test("a stream is encrypted even if it asks not to be", async () => {
  const bytes = pdf(
    [
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Contents 4 0 R>>",
      { entries: "/Filter[/Crypt]/DecodeParms[<</Name/Identity>>]", data: latin1("% a word of the document") },
    ],
    "/Root 1 0 R",
  );
  const output = await protectedBy(bytes, { userPassword: "user" });
  expect(Buffer.from(output).includes("a word of")).toBe(false);
  const run = await runQpdf(["--password=user", "--decrypt", "--qdf", "/in.pdf", "/out.pdf"], { "/in.pdf": output });
  expect(Buffer.from(run.output ?? []).includes("% a word of the document")).toBe(true);
});
