import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type StartedServer } from "../e2e/server.ts";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { pdfPart, post, type ApiResponse } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openssl, signaturesIn, verification } from "../harness/signatures/signatures.ts";
import { startTimestampAuthority, type TimestampAuthority } from "../harness/signatures/timestamp-authority.ts";

let persistTo: string;
let server: StartedServer;
let authority: TimestampAuthority;
beforeAll(async () => {
  persistTo = await mkdtemp(join(tmpdir(), "pdf-service-timestamps-"));
  authority = await startTimestampAuthority();
  const variables = ["--var", "FETCH_ALLOW_LOCAL:true", "--var", `TSA_URL:${authority.url}`];
  server = await startServer(persistTo, variables);
});
afterAll(async () => {
  await authority.close();
  await server.stop();
  await rm(persistTo, { recursive: true, force: true });
});

const signer = await issue({ subject: "Ada", isAuthority: true });
const letter = document({ name: "letter", pages: 2 });

const seal = async (more: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  post({ baseUrl: server.baseUrl, key: server.liveKey }, "seal", {
    file: pdfPart(letter),
    privateKey: await keyPem(signer),
    chain: chainPem(signer),
    level: "b-t",
    ...more,
  });

/** Checks the signature and the time stamp over it, with OpenSSL. */
async function stamped({ status, body, headers }: ApiResponse): Promise<string> {
  expect(status, new TextDecoder().decode(body.subarray(0, 300))).toBe(200);
  expect(headers.get("X-Signature-Level")).toBe("b-t");
  const [signature] = signaturesIn(body);
  if (signature === undefined) throw new Error("there is no signature");
  expect(await verification(signature, chainPem(signer))).toBe("verified");
  const { cms } = signature;
  // The token is the value of the attribute id-aa-timeStampToken, and the signature value is the octet string before it.
  const identifier = Buffer.from("060b2a864886f70d010910020e", "hex");
  const at = cms.indexOf(identifier);
  const set = cms.subarray(at + identifier.length);
  const token = set.subarray(2 + ((set[1] ?? 0) < 0x80 ? 0 : (set[1] ?? 0) & 0x7f));
  const printed = await openssl({ cms }, "asn1parse", "-inform", "DER", "-in", "{cms}");
  const lines = printed.bytes.toString().split("\n");
  const attribute = lines.findIndex((line) => line.includes("id-smime-aa-timeStampToken"));
  const value = lines.slice(0, attribute).findLast((line) => line.includes("OCTET STRING"));
  const hex = /\[HEX DUMP\]:([0-9A-F]+)/.exec(value ?? "")?.[1] ?? "";
  const files = { token, data: Buffer.from(hex, "hex"), root: authority.rootPem };
  const { code, output } = await openssl(
    files,
    ..."ts -verify -token_in -in {token} -data {data} -CAfile {root}".split(" "),
  );
  return code === 0 ? "verified" : output;
}

test("a b-t seal has a time stamp over the signature, by the default or the requested authority", async () => {
  authority.respond((body) => ({ body }));
  expect(await stamped(await seal())).toBe("verified");
  expect(await stamped(await seal({ timestampUrl: `${authority.url}named`, digest: "sha512" }))).toBe("verified");
});

test("verify-signatures reports the time stamp's authority, and takes no time from another signature's stamp", async () => {
  authority.respond((body) => ({ body }));
  const { body } = await seal();
  const verify = async (bytes: Uint8Array): Promise<unknown> => {
    const service = { baseUrl: server.baseUrl, key: server.liveKey };
    const trust = chainPem(signer) + authority.rootPem;
    const response = await post(service, "verify-signatures", { file: pdfPart(bytes), trust });
    return JSON.parse(new TextDecoder().decode(response.body));
  };
  const stamp = { chain: "trusted", signer: { subject: "CN=Time Stamps", issuer: "CN=Time Root" } };
  const good = { level: "b-t", integrity: "intact", chain: "trusted", timeSource: "timestamp", timestamp: stamp };
  expect(await verify(body)).toMatchObject({ documentIntact: true, signatures: [good] });

  // The imprint of the token is the digest of the signature value: another one there is a stamp of another signature.
  const text = Buffer.from(body).toString("latin1");
  const content = /060b2a864886f70d0109100104/i.exec(text);
  const at = text.indexOf("0420", (content?.index ?? 0) + 30) + 4;
  const changed = text.slice(0, at) + (text[at] === "0" ? "1" : "0") + text.slice(at + 1);
  const other = { chain: "unknown", signer: null };
  expect(await verify(Buffer.from(changed, "latin1"))).toMatchObject({
    signatures: [{ level: "b-b", integrity: "intact", timeSource: "signer", timestamp: other }],
  });
});

test("a whole CMS signature is b-t only with a time stamp of its own", async () => {
  authority.respond((body) => ({ body }));
  const service = { baseUrl: server.baseUrl, key: server.liveKey };
  const send = (bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<ApiResponse> =>
    post(service, "seal", { file: pdfPart(bytes), level: "b-t", ...fields });
  const prepared = await send(letter, { mode: "prepare", chain: chainPem(signer) });
  const input = Buffer.from(prepared.headers.get("X-Signature-Input") ?? "", "base64");
  const made = await openssl({ key: await keyPem(signer), input }, "dgst", "-sha256", "-sign", "{key}", "{input}");
  const fields = { mode: "complete", chain: chainPem(signer), signature: made.bytes.toString("base64") };
  const { body } = await send(prepared.body, fields);
  const [found] = signaturesIn(body);
  const cms = Buffer.from(found?.cms ?? new Uint8Array());
  const whole = await send(prepared.body, { mode: "complete", cms: cms.toString("base64") });
  expect(await stamped(whole)).toBe("verified");
  const imprint =
    cms.indexOf(Buffer.from("0420", "hex"), cms.indexOf(Buffer.from("2a864886f70d0109100104", "hex")) + 15) + 2;
  cms[imprint] = (cms[imprint] ?? 0) ^ 1;
  const refused = await send(prepared.body, { mode: "complete", cms: cms.toString("base64") });
  expect([refused.status, refused.code]).toEqual([400, "invalid_parameters"]);
});

test("a response that is no time stamp of this signature fails with timestamp_failed", async () => {
  let known: Buffer | undefined;
  authority.respond((body) => {
    known = body;
    return { body };
  });
  await seal();
  const changed: Parameters<TimestampAuthority["respond"]>[0][] = [
    // Of another signature.
    () => ({ body: known ?? Buffer.alloc(0) }),
    () => ({ body: Buffer.from("no") }),
    () => ({ body: Buffer.alloc(100 * 1024) }),
    (body) => ({ status: 500, body }),
    // One bit of the token's signature, which is at its end.
    (body) => {
      body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
      return { body };
    },
  ];
  for (const change of changed) {
    authority.respond(change);
    const { status, code } = await seal();
    expect([status, code]).toEqual([422, "timestamp_failed"]);
  }
});

test("a time-stamp service that is forbidden or unreachable is an error", async () => {
  const unreachable = await seal({ timestampUrl: "http://localhost:9/" });
  expect([unreachable.status, unreachable.code]).toEqual([422, "timestamp_failed"]);
  const internal = await seal({ timestampUrl: "https://10.0.0.1/" });
  expect([internal.status, internal.code]).toEqual([400, "invalid_parameters"]);
});
