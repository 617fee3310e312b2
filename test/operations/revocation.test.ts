import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type CertificateOptions, chainPem, issue, type Issued, keyPem } from "../harness/signatures/certificates.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import {
  type DataOptions,
  type ListOptions,
  ocspResponse,
  revocationList,
} from "../harness/signatures/revocation-data.ts";
import { operationService } from "./operation-service.ts";

const OCSP = "http://ocsp.example.com/";
const CRL = "http://crl.example.com/root.crl";

/** What issuers respond, by URL. */
const responses = new Map<string, () => Promise<Uint8Array<ArrayBuffer>>>();
const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
  const url = input instanceof Request ? input.url : String(input);
  const respond = responses.get(url);
  return respond ? new Response(await respond()) : new Response("none", { status: 404 });
});

let seal: Awaited<ReturnType<typeof operationService>>;
let verifying: Awaited<ReturnType<typeof operationService>>;
let root: Issued;
beforeAll(async () => {
  [seal, verifying] = [await operationService("seal"), await operationService("verify-signatures")];
  root = await issue({ subject: "Root", isAuthority: true });
});
beforeEach(() => {
  responses.clear();
  asked.mockClear();
});

const letter = document({ name: "letter", pages: 1 });
const signerWith = (options: Partial<CertificateOptions>): Promise<Issued> =>
  issue({ subject: "Ada", issuer: root, ...options });

interface Judged {
  readonly chain: string;
  readonly revocation: string;
  readonly reason?: string;
}

/** What a signature that the certificate makes is judged to be. */
async function judged(
  signer: Issued,
  fields: Readonly<Record<string, string>> = {},
  call = verifying,
  chain: readonly Issued[] = [signer, root],
): Promise<Judged> {
  const signed = await seal(letter, { privateKey: await keyPem(signer), chain: chainPem(...chain) });
  expect(signed.status).toBe(200);
  const response = await call(new Uint8Array(await signed.arrayBuffer()), { trust: chainPem(root), ...fields });
  const { signatures } = (await response.json()) as { signatures: (Judged & { integrity: string })[] };
  const [{ integrity, chain: verdict, revocation, reason } = {} as never] = signatures;
  expect([response.status, integrity, signatures.length]).toEqual([200, "intact", 1]);
  return { chain: verdict, revocation, ...(reason !== undefined && { reason }) };
}

const GOOD = { chain: "trusted", revocation: "good" };
const REVOKED = { chain: "revoked", revocation: "revoked" };
const UNKNOWN = { chain: "unknown", revocation: "unknown" };

describe("OCSP", () => {
  const withResponse = async (options: DataOptions & { readonly unknown?: boolean }): Promise<Judged> => {
    const ada = await signerWith({ ocsp: OCSP });
    responses.set(OCSP, () => ocspResponse(root, ada, options));
    return judged(ada);
  };

  test.each<[string, DataOptions & { readonly unknown?: boolean }, object]>([
    ["that it was not revoked", {}, GOOD],
    ["that it was revoked", { revoked: -3 }, REVOKED],
    ["that it will be revoked", { revoked: 3 }, GOOD],
    ["that the issuer does not know it", { unknown: true }, UNKNOWN],
    ["that is too old", { made: -48, renewed: -1 }, UNKNOWN],
    ["that is too old, of a revocation", { made: -48, renewed: -1, revoked: -50 }, REVOKED],
    ["that is of tomorrow", { made: 20, renewed: 40 }, UNKNOWN],
    ["without an end, of today", { made: -2, renewed: undefined }, GOOD],
    ["without an end, of last week", { made: -7 * 24, renewed: undefined }, UNKNOWN],
  ])("a response %s is judged by its content", async (_, options, verdict) => {
    expect(await withResponse(options)).toMatchObject(verdict);
  });

  test("a response about another certificate or of another issuer with that name is not used", async () => {
    const [ada, eve] = await Promise.all([signerWith({ ocsp: OCSP }), signerWith({ ocsp: OCSP })]);
    responses.set(OCSP, () => ocspResponse(root, eve));
    expect(await judged(ada)).toMatchObject(UNKNOWN);
    const impostor = await issue({ subject: "Root", isAuthority: true });
    responses.set(OCSP, () => ocspResponse(root, ada, { by: impostor }));
    expect(await judged(ada)).toMatchObject(UNKNOWN);
    responses.set(OCSP, () => ocspResponse(impostor, ada));
    expect(await judged(ada)).toMatchObject(UNKNOWN);
  });

  test("a delegate responds only with a certificate for it from the same issuer", async () => {
    const purposes = ["1.3.6.1.5.5.7.3.9"];
    const other = await issue({ subject: "Other", isAuthority: true });
    const ada = await signerWith({ ocsp: OCSP });
    const judge = async (options: Partial<CertificateOptions>, data: DataOptions = {}): Promise<Judged> => {
      const by = await issue({ subject: "Responder", issuer: root, ...options });
      responses.set(OCSP, () => ocspResponse(root, ada, { by, ...data }));
      return judged(ada);
    };
    expect(await judge({ purposes, noCheck: true })).toEqual(GOOD);
    expect(await judge({ purposes })).toMatchObject(UNKNOWN);
    expect(await judge({ noCheck: true })).toMatchObject(UNKNOWN);
    expect(await judge({ purposes, noCheck: true, issuer: other })).toMatchObject(UNKNOWN);
    expect(await judge({ purposes, noCheck: true, valid: [-9, -2] })).toMatchObject(UNKNOWN);
    // It says itself when it responded.
    const backdated = { made: -5 * 24, renewed: 9 * 24 };
    expect(await judge({ purposes, noCheck: true, valid: [-9, -2] }, backdated)).toMatchObject(UNKNOWN);
    expect(await judge({ purposes, noCheck: true, valid: [-9, 2] }, backdated)).toEqual(GOOD);
  });

  test("a certificate with only a directory URL is unknown", async () => {
    const ada = await signerWith({ crl: "ldap://directory.example.com/cn=Root" });
    const verdict = await judged(ada);
    expect(verdict).toMatchObject(UNKNOWN);
    expect(verdict.reason).toContain("it names only sources that are not supported");
  });

  test("each certificate below the root is checked", async () => {
    const middle = await issue({ subject: "Middle", isAuthority: true, issuer: root, crl: CRL });
    const ada = await issue({ subject: "Ada", issuer: middle, ocsp: OCSP });
    responses.set(OCSP, () => ocspResponse(middle, ada));
    const chain = [ada, middle, root];
    expect(await judged(ada, {}, verifying, chain)).toMatchObject(UNKNOWN);
    responses.set(CRL, () => revocationList(root));
    expect(await judged(ada, {}, verifying, chain)).toEqual(GOOD);
    responses.set(CRL, () => revocationList(root, { lists: [middle] }));
    const verdict = await judged(ada, {}, verifying, chain);
    expect(verdict).toMatchObject(REVOKED);
    expect(verdict.reason).toMatch(/^The certificate of CN=Middle was revoked on \d{4}-\d\d-\d\d\.$/);
  });
});

describe("revocation lists", () => {
  test.each<[string, (ada: Issued) => ListOptions, object]>([
    ["without it", () => ({}), GOOD],
    ["with it", (ada) => ({ lists: [ada] }), REVOKED],
    ["with it from tomorrow on", (ada) => ({ lists: [ada], revoked: 20 }), GOOD],
    ["that is too old", () => ({ made: -48, renewed: -1 }), UNKNOWN],
    ["that is of tomorrow", () => ({ made: 20, renewed: 40 }), UNKNOWN],
    ["of its distribution point", () => ({ point: { url: CRL } }), GOOD],
    ["of another distribution point", () => ({ point: { url: "http://crl.example.com/other.crl" } }), UNKNOWN],
    ["of authorities only", () => ({ point: { onlyAuthorities: true } }), UNKNOWN],
    ["of several issuers", () => ({ point: { indirect: true } }), UNKNOWN],
    ["of changes only", () => ({ isDelta: true }), UNKNOWN],
  ])("a revocation list %s is judged by its content", async (_, optionsFor, verdict) => {
    const ada = await signerWith({ crl: CRL });
    responses.set(CRL, () => revocationList(root, optionsFor(ada)));
    expect(await judged(ada)).toMatchObject(verdict);
  });

  test("a list of an issuer that must not sign lists, or signed by somebody else, is not used", async () => {
    const signing = await issue({ subject: "Signing", isAuthority: true, issuer: root, usage: 0b0000_0100 });
    const ada = await issue({ subject: "Ada", issuer: signing, crl: CRL });
    responses.set(CRL, () => revocationList(signing));
    expect(await judged(ada, {}, verifying, [ada, signing, root])).toMatchObject(UNKNOWN);
    const eve = await signerWith({ crl: CRL });
    const impostor = await issue({ subject: "Root", isAuthority: true });
    responses.set(CRL, () => revocationList(root, { by: impostor }));
    expect(await judged(eve)).toMatchObject(UNKNOWN);
  });

  test("a list is fetched if OCSP gives no response", async () => {
    const ada = await signerWith({ ocsp: OCSP, crl: CRL });
    responses.set(CRL, () => revocationList(root));
    expect(await judged(ada)).toEqual(GOOD);
    expect(asked.mock.calls.map(([url]) => String(url))).toEqual([OCSP, CRL]);
  });

  test("a list is not used if it is cut off or has any changed byte", async () => {
    const ada = await signerWith({ crl: CRL });
    const list = await revocationList(root, { lists: [await signerWith({})] });
    const signed = await seal(letter, { privateKey: await keyPem(ada), chain: chainPem(ada, root) });
    const bytes = new Uint8Array(await signed.arrayBuffer());
    const verdicts = new Set<string>();
    for (let at = 0; at < list.length; at += 17)
      for (const changed of [list.slice(0, at), list.map((byte, index) => (index === at ? byte ^ 0x20 : byte))]) {
        responses.set(CRL, async () => changed);
        const response = await verifying(bytes, { trust: chainPem(root) });
        verdicts.add(((await response.json()) as { signatures: Judged[] }).signatures[0]?.chain ?? "");
      }
    expect(verdicts).toEqual(new Set(["unknown"]));
  });
});

describe("requests for revocation", () => {
  test("no request is sent without roots, with `fetch=false`, or without a URL in the certificate", async () => {
    const ada = await signerWith({ ocsp: OCSP, crl: CRL });
    expect(await judged(ada, { trust: chainPem(await issue({ subject: "Other" })) })).toMatchObject({
      chain: "untrusted",
      revocation: "not-checked",
    });
    expect(await judged(ada, { fetch: "false" })).toEqual({ chain: "trusted", revocation: "not-checked" });
    const eve = await signerWith({});
    expect(await judged(eve)).toEqual({ chain: "trusted", revocation: "not-checked" });
    expect(asked).not.toHaveBeenCalled();
  });

  test("requests go only to public hosts and those that the operator allows", async () => {
    for (const url of [
      "http://127.0.0.1/",
      "http://[::1]/",
      "http://10.0.0.1/ocsp",
      "http://metadata.goog/",
      "http://printer.local/",
      "http://ocsp.example.com:8080/",
      "ftp://ocsp.example.com/",
      "http://user@ocsp.example.com/",
    ]) {
      const verdict = await judged(await signerWith({ ocsp: url }));
      expect(verdict.revocation, url).not.toBe("good");
    }
    expect(asked).not.toHaveBeenCalled();
    const limited = await operationService("verify-signatures", { ...env, ISSUER_HOSTS: "crl.example.com" });
    const ada = await signerWith({ ocsp: OCSP, crl: CRL });
    responses.set(OCSP, () => ocspResponse(root, ada));
    responses.set(CRL, () => revocationList(root));
    expect(await judged(ada, {}, limited)).toEqual(GOOD);
    expect(asked.mock.calls.map(([url]) => String(url))).toEqual([CRL]);
  });

  test("no more than 20 requests are sent", async () => {
    const ada = await signerWith({ ocsp: OCSP });
    let bytes: Uint8Array = letter;
    for (let count = 0; count < 25; count++) {
      const one = await signerWith({ ocsp: `http://ocsp-${count}.example.com/` });
      const signed = await seal(bytes, { privateKey: await keyPem(one), chain: chainPem(one, root) });
      bytes = new Uint8Array(await signed.arrayBuffer());
    }
    const response = await verifying(bytes, { trust: chainPem(root) });
    const { signatures } = (await response.json()) as { signatures: Judged[] };
    expect(signatures.map(({ chain }) => chain)).toEqual(signatures.map(() => "unknown"));
    expect(asked).toHaveBeenCalledTimes(20);
    expect(await judged(ada)).toMatchObject(UNKNOWN);
  });

  test("no more than 8 MiB of lists are fetched", async () => {
    const url = (index: number): string => `http://crl-${index}.example.com/`;
    const signers: Issued[] = [];
    let bytes: Uint8Array = letter;
    for (let index = 0; index < 4; index++) {
      const one = await signerWith({ crl: url(index) });
      signers.push(one);
      const signed = await seal(bytes, { privateKey: await keyPem(one), chain: chainPem(one, root) });
      bytes = new Uint8Array(await signed.arrayBuffer());
    }
    // The last signature is judged first.
    for (const index of [3, 2, 1]) responses.set(url(index), async () => new Uint8Array(3 * 1024 * 1024));
    responses.set(url(0), () => revocationList(root));
    const response = await verifying(bytes, { trust: chainPem(root) });
    const { signatures } = (await response.json()) as { signatures: Judged[] };
    expect(signatures).toMatchObject([
      GOOD,
      { ...UNKNOWN, reason: expect.stringContaining("sent more than 2048 KiB") },
      { ...UNKNOWN, reason: expect.stringContaining("cannot be read") },
      { ...UNKNOWN, reason: expect.stringContaining("cannot be read") },
    ]);
  });
});
