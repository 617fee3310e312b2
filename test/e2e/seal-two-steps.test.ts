import { describe, expect, test } from "vitest";
import { chainPem, derOf, issue, type Issued, keyPem, type KeyKind } from "../harness/signatures/certificates.ts";
import { pdfPart, post, type Part } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openssl, pdfsig, signaturesIn, verification } from "../harness/signatures/signatures.ts";
import { refusal, stamp } from "../harness/requests/stamp-calls.ts";
import { PdfService, sealElsewhere, type SealElsewhereInput } from "../../client/src/index.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();
const root = await issue({ subject: "Root", isAuthority: true });
const letter = document({ name: "letter", pages: 2 });
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** The first step: the prepared document, and what is to be signed. */
async function prepare(signer: Issued, fields: Readonly<Record<string, Part>> = {}, bytes = letter) {
  const chain = chainPem(signer, root);
  const { body, headers } = await stamp("seal", bytes, { mode: "prepare", chain, ...fields });
  const toSign = Buffer.from(headers.get("X-Signature-Input") ?? "", "base64");
  return { body, toSign, chain };
}

/** What `openssl dgst` makes with the key: for elliptic curves, DER. */
async function signElsewhere(signer: Issued, toSign: Uint8Array, digest = "sha256"): Promise<string> {
  const files = { key: await keyPem(signer), input: toSign };
  const { bytes, output } = await openssl(files, "dgst", `-${digest}`, "-sign", "{key}", "{input}");
  expect(bytes.length, output).toBeGreaterThan(0);
  return base64(bytes);
}

describe("signatures in two steps", () => {
  test.each<[KeyKind, string]>([
    ["RSA-2048", "sha256"],
    ["P-256", "sha512"],
    ["P-384", "sha384"],
  ])("a %s signature in %s is completed with a key that only OpenSSL has", async (kind, digest) => {
    const signer = await issue({ subject: "Ada", kind, issuer: root });
    const { body, toSign, chain } = await prepare(signer, { digest, reason: "Approved" });
    expect(Buffer.from(body.subarray(0, letter.length)).equals(letter)).toBe(true);
    const signature = await signElsewhere(signer, toSign, digest);
    const sealed = await stamp("seal", body, { mode: "complete", chain, digest, signature });
    expect(sealed.headers.get("X-Signature-Field")).toBe("Signature1");
    expect(sealed.headers.get("X-Signature-Level")).toBe("b-b");
    expect(sealed.body.length).toBe(body.length);
    const [found] = signaturesIn(sealed.body);
    expect(found && (await verification(found, chainPem(root)))).toBe("verified");
    expect((await pdfsig(sealed.body)) ?? "Signature is Valid.").toContain("Signature is Valid.");
    const report = await post({ baseUrl, key: liveKey }, "verify-signatures", {
      file: pdfPart(sealed.body),
      trust: chainPem(root),
    });
    expect(JSON.parse(new TextDecoder().decode(report.body))).toMatchObject({
      documentIntact: true,
      signatures: [{ chain: "trusted", integrity: "intact", signingReason: "Approved" }],
    });
  });

  test("a key of WebCrypto, whose signature is two numbers, completes a seal", async () => {
    const signer = await issue({ subject: "Ada", kind: "P-256", issuer: root });
    const { body, toSign, chain } = await prepare(signer);
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(algorithm, signer.keys.privateKey, new Uint8Array(toSign));
    const sealed = await stamp("seal", body, { mode: "complete", chain, signature: base64(new Uint8Array(signature)) });
    const [found] = signaturesIn(sealed.body);
    expect(found && (await verification(found, chainPem(root)))).toBe("verified");
  });

  test("the client seals with a function that signs", async () => {
    const signer = await issue({ subject: "Ada", kind: "P-384", issuer: root });
    const service = new PdfService({ apiKey: liveKey, baseUrl });
    const input = {
      file: new Blob([letter.slice()]),
      chain: chainPem(signer, root),
      digest: "sha384",
      reason: "Approved",
    };
    const sealed = await sealElsewhere(service, input as SealElsewhereInput, (bytes) =>
      crypto.subtle.sign({ name: "ECDSA", hash: "SHA-384" }, signer.keys.privateKey, bytes),
    );
    expect(sealed).toMatchObject({ signatureField: "Signature1", signatureLevel: "b-b", pageCount: 2 });
    const [found] = signaturesIn(await sealed.bytes());
    expect(found && (await verification(found, chainPem(root)))).toBe("verified");
  });

  test("a whole CMS signature completes a seal", async () => {
    const signer = await issue({ subject: "Ada", kind: "RSA-2048", issuer: root });
    const { body } = await prepare(signer);
    const [, from = "0", to = "0"] =
      /\/ByteRange\s*\[0 +(\d+) +(\d+) /.exec(Buffer.from(body).toString("latin1")) ?? [];
    const signed = Buffer.concat([body.subarray(0, Number(from)), body.subarray(Number(to))]);
    const files = { signed, key: await keyPem(signer), certificate: chainPem(signer) };
    const made = "cms -sign -cades -binary -md sha256 -outform DER -in {signed} -inkey {key} -signer {certificate}";
    const { bytes } = await openssl(files, ...made.split(" "));
    const sealed = await stamp("seal", body, { mode: "complete", cms: base64(bytes) });
    const [found] = signaturesIn(sealed.body);
    expect(found && (await verification(found, chainPem(root)))).toBe("verified");
    const plain = await openssl(files, ...made.replace("-cades ", "").split(" "));
    const [status, code, details] = await refusal("seal", body, { mode: "complete", cms: base64(plain.bytes) });
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(JSON.stringify(details)).toContain("does not name the certificate");
  });

  test("an encrypted document is sealed in two steps", async () => {
    const signer = await issue({ subject: "Ada", kind: "P-256", issuer: root });
    const secret = await encrypt(letter, { cipher: "aes-256", userPassword: "secret", ownerPassword: "owner" });
    const { body, toSign, chain } = await prepare(signer, { password: "secret" }, secret);
    const fields = { mode: "complete", chain, signature: await signElsewhere(signer, toSign), password: "secret" };
    const sealed = await stamp("seal", body, fields);
    const [found] = signaturesIn(sealed.body);
    expect(found && (await verification(found, chainPem(root)))).toBe("verified");
  });
});

describe("refusals", () => {
  const signer = issue({ subject: "Ada", kind: "P-256", issuer: root });

  test("a document that changed between the steps is refused", async () => {
    const { body, toSign, chain } = await prepare(await signer);
    const signature = await signElsewhere(await signer, toSign);
    const changed = body.slice();
    const at = Buffer.from(body).indexOf("/MediaBox");
    changed[at + 11] = changed[at + 11] === 0x31 ? 0x32 : 0x31;
    const [status, code, details] = await refusal("seal", changed, { mode: "complete", chain, signature });
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(JSON.stringify(details)).toContain("must not change in between");
    const appended = Buffer.concat([body, Buffer.from("\n")]);
    expect((await refusal("seal", appended, { mode: "complete", chain, signature })).slice(0, 2)).toEqual([
      400,
      "invalid_parameters",
    ]);
  });

  test("an invalid signature and one of another key, of other bytes, or with another digest are refused", async () => {
    const { body, toSign, chain } = await prepare(await signer);
    const other = await issue({ subject: "Eve", kind: "P-256", issuer: root });
    const good = await signElsewhere(await signer, toSign);
    const calls: Record<string, Part>[] = [
      { signature: await signElsewhere(other, toSign) },
      { signature: await signElsewhere(await signer, letter) },
      { signature: good, digest: "sha384" },
      { signature: good, chain: chainPem(other, root) },
      { signature: "AAAA" },
      { signature: "no base64!" },
      { cms: base64(derOf(other)) },
      {},
      { signature: good, cms: "AAAA" },
    ];
    for (const call of calls) {
      const [status, code] = await refusal("seal", body, { mode: "complete", chain, ...call });
      expect([status, code], JSON.stringify(call).slice(0, 80)).toEqual([400, "invalid_parameters"]);
    }
  });

  test("a document that is not prepared, or already complete, is refused", async () => {
    const { body, toSign, chain } = await prepare(await signer);
    const fields = { mode: "complete", chain, signature: await signElsewhere(await signer, toSign) };
    const { body: sealed } = await stamp("seal", body, fields);
    for (const bytes of [letter, sealed]) {
      const [status, code, details] = await refusal("seal", bytes, fields);
      expect([status, code]).toEqual([400, "invalid_parameters"]);
      expect(JSON.stringify(details)).toContain("no signature that is prepared");
    }
  });

  test("a prepared document does not count as a signed one", async () => {
    const { body } = await prepare(await signer);
    const { body: report } = await post({ baseUrl, key: liveKey }, "verify-signatures", { file: pdfPart(body) });
    expect(JSON.parse(new TextDecoder().decode(report))).toMatchObject({
      documentIntact: false,
      signatures: [{ integrity: "broken" }],
    });
  });
});
