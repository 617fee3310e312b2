import type { AsnType } from "asn1js";
import { expect, test } from "vitest";
import { children, der, hasTag, nothing, oid, read, sequence, setOf, tagged } from "../../../src/engines/cms/asn1.ts";
import { certificateOf } from "../../../src/engines/cms/certificates.ts";
import { signDigest } from "../../../src/engines/cms/sign.ts";
import { ID_SIGNED_DATA, partiesIn } from "../../../src/engines/cms/signed-data.ts";
import { Work } from "../../../src/engines/work.ts";
import { issue } from "../../harness/signatures/certificates.ts";
import { type HandSigned, handSigned } from "../../harness/signatures/updates.ts";
import { broken, report } from "./report.ts";

const issued = await issue({ subject: "Ada", kind: "RSA-2048" });

/** Signed data with one signer and this many certificates. */
async function signedData(certificates = 1): Promise<Buffer> {
  const certificate = certificateOf(new Work(10e9), new Uint8Array(issued.certificate.toSchema().toBER()));
  const sign = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await crypto.subtle.sign("RSASSA-PKCS1-v1_5", issued.keys.privateKey, bytes));
  const signer = {
    certificate,
    chain: Array.from({ length: certificates }, () => certificate),
    signatureAlgorithm: sequence(oid("1.2.840.113549.1.1.11"), nothing()),
    sign,
  };
  return Buffer.from(await signDigest(new Work(10e9), signer, "sha256", new Uint8Array(32)));
}

/** The same data with other parts: those of `SignedData`, the last of which are the signers. */
async function edited(change: (parts: readonly AsnType[]) => readonly AsnType[]): Promise<Buffer> {
  const [, wrapped] = children(read(new Work(10e9), new Uint8Array(await signedData())));
  const parts = change(children(children(wrapped)[0]));
  return Buffer.from(der(sequence(oid(ID_SIGNED_DATA), tagged(0, sequence(...parts)))));
}

const withoutCertificates = (parts: readonly AsnType[]): readonly AsnType[] => parts.filter((one) => !hasTag(one, 0));
const withTwoSigners = (parts: readonly AsnType[]): readonly AsnType[] => {
  const [signer] = children(parts.at(-1));
  return signer ? [...parts.slice(0, -1), setOf([signer, signer])] : [];
};

const rules = async (given: Omit<HandSigned, "signer">): Promise<string[]> =>
  broken(await report(await handSigned({ signer: issued, ...given }), "2b")).filter((found) =>
    found.startsWith("6.4.3"),
  );

test("a signature over the file with a certificate and one signer breaks no rule", async () => {
  expect(await rules({ sign: async () => signedData() })).toEqual([]);
});

test("a byte range that ends before the end of the file, or leaves out more than the signature, is found", async () => {
  const short = (start: number, end: number, length: number): string =>
    `/ByteRange [0 ${start} ${end} ${length - end - 9}]`;
  expect(await rules({ range: short, sign: async () => signedData() })).toEqual(["6.4.3-1 x1"]);
  const wide = (start: number, end: number, length: number): string =>
    `/ByteRange [0 ${start - 4} ${end} ${length - end}]`;
  expect(await rules({ range: wide, sign: async () => signedData() })).toEqual(["6.4.3-1 x1"]);
});

test("signed data without a certificate or with two signers, and bytes that are no signed data, are found", async () => {
  expect(await rules({ sign: async () => edited(withoutCertificates) })).toEqual(["6.4.3-2 x1"]);
  expect(await rules({ sign: async () => edited(withTwoSigners) })).toEqual(["6.4.3-3 x1"]);
  expect(await rules({ sign: async () => Buffer.from([0x30, 0]) })).toEqual(["6.4.3-2 x1", "6.4.3-3 x1"]);
});

test("signers and certificates are counted, and no values are read as none", async () => {
  const none = { signers: 0, certificates: 0 };
  const work = new Work(10e9);
  expect(partiesIn(work, await signedData(2))).toEqual({ signers: 1, certificates: 2 });
  for (const bytes of [[], [0], [0x30, 0x80], [0x30, 3, 6, 1, 42]])
    expect(partiesIn(work, Uint8Array.from(bytes))).toEqual(none);
});
