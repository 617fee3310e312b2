import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startServer, type StartedServer } from "../e2e/server.ts";
import { chainPem, issue, type Issued, keyPem } from "../harness/signatures/certificates.ts";
import { pdfPart, post, type ApiResponse, type Part } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { type Issuers, startIssuers } from "../harness/signatures/issuers.ts";
import { largeDocument } from "../harness/bombs/large-document.ts";
import { concatenate, pdf } from "../harness/fixtures/pdf-writer.ts";
import { check } from "../harness/engines/qpdf.ts";
import { withObjectStreams } from "../harness/fixtures/revision-fixtures.ts";
import { openssl, pdfsig, signaturesIn, verification } from "../harness/signatures/signatures.ts";
import {
  startTimestampAuthority,
  TIME_STAMPING,
  type TimestampAuthority,
} from "../harness/signatures/timestamp-authority.ts";

let persistTo: string;
let server: StartedServer;
let issuers: Issuers;
let authority: TimestampAuthority;
let root: Issued;
let middle: Issued;
let timeRoot: Issued;
beforeAll(async () => {
  persistTo = await mkdtemp(join(tmpdir(), "pdf-service-long-term-"));
  issuers = await startIssuers();
  root = await issue({ subject: "Root", isAuthority: true });
  middle = await issue({
    subject: "Middle",
    isAuthority: true,
    issuer: root,
    crl: issuers.crl("Root"),
    issuerUrl: issuers.certificate("Root"),
  });
  timeRoot = await issue({ subject: "Time Root", isAuthority: true });
  const kind = "RSA-2048";
  const purposes = [TIME_STAMPING];
  const ocsp = issuers.ocsp("Time Root");
  const signer = await issue({ subject: "Time Stamps", kind, issuer: timeRoot, purposes, ocsp });
  authority = await startTimestampAuthority({ root: timeRoot, signer });
  issuers.add("Root", root);
  issuers.add("Middle", middle);
  issuers.add("Time Root", timeRoot);
  const variables = ["--var", "FETCH_ALLOW_LOCAL:true", "--var", `TSA_URL:${authority.url}`];
  server = await startServer(persistTo, variables);
});
afterAll(async () => {
  await authority.close();
  await issuers.close();
  await server.stop();
  await rm(persistTo, { recursive: true, force: true });
});
beforeEach(() => {
  issuers.respond((_, body) => ({ body }));
  issuers.asked.length = 0;
});

const letter = document({ name: "letter", pages: 2 });
const newSigner = (): Promise<Issued> => issue({ subject: "Ada", issuer: middle, ocsp: issuers.ocsp("Middle") });
const call = (operation: string, bytes: Uint8Array, fields: Readonly<Record<string, Part>>): Promise<ApiResponse> =>
  post({ baseUrl: server.baseUrl, key: server.liveKey }, operation, { file: pdfPart(bytes), ...fields });

const seal = async (signer: Issued, level: string, more: Readonly<Record<string, Part>> = {}): Promise<ApiResponse> =>
  call("seal", letter, {
    privateKey: await keyPem(signer),
    chain: chainPem(signer, middle, root),
    level,
    ...more,
  });

const trust = (): string => chainPem(root, timeRoot);

interface Judged {
  readonly documentIntact: boolean;
  readonly signatures: readonly Record<string, unknown>[];
}

async function verify(bytes: Uint8Array, fields: Readonly<Record<string, Part>> = {}): Promise<Judged> {
  const { status, body } = await call("verify-signatures", bytes, { trust: trust(), ...fields });
  const text = new TextDecoder().decode(body);
  expect(status, text).toBe(200);
  return JSON.parse(text) as Judged;
}

const textIn = ({ body }: ApiResponse): string => new TextDecoder().decode(body.subarray(0, 600));

async function sealed(signer: Issued, level: string, more: Readonly<Record<string, Part>> = {}): Promise<Uint8Array> {
  const response = await seal(signer, level, more);
  expect([response.status, response.headers.get("X-Signature-Level")], textIn(response)).toEqual([200, level]);
  return response.body;
}

/** What OpenSSL says of each signature and document time stamp, in the order of the file, and pdfsig of the signatures. */
async function othersSay(bytes: Uint8Array): Promise<[string, string][]> {
  const said: [string, string][] = [];
  const text = Buffer.from(bytes).toString("latin1");
  for (const { signed, cms, range } of signaturesIn(bytes)) {
    const isStamp = text.slice(text.lastIndexOf(" obj", range[1]), range[1]).includes("/ETSI.RFC3161");
    const files = { token: cms, data: signed, root: chainPem(timeRoot) };
    const args = "ts -verify -token_in -in {token} -data {data} -CAfile {root}".split(" ");
    const { code, output } = isStamp ? await openssl(files, ...args) : { code: 1, output: "" };
    const other = isStamp ? output : await verification({ signed, cms, range }, chainPem(root));
    said.push([isStamp ? "document-timestamp" : "signature", code === 0 ? "verified" : other]);
  }
  // It does not know time stamps.
  const signatures = said.filter(([kind]) => kind === "signature");
  const report = await pdfsig(bytes);
  const valid = report?.match(/Signature is Valid\./g)?.length;
  expect(valid ?? signatures.length, report).toBe(signatures.length);
  return said;
}

const good = { integrity: "intact", chain: "trusted", revocation: "good" };

describe("levels of PAdES", () => {
  const kinds = ["RSA-2048", "RSA-4096", "P-256", "P-384"] as const;
  const documents = {
    plain: async () => letter,
    "with object streams": () => withObjectStreams(letter),
    encrypted: () => encrypt(letter, { cipher: "aes-256", userPassword: "", ownerPassword: "owner" }),
    "without a file identifier": async () => {
      const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"];
      return pdf([...objects, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] >>"], "/Root 1 0 R");
    },
  };
  const cases = kinds.flatMap((kind, index) =>
    (["b-lt", "b-lta"] as const).map((level) => [kind, level, Object.keys(documents)[index] ?? ""] as const),
  );
  test.each(cases)("two seals with %s at %s verify without the issuers in a document %s", async (kind, level, name) => {
    const file = await documents[name as keyof typeof documents]();
    const signer = await issue({ subject: "Ada", kind, issuer: middle, ocsp: issuers.ocsp("Middle") });
    const first = await sealed(signer, level, { file: pdfPart(file), digest: "sha384" });
    const again = await sealed(signer, level, { file: pdfPart(first) });
    issuers.asked.length = 0;
    const { documentIntact, signatures } = await verify(again);
    expect(documentIntact).toBe(true);
    const signed = signatures.filter((one) => one["kind"] === "signature");
    const timestamp = { chain: "trusted", revocation: "good" };
    expect(signed).toMatchObject([1, 2].map(() => ({ ...good, level, timeSource: "timestamp", timestamp })));
    const stamps = signatures.filter((one) => one["kind"] === "document-timestamp");
    expect(stamps).toMatchObject((level === "b-lta" ? [1, 2] : []).map(() => good));
    // All is in the document.
    expect(issuers.asked).toEqual([]);
    expect((await verify(again, { fetch: "false" })).signatures).toMatchObject(signatures);
    expect(await check(again)).toMatchObject({ ok: true });
    expect(await othersSay(again)).toEqual(signatures.map(({ kind }) => [kind, "verified"]));
  });

  test("the store has each certificate and response once, and keeps what it had", async () => {
    const ada = await newSigner();
    const first = await sealed(ada, "b-lta");
    const second = await sealed(ada, "b-lta", { file: pdfPart(first) });
    expect(Buffer.from(second.subarray(0, first.length)).equals(Buffer.from(first))).toBe(true);
    const store = (bytes: Uint8Array): number[] =>
      ["Certs", "OCSPs", "CRLs"].map((key) => {
        const lists = Buffer.from(bytes)
          .toString("latin1")
          .matchAll(new RegExp(`/${key} ?\\[([^\\]]*)\\]`, "g"));
        return Array.from(lists).at(-1)?.[1]?.match(/ R/g)?.length ?? 0;
      });
    // Ada, Middle, Root, the time-stamp service, and its root; two responses, one list. Responses are made anew, certificates are not.
    expect(store(first)).toEqual([5, 2, 1]);
    expect(store(second)[0]).toBe(5);
  });

  test("a dozen signatures each have evidence of their own", async () => {
    let file: Uint8Array = letter;
    for (let count = 0; count < 12; count += 1)
      file = await sealed(await newSigner(), "b-lta", { file: pdfPart(file) });
    const { documentIntact, signatures } = await verify(file, { fetch: "false" });
    expect(documentIntact).toBe(true);
    const expected = Array.from({ length: 12 }, () => [{ ...good, level: "b-lta" }, good]).flat();
    expect(signatures).toMatchObject(expected);
  });

  test("signatures made elsewhere reach the level, and whole CMS signatures only with a time stamp", async () => {
    const ada = await newSigner();
    const fields = { chain: chainPem(ada, middle, root), level: "b-lta" };
    const prepared = await call("seal", letter, { ...fields, mode: "prepare" });
    const input = Buffer.from(prepared.headers.get("X-Signature-Input") ?? "", "base64");
    const made = await openssl({ key: await keyPem(ada), input }, "dgst", "-sha256", "-sign", "{key}", "{input}");
    const signature = made.bytes.toString("base64");
    const complete = await call("seal", prepared.body, { ...fields, mode: "complete", signature });
    expect([complete.status, complete.headers.get("X-Signature-Level")], textIn(complete)).toEqual([200, "b-lta"]);
    const { signatures } = await verify(complete.body);
    expect(signatures).toMatchObject([{ ...good, level: "b-lta" }, good]);

    const plain = await call("seal", prepared.body, { ...fields, level: "b-b", mode: "complete", signature });
    const cms = signaturesIn(plain.body)[0]?.cms.toString("base64") ?? "";
    const refused = await call("seal", prepared.body, { mode: "complete", cms, level: "b-lt" });
    expect([refused.status, refused.code], textIn(refused)).toEqual([400, "invalid_parameters"]);
    expect(textIn(refused)).toContain("has no time stamp");
  });

  test("a stored file that is larger than memory is sealed", async () => {
    const ada = await newSigner();
    const form = new FormData();
    form.append("file", new Blob([concatenate([...largeDocument({ pages: 40, pictureBytes: 1 << 20 })])]), "large.pdf");
    const headers = { Authorization: `Bearer ${server.liveKey}` };
    const uploaded = await fetch(`${server.baseUrl}/api/v1/files`, { method: "POST", headers, body: form });
    const { id } = (await uploaded.json()) as { id: string };
    const response = await call("seal", new Uint8Array(), {
      file: id,
      privateKey: await keyPem(ada),
      chain: chainPem(ada, middle, root),
      level: "b-lta",
    });
    expect([response.status, response.headers.get("X-Signature-Level")], textIn(response)).toEqual([200, "b-lta"]);
    expect(await othersSay(response.body)).toEqual([
      ["signature", "verified"],
      ["document-timestamp", "verified"],
    ]);
  });
});

test("seals that wait for time stamps and verifications that wait for issuers leave the engines to others, and complete later", async () => {
  const signer = await newSigner();
  const known = await sealed(signer, "b-t");
  const held = Promise.withResolvers<void>();
  let waiting = 0;
  const hold = async (body: Buffer): Promise<{ body: Buffer }> => {
    waiting += 1;
    await held.promise;
    return { body };
  };
  authority.respond(hold);
  issuers.respond((_, body) => hold(body));
  const levels = ["b-t", "b-lt", "b-lta"];
  const seals = levels.map((level) => seal(signer, level));
  const steps = JSON.stringify([
    { operation: "seal", level: "b-lta", privateKey: await keyPem(signer), chain: chainPem(signer, middle, root) },
    { operation: "extract-pages", range: "1" },
  ]);
  const pipeline = call("pipeline", letter, { steps });
  await expect.poll(() => waiting, { timeout: 300_000 }).toBe(4);
  // Last: an issuer has 5 seconds to respond, and a time-stamp service 15.
  const verifications = Array.from({ length: 3 }, () => verify(known));
  await expect.poll(() => waiting, { timeout: 300_000 }).toBe(7);
  const { status: rotated } = await call("rotate", letter, { angle: "90" });
  expect([rotated, waiting]).toEqual([200, 7]);
  held.resolve();
  for (const [index, response] of (await Promise.all(seals)).entries()) {
    expect([response.status, response.headers.get("X-Signature-Level")]).toEqual([200, levels[index]]);
    expect((await othersSay(response.body)).map(([, said]) => said)).not.toContain("broken");
    const { documentIntact, signatures } = await verify(response.body);
    expect(documentIntact).toBe(true);
    expect(signatures[0]).toMatchObject({ ...good, level: levels[index] });
  }
  for (const report of await Promise.all(verifications)) expect(report.signatures).toMatchObject([good]);
  const { status, headers } = await pipeline;
  expect([status, headers.get("X-Page-Count")]).toEqual([200, "1"]);
});

describe("issuers", () => {
  test("a missing certificate is fetched from the URL in the certificate below it", async () => {
    const ada = await issue({
      subject: "Ada",
      issuer: middle,
      ocsp: issuers.ocsp("Middle"),
      issuerUrl: issuers.certificate("Middle"),
    });
    const alone = await newSigner();
    const refused = await seal(alone, "b-lt", { chain: chainPem(alone) });
    expect([refused.status, refused.code]).toEqual([422, "revocation_unavailable"]);
    expect(textIn(refused)).toContain("the certificate of CN=Middle is missing");
    const bytes = await sealed(ada, "b-lt", { chain: chainPem(ada) });
    expect((await verify(bytes)).signatures).toMatchObject([{ ...good, level: "b-lt" }]);
  });

  test("a delegate's response is accepted if its own certificate needs no check", async () => {
    const purposes = ["1.3.6.1.5.5.7.3.9"];
    const results: unknown[] = [];
    for (const options of [{ purposes, noCheck: true }, { purposes }, { noCheck: true }]) {
      const delegate = await issue({ subject: "Delegate", issuer: middle, ...options });
      issuers.add("Middle by delegate", middle, delegate);
      const ada = await issue({ subject: "Ada", issuer: middle, ocsp: issuers.ocsp("Middle by delegate") });
      const { status, code } = await seal(ada, "b-lt");
      results.push([status, code]);
    }
    const refused = [422, "revocation_unavailable"];
    expect(results).toEqual([[200, undefined], refused, refused]);
  });

  test("a response of another issuer with the same name is not used", async () => {
    const impostor = await issue({ subject: "Middle", isAuthority: true });
    issuers.add("Impostor", impostor);
    for (const sources of [{ crl: issuers.crl("Impostor") }, { ocsp: issuers.ocsp("Impostor") }]) {
      const ada = await issue({ subject: "Ada", issuer: middle, ...sources });
      const { status, code } = await seal(ada, "b-lt");
      expect([status, code]).toEqual([422, "revocation_unavailable"]);
      const signed = await sealed(ada, "b-b");
      expect((await verify(signed)).signatures).toMatchObject([
        { integrity: "intact", chain: "unknown", revocation: "unknown" },
      ]);
    }
  });

  test("an unusable response counts as no response", async () => {
    let other: Buffer | undefined;
    issuers.respond((path, body) => {
      if (path === "/ocsp/Middle") other = Buffer.from(body);
      return { body };
    });
    await sealed(await newSigner(), "b-lt");
    const changes: Record<string, (body: Buffer) => { status?: number; body: Buffer }> = {
      "of another certificate": () => ({ body: other ?? Buffer.alloc(0) }),
      "of another kind": () => ({ body: Buffer.from("no") }),
      empty: () => ({ body: Buffer.alloc(0) }),
      "that is too large": () => ({ body: Buffer.alloc(100 * 1024) }),
      "with another status": (body) => ({ status: 500, body }),
      "that moved": (body) => ({ status: 301, body }),
      // tryLater
      "that has no response": () => ({ body: Buffer.from("30030a0103", "hex") }),
      "with another time": (body) => {
        // producedAt is followed by the response about the certificate, then thisUpdate.
        const at = body.indexOf("Z", body.indexOf("Z") + 1);
        body[at - 1] = body[at - 1] === 0x30 ? 0x31 : 0x30;
        return { body };
      },
      "that is cut off": (body) => ({ body: body.subarray(0, -1) }),
    };
    const results: Record<string, unknown> = {};
    for (const [name, change] of Object.entries(changes)) {
      issuers.respond((path, body) => (path === "/ocsp/Middle" ? change(body) : { body }));
      const { code } = await seal(await newSigner(), "b-lt");
      results[name] = code;
    }
    const expected = Object.keys(changes).map((name) => [name, "revocation_unavailable"]);
    expect(results).toEqual(Object.fromEntries(expected));
  });

  test("a certificate without revocation URLs cannot be sealed for the long term", async () => {
    const ada = await issue({ subject: "Ada", issuer: middle });
    const { status, code } = await seal(ada, "b-lt");
    expect([status, code]).toEqual([422, "revocation_unavailable"]);
    const bytes = await sealed(ada, "b-t");
    const judged = { level: "b-t", chain: "trusted", revocation: "not-checked" };
    expect((await verify(bytes)).signatures).toMatchObject([judged]);
  });

  test("addresses of internal networks are never requested", async () => {
    const ada = await issue({ subject: "Ada", issuer: middle, ocsp: "http://10.0.0.1/", crl: "http://printer.local/" });
    const refused = await seal(ada, "b-lt");
    expect([refused.status, refused.code]).toEqual([422, "revocation_unavailable"]);
    expect(textIn(refused)).toContain("is at a URL that is not public");
  });
});

describe("revocation", () => {
  test("a revoked certificate cannot seal for the long term", async () => {
    const ada = await newSigner();
    issuers.revoke(ada);
    const { status, code, body } = await seal(ada, "b-lt");
    expect([status, code]).toEqual([400, "invalid_certificate"]);
    expect(new TextDecoder().decode(body)).toContain("CN=Ada, which was revoked on ");
  });

  test("a signature is not trusted once its certificate was revoked, unless a time stamp proves that it is older", async () => {
    const ada = await newSigner();
    const [bare, stamped, long] = [await sealed(ada, "b-b"), await sealed(ada, "b-t"), await sealed(ada, "b-lta")];
    expect((await verify(bare)).signatures).toMatchObject([good]);
    issuers.revoke(ada, new Date(Date.now() + 2_000));
    // OpenSSL says so at once; what is revoked later was not revoked when it was stamped.
    const revoked = { integrity: "intact", chain: "revoked", revocation: "revoked" };
    const later = (): Promise<Judged> => verify(bare);
    await expect.poll(later, { timeout: 30_000 }).toMatchObject({ documentIntact: true, signatures: [revoked] });
    expect((await verify(stamped)).signatures).toMatchObject([good]);
    expect((await verify(long)).signatures).toMatchObject([{ ...good, level: "b-lta" }, good]);
    // Whoever does not want to ask does not learn it.
    const unasked = { chain: "trusted", revocation: "not-checked" };
    expect((await verify(bare, { fetch: "false" })).signatures).toMatchObject([unasked]);
  });

  test("a list of 20,000 certificates is read, and the issuer itself may be on one", async () => {
    const several = await issue({ subject: "Busy", isAuthority: true, issuer: root, crl: issuers.crl("Root") });
    issuers.add("Busy", several);
    for (let number = 0; number < 20_000; number++)
      issuers.revokeNumber((0x4000_0000_0000 + number).toString(16).toUpperCase());
    const [kept, gone] = await Promise.all(
      [0, 1].map(() => issue({ subject: "Ada", issuer: several, crl: issuers.crl("Busy") })),
    );
    if (kept === undefined || gone === undefined) throw new Error("no certificates");
    issuers.revoke(gone);
    const chain = (one: Issued): Record<string, Part> => ({ chain: chainPem(one, several, root) });
    const [fine, revoked] = [await seal(kept, "b-lt", chain(kept)), await seal(gone, "b-lt", chain(gone))];
    expect([fine.status, revoked.code], textIn(fine)).toEqual([200, "invalid_certificate"]);
    expect((await verify(fine.body)).signatures).toMatchObject([{ ...good, level: "b-lt" }]);
    const signed = await sealed(kept, "b-t", chain(kept));
    issuers.revoke(several, new Date(Date.now() - 3_600_000));
    expect((await verify(signed)).signatures).toMatchObject([
      { chain: "revoked", reason: expect.stringContaining("CN=Busy") },
    ]);
  });
});
