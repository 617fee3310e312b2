import { expect, test } from "vitest";
import { issue } from "../../harness/signatures/certificates.ts";
import { nothing, oid, sequence } from "../../../src/engines/cms/asn1.ts";
import { certificateOf } from "../../../src/engines/cms/certificates.ts";
import { signDigest } from "../../../src/engines/cms/sign.ts";
import { readSignedData } from "../../../src/engines/cms/signed-data.ts";
import { Work } from "../../../src/engines/work.ts";

const RSA_SHA_256 = "1.2.840.113549.1.1.11";
const SIZE = 256;
/** Second bytes: a length of the value that the first byte begins, which is in the string or all of it, or no length. */
const SECOND = [[0x5a], [0x7f], [0x81, 0xfd], [0x82, 0, 0xfc]];
/** First bytes: tags of values with limits, of strings, and of lists. */
const FIRST = [2, 3, 4, 6, 10, 12, 13, 0x17, 0x18, 0x1e, 0x24, 0x30];
const times = (count: number): number[][] => Array.from({ length: count }, () => []);

test("signed data are read for any bytes of a signature and of its certificate's", async () => {
  const { keys, certificate: issued } = await issue({ subject: "Ada", kind: "RSA-2048" });
  const certificate = certificateOf(new Work(10e9), new Uint8Array(issued.toSchema().toBER()));
  const sign = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await crypto.subtle.sign("RSASSA-PKCS1-v1_5", keys.privateKey, bytes));
  const signer = {
    certificate,
    chain: [certificate],
    signatureAlgorithm: sequence(oid(RSA_SHA_256), nothing()),
    sign,
  };
  const signed = await signDigest(new Work(10e9), signer, "sha256", new Uint8Array(32));
  const { signature } = await readSignedData(new Work(10e9), signed);
  const own = certificate.signed.signature;
  const places = [signature, own].map((value) => Buffer.from(signed).indexOf(value));
  expect(Math.min(...places)).toBeGreaterThan(0);
  const beginnings = [...FIRST.flatMap((first) => SECOND.map((second) => [first, ...second])), ...times(200)];
  for (const beginning of beginnings) {
    const value = crypto.getRandomValues(new Uint8Array(SIZE));
    value.set(beginning);
    // Zeros at the end of a document's value are none of its bytes.
    value[SIZE - 1] = 1;
    for (const place of places) signed.set(value, place);
    const found = await readSignedData(new Work(10e9), signed);
    const what = Buffer.from(value).toString("hex");
    expect(Buffer.from(found.signature).toString("hex")).toBe(what);
    expect(Buffer.from(found.signer.signed.signature).toString("hex")).toBe(what);
  }
});
