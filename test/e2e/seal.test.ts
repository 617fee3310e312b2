import { describe, expect, test } from "vitest";
import {
  chainPem,
  derOf,
  issue,
  type Issued,
  keyDer,
  type KeyKind,
  keyPem,
  pem,
  pkcs12,
} from "../harness/signatures/certificates.ts";
import type { Part } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { formOf } from "../harness/fixtures/form-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { areaOf, readPage } from "../harness/engines/render.ts";
import { openssl, pdfsig, type SignatureInFile, signaturesIn, verification } from "../harness/signatures/signatures.ts";
import { GEOMETRIES, refusal, stamp } from "../harness/requests/stamp-calls.ts";
import { textDocument } from "../harness/fixtures/text-fixtures.ts";

const root = await issue({ subject: "Root", isAuthority: true });
const rootPem = chainPem(root);
const ada = await issue({ subject: "Ada Lovelace", issuer: root });
const file = (bytes: Uint8Array, fileName = "signer.p12"): Part => ({ bytes, fileName });
const withPkcs12 = { certificate: file(await pkcs12(ada, "secret", [root])), certificatePassword: "secret" };
const withPem = async (one: Issued): Promise<Record<string, Part>> => ({
  privateKey: await keyPem(one),
  chain: chainPem(one, root),
});
const letter = document({ name: "letter", pages: 2 });
const box = { page: 1, x: 40, y: 30, width: 100, height: 50 };

/** The only new signature: it covers all but itself, and OpenSSL verifies it. */
async function verified(body: Uint8Array, before: Uint8Array, certificate = rootPem): Promise<SignatureInFile> {
  expect(Buffer.from(body.subarray(0, before.length)).equals(before), "the bytes before are not the same").toBe(true);
  const signature = signaturesIn(body).at(-1);
  expect(signature).toBeDefined();
  if (signature === undefined) throw new Error("there is no signature");
  expect(signature.range[0]).toBe(0);
  expect(signature.range[2] + signature.range[3]).toBe(body.length);
  expect(await verification(signature, certificate)).toBe("verified");
  return signature;
}

describe("verification by OpenSSL", () => {
  const kinds: readonly KeyKind[] = ["RSA-2048", "RSA-4096", "P-256", "P-384"];
  const digests = ["sha256", "sha384", "sha512"] as const;
  test.each(kinds.flatMap((kind, at) => [{ kind, digest: digests[at % 3] ?? "sha256" }]))(
    "a seal verifies: $kind, $digest, in PEM and PKCS#12",
    async ({ kind, digest }) => {
      const one = await issue({ subject: "Zoë", kind, issuer: root });
      for (const credentials of [
        await withPem(one),
        { certificate: file(await pkcs12(one, "ünï", [root])), certificatePassword: "ünï" },
      ]) {
        const { body, headers } = await stamp("seal", letter, { ...credentials, digest });
        expect(headers.get("X-Signature-Level")).toBe("b-b");
        const { cms } = await verified(body, letter);
        const algorithm = await openssl({ cms }, "cms", "-cmsout", "-print", "-inform", "DER", "-in", "{cms}");
        expect(algorithm.bytes.toString()).toContain(`algorithm: ${digest} `);
      }
    },
  );

  test.each([
    ["Triple DES", "-certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-2DES".split(" ")],
    ["AES", "-certpbe AES-128-CBC -keypbe AES-192-CBC -macalg sha512".split(" ")],
  ])("a seal with a PKCS#12 file by OpenSSL with %s verifies", async (name, options) => {
    const pem = { key: await keyPem(ada), chain: chainPem(ada, root) };
    const legacy = name === "AES" ? [] : ["-legacy"];
    const args = ["-export", "-inkey", "{key}", "-in", "{chain}", ...legacy, ...options, "-passout", "pass:päss"];
    const { bytes } = await openssl(pem, "pkcs12", ...args);
    const { body } = await stamp("seal", letter, { certificate: file(bytes), certificatePassword: "päss" });
    expect(await verified(body, letter)).toMatchObject({
      range: [0, expect.any(Number), expect.any(Number), expect.any(Number)],
    });
  });

  test("a PKCS#12 file with RC2 is refused, with advice to export it again", async () => {
    const pem = { key: await keyPem(ada), chain: chainPem(ada, root) };
    const args = "-export -inkey {key} -in {chain} -legacy -certpbe PBE-SHA1-RC2-40 -passout pass:abc".split(" ");
    const { bytes } = await openssl(pem, "pkcs12", ...args);
    const refused = await refusal("seal", letter, { certificate: file(bytes), certificatePassword: "abc" });
    expect(refused.slice(0, 2)).toEqual([400, "invalid_certificate"]);
  });

  test("an encrypted PEM key and a certificate for RSASSA-PSS verify", async () => {
    const made = await openssl({}, ..."genpkey -algorithm rsa-pss -pkeyopt rsa_keygen_bits:2048".split(" "));
    const key = made.bytes.toString();
    const issued = await openssl({ key }, ..."req -x509 -new -key {key} -subj /CN=PSS -days 2".split(" "));
    const chain = issued.bytes.toString();
    const encrypted = await openssl({ key }, ..."pkcs8 -topk8 -in {key} -passout pass:abc".split(" "));
    const parts = { privateKey: encrypted.bytes.toString(), chain, certificatePassword: "abc" };
    const { body } = await stamp("seal", letter, parts);
    await verified(body, letter, chain);
    const [status, code] = await refusal("seal", letter, { ...parts, certificatePassword: "no" });
    expect([status, code]).toEqual([400, "invalid_certificate"]);
  });

  test.each(["aes-256", "aes-128", "rc4-128"] as const)(
    "a seal of a document encrypted with %s verifies",
    async (cipher) => {
      const secret = await encrypt(letter, { cipher, userPassword: "open", ownerPassword: "all" });
      const { body } = await stamp("seal", secret, { ...withPkcs12, password: "open", reason: "Zoë's" });
      await verified(body, secret);
      const { pages } = await openPdf(body, { password: "open" });
      expect(pages[0]?.annotations.map(({ fieldName }) => fieldName)).toContain("Signature1");
    },
  );

  test("two seals in one file verify, and poppler agrees", async () => {
    const first = await stamp("seal", letter, { ...withPkcs12, fieldName: "buyer", certify: "form-filling" });
    const second = await stamp("seal", first.body, { ...(await withPem(ada)), fieldName: "seller" });
    await verified(second.body, first.body);
    const [earlier] = signaturesIn(second.body);
    expect(earlier && (await verification(earlier, rootPem))).toBe("verified");
    const said = await pdfsig(second.body);
    // Without poppler, OpenSSL has verified both.
    expect(said === undefined ? 2 : said.match(/Signature is Valid/g)?.length).toBe(2);
    const { pages } = await openPdf(second.body);
    expect(pages[0]?.annotations.map(({ fieldName }) => fieldName)).toEqual(["buyer", "seller"]);
  });

  test("any changed byte of a sealed file is found", async () => {
    const { body } = await stamp("seal", letter, withPkcs12);
    const signature = await verified(body, letter);
    for (const at of [9, Math.floor(letter.length / 2), signature.signed.length - 9]) {
      const signed = Buffer.from(signature.signed);
      signed[at] = (signed[at] ?? 0) ^ 1;
      expect(await verification({ ...signature, signed }, rootPem)).not.toBe("verified");
    }
  });
});

describe("appearance", () => {
  test.each(GEOMETRIES)("a seal is drawn in its box on a page %s", async (_, entries) => {
    const page = textDocument([{ content: "", entries }]);
    const { body } = await stamp("seal", page, { ...withPkcs12, field: JSON.stringify(box), reason: "Approved" });
    await verified(body, page);
    const { picture } = await readPage(body);
    const area = areaOf(picture, (red, green, blue) => Math.max(red, green, blue) < 140);
    expect(area).toBeDefined();
    const [left, top, right, bottom] = area ?? [0, 0, 0, 0];
    expect(left).toBeGreaterThanOrEqual(box.x);
    expect(top).toBeGreaterThanOrEqual(box.y);
    expect(right).toBeLessThanOrEqual(box.x + box.width);
    expect(bottom).toBeLessThanOrEqual(box.y + box.height);
    // Upright: three lines of text are wider than high.
    expect(right - left).toBeGreaterThan(bottom - top);
  });

  test("an invisible seal changes no pixel", async () => {
    const page = textDocument([{ content: "1 0 0 rg 9 9 50 50 re f" }]);
    const { body } = await stamp("seal", page, withPkcs12);
    const [before, after] = [await readPage(page), await readPage(body)];
    expect(Buffer.from(after.picture.pixels).equals(Buffer.from(before.picture.pixels))).toBe(true);
  });
});

const expired = await issue({ subject: "Old", issuer: root, valid: [-9, -2] });
const early = await issue({ subject: "New", issuer: root, valid: [2, 9] });
const server = await issue({ subject: "Server", issuer: root, usage: 0b0010_0000 });
const short = await issue({ subject: "Short", issuer: root, kind: "RSA-1024" });
const broken = withPkcs12.certificate;
const unusable: readonly [string, Readonly<Record<string, Part>>][] = [
  ["a wrong password", { ...withPkcs12, certificatePassword: "wrong" }],
  ["no password", { certificate: withPkcs12.certificate }],
  ["a PDF as the certificate", { certificate: file(letter) }],
  ["half a file", { certificate: file(typeof broken === "string" ? letter : broken.bytes.slice(0, 400)) }],
  ["an expired certificate", await withPem(expired)],
  ["one that is not valid yet", await withPem(early)],
  ["one that is for other things", await withPem(server)],
  ["a short RSA key", await withPem(short)],
  ["a chain without the key's certificate", { privateKey: await keyPem(ada), chain: rootPem }],
  ["a certificate as the key", { privateKey: rootPem, chain: rootPem }],
  ["bytes that are no key", { privateKey: pem("PRIVATE KEY", Uint8Array.of(0, 0, 0)), chain: rootPem }],
  ["half a key", { privateKey: pem("PRIVATE KEY", (await keyDer(ada)).slice(0, 40)), chain: chainPem(ada) }],
  [
    "a key without its numbers",
    { privateKey: pem("PRIVATE KEY", Uint8Array.of(48, 5, 2, 1, 0, 48, 0)), chain: rootPem },
  ],
  ["more certificates than are read", { privateKey: await keyPem(ada), chain: chainPem(ada).repeat(51) }],
  ["Base64 that is none", { privateKey: "-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----", chain: rootPem }],
];

describe("refusals", () => {
  test.each(unusable)("a credential is refused as invalid_certificate: %s", async (_, parts) => {
    expect((await refusal("seal", letter, parts)).slice(0, 2)).toEqual([400, "invalid_certificate"]);
  });

  test("a single one of certificate and key, and a key without its chain, are refused", async () => {
    const both = { ...withPkcs12, ...(await withPem(ada)) };
    for (const parts of [both, {}, { privateKey: await keyPem(ada) }])
      expect((await refusal("seal", letter, parts)).slice(0, 2)).toEqual([400, "invalid_parameters"]);
  });

  test("a seal that earlier signatures forbid is refused", async () => {
    const closed = await stamp("seal", letter, { ...withPkcs12, certify: "no-changes" });
    expect((await refusal("seal", closed.body, withPkcs12)).slice(0, 2)).toEqual([403, "signature_forbidden"]);
    const filling = await stamp("seal", letter, { ...withPkcs12, certify: "form-filling" });
    const visible = { ...withPkcs12, field: JSON.stringify(box) };
    expect((await refusal("seal", filling.body, visible)).slice(0, 2)).toEqual([403, "signature_forbidden"]);
    const again = { ...withPkcs12, certify: "annotations" };
    expect((await refusal("seal", filling.body, again)).slice(0, 2)).toEqual([409, "already_signed"]);
    const taken = { ...withPkcs12, fieldName: "Signature1" };
    expect((await refusal("seal", filling.body, taken)).slice(0, 2)).toEqual([409, "already_signed"]);
  });

  test("a damaged file and one with XFA are refused", async () => {
    const damaged = letter.slice(0, letter.length - 60);
    expect((await refusal("seal", damaged, withPkcs12)).slice(0, 2)).toEqual([400, "invalid_file"]);
    const xfa = formOf({ line: "/FT /Tx" }, { form: "/XFA [(template) 4 0 R]" });
    expect((await refusal("seal", xfa, withPkcs12)).slice(0, 2)).toEqual([422, "unsupported_form"]);
  });
});

describe("existing fields", () => {
  const withField = (entries: string): Uint8Array => formOf({ line: "/FT /Tx", here: `/FT /Sig ${entries}` });

  test("an existing field is signed and drawn in its own box", async () => {
    const form = withField("");
    const { body, headers } = await stamp("seal", form, { ...withPkcs12, fieldName: "here" });
    expect(headers.get("X-Signature-Field")).toBe("here");
    await verified(body, form);
    const fields = (await openPdf(body)).pages.flatMap(({ annotations }) => annotations.map((one) => one.fieldName));
    expect(fields).toEqual(["line", "here"]);
    const boxed = { ...withPkcs12, fieldName: "here", field: JSON.stringify(box) };
    expect((await refusal("seal", form, boxed)).slice(0, 2)).toEqual([400, "invalid_parameters"]);
    const text = { ...withPkcs12, fieldName: "line" };
    expect((await refusal("seal", form, text)).slice(0, 2)).toEqual([400, "invalid_parameters"]);
  });

  test("an existing field requires the properties of its seed value", async () => {
    const seeds: readonly [string, Readonly<Record<string, string>>][] = [
      ["/SV << /Ff 8 /Reasons [(Approved)] >>", { reason: "Approved" }],
      ["/SV << /Ff 64 /DigestMethod [/SHA512] >>", { digest: "sha512" }],
      ["/SV << /Ff 2 /SubFilter [/ETSI.CAdES.detached] >>", {}],
    ];
    for (const [seed, met] of seeds) {
      await verified(
        (await stamp("seal", withField(seed), { ...withPkcs12, fieldName: "here", ...met })).body,
        withField(seed),
      );
    }
    for (const seed of [
      "/SV << /Ff 8 /Reasons [(Approved)] >>",
      "/SV << /Ff 64 /DigestMethod [/SHA512] >>",
      "/SV << /Ff 2 /SubFilter [/adbe.pkcs7.detached] >>",
      "/SV << /Ff 32 /AddRevInfo true >>",
    ]) {
      const refused = await refusal("seal", withField(seed), { ...withPkcs12, fieldName: "here" });
      expect(refused.slice(0, 2), seed).toEqual([403, "signature_forbidden"]);
    }
  });

  test("an existing field locks the fields of its lock", async () => {
    const form = withField("/Lock << /Type /SigFieldLock /Action /All >>");
    const { body } = await stamp("seal", form, { ...withPkcs12, fieldName: "here" });
    await verified(body, form);
    const filled = await stamp("fill-form", body, { values: '{"line":"x"}' });
    expect(filled.headers.get("X-Signature-Invalidated")).toBe("true");
    expect((await refusal("seal", body, withPkcs12)).slice(0, 2)).toEqual([403, "signature_forbidden"]);
  });
});

test("certificates are embedded once each: signer and chain", async () => {
  const { body } = await stamp("seal", letter, withPkcs12);
  const { cms } = await verified(body, letter);
  for (const one of [ada, root]) expect(cms.includes(Buffer.from(derOf(one)))).toBe(true);
});
