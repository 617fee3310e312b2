/** Reads a private key and its certificates: PKCS#12 (RFC 7292), or PKCS#8 and X.509 in PEM (RFC 7468). */
import { limits } from "../../limits.ts";
import type { Work } from "../work.ts";
import { children, der, implicitOctets, octets, oidOf, read } from "./asn1.ts";
import { type Certificate, certificateOf } from "./certificates.ts";
import { decrypt, decryptKey, fitsMac } from "./password-based.ts";
import { pemBlocks, readCertificates } from "./pem.ts";
import { readable } from "./refusal.ts";
import { larger, protectedWithPublicKey, tooManyCertificates } from "./problems.ts";
import {
  certificatePasswordIncorrect,
  certificatePasswordNeeded,
  noPrivateKey,
  notPkcs8,
  protectedWithKey,
  severalPrivateKeys,
} from "../signature-errors.ts";

/** A key, and certificates in any order. */
export interface Credentials {
  /** PKCS#8, DER. Overwritten once it is imported. */
  readonly privateKey: Uint8Array<ArrayBuffer>;
  readonly certificates: readonly Certificate[];
  /** The fields that they came from, for errors. */
  readonly fields: { readonly key: string; readonly certificates: string };
}

/** Bags in bags that are followed. */
const MOST_DEPTH = 5;
/** A file of keys and certificates is a few KB. */

const ID_DATA = "1.2.840.113549.1.7.1";
const ID_ENCRYPTED_DATA = "1.2.840.113549.1.7.6";
const X509_CERTIFICATE = "1.2.840.113549.1.9.22.1";
const BAGS: ReadonlyMap<string, "key" | "shrouded key" | "certificate" | "nested"> = new Map([
  ["1.2.840.113549.1.12.10.1.1", "key"],
  ["1.2.840.113549.1.12.10.1.2", "shrouded key"],
  ["1.2.840.113549.1.12.10.1.3", "certificate"],
  ["1.2.840.113549.1.12.10.1.6", "nested"],
]);

type Block = ReturnType<typeof read>;

/**
 * Reads a PKCS#12 file.
 * @throws Refusal `invalid_certificate`
 */
export async function readPkcs12(work: Work, field: string, bytes: Uint8Array, password = ""): Promise<Credentials> {
  return readable(field, "is no PKCS#12 file with a private key and its certificate", async () => {
    if (bytes.length > limits.certificates.fileBytes) throw larger(limits.certificates.fileBytes);
    const [, safe, mac] = children(read(work, bytes));
    const [type, content] = children(safe);
    if (oidOf(type) !== ID_DATA || mac === undefined) throw protectedWithKey(field);
    const contents = octets(children(content)[0]);
    await work.pause();
    if (!(await fitsMac(mac, contents, password, work))) {
      throw password === "" ? certificatePasswordNeeded(field) : certificatePasswordIncorrect(field);
    }
    const found: Found = { keys: [], certificates: [] };
    for (const info of children(read(work, contents))) {
      await work.pause();
      readBags(work, await bagsOf(info, password, work), found, 0);
    }
    const [key, another] = found.keys;
    if (key === undefined) throw noPrivateKey(field);
    if (another !== undefined) throw severalPrivateKeys(field);
    const privateKey = key.isEncrypted ? await decryptKey(key.bytes, password, work) : key.bytes;
    return { privateKey, certificates: found.certificates, fields: { key: field, certificates: field } };
  });
}

/** The contents of bags. Keys are decrypted only if there is exactly one. */
interface Found {
  readonly keys: { readonly bytes: Uint8Array<ArrayBuffer>; readonly isEncrypted: boolean }[];
  readonly certificates: Certificate[];
}

/** The SafeContents in a ContentInfo. */
async function bagsOf(info: Block, password: string, work: Work): Promise<Block> {
  const [type, content] = children(info);
  const [inner] = children(content);
  if (oidOf(type) === ID_DATA) return read(work, octets(inner));
  if (oidOf(type) !== ID_ENCRYPTED_DATA) throw protectedWithPublicKey();
  const [, encrypted] = children(inner);
  const [, algorithm, data] = children(encrypted);
  return read(work, await decrypt(algorithm, implicitOctets(data), password, work));
}

function readBags(work: Work, bags: Block, found: Found, depth: number): void {
  for (const bag of children(bags)) {
    const [type, content] = children(bag);
    const [value] = children(content);
    if (value === undefined) continue;
    const kind = BAGS.get(oidOf(type));
    if (kind === "key" || kind === "shrouded key")
      found.keys.push({ bytes: der(value), isEncrypted: kind === "shrouded key" });
    if (kind === "nested" && depth < MOST_DEPTH) readBags(work, value, found, depth + 1);
    if (kind !== "certificate") continue;
    const [format, certificate] = children(value);
    if (oidOf(format) !== X509_CERTIFICATE) continue;
    found.certificates.push(certificateOf(work, octets(children(certificate)[0])));
    if (found.certificates.length > limits.certificates.most) throw tooManyCertificates();
  }
}

/**
 * Reads a private key and a chain in PEM.
 * @throws Refusal `invalid_certificate`
 */
export async function readPem(work: Work, privateKey: string, chain: string, password = ""): Promise<Credentials> {
  const fields = { key: "privateKey", certificates: "chain" };
  const certificates = await readCertificates(work, "chain", chain);
  return readable("privateKey", "cannot be read", async () => {
    const [plain] = pemBlocks(privateKey, "PRIVATE KEY");
    if (plain !== undefined) return { privateKey: plain, certificates, fields };
    const [encrypted] = pemBlocks(privateKey, "ENCRYPTED PRIVATE KEY");
    if (encrypted === undefined) throw notPkcs8("privateKey");
    if (password === "") throw certificatePasswordNeeded("privateKey");
    return {
      privateKey: await decryptKey(encrypted, password, work),
      certificates,
      fields,
    };
  });
}
