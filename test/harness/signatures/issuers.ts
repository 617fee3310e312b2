/** What issuers offer over HTTP: OCSP (RFC 6960), revocation lists, and certificates. OpenSSL makes the responses and lists. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { chainPem, derOf, type Issued, keyPem } from "./certificates.ts";
import { openssl } from "./signatures.ts";

const CONFIGURATION = `
[ca]
default_ca = own
[own]
database = {index}
default_md = sha256
default_crl_days = 1
`;

/** What is sent in place of a response. */
export interface Reply {
  readonly status?: number;
  readonly body: Buffer;
}

export interface Issuers {
  /** URLs of an issuer by its name, which may be added later. */
  ocsp(name: string): string;
  crl(name: string): string;
  certificate(name: string): string;
  /** `delegate`: signs its OCSP responses. */
  add(name: string, issuer: Issued, delegate?: Issued): void;
  revoke(one: Issued, on?: Date): void;
  /** The same for a serial number, in hexadecimal. */
  revokeNumber(number: string): void;
  /** Changes what is sent next, until it is called again. */
  respond(change: (path: string, body: Buffer) => Reply | Promise<Reply>): void;
  /** The paths that were asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

const serial = ({ certificate }: Issued): string =>
  Buffer.from(certificate.serialNumber.valueBlock.valueHexView).toString("hex").toUpperCase();

/** As in the database of `openssl ca`. */
const stamp = (date: Date): string => `${date.toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`;

export async function startIssuers(): Promise<Issuers> {
  const known = new Map<string, { issuer: Issued; delegate: Issued }>();
  const revoked = new Map<string, Date>();
  const asked: string[] = [];
  let change: Parameters<Issuers["respond"]>[0] = (_, body) => ({ body });

  /** The database: what is revoked, and otherwise the certificate that is asked for. */
  const index = (valid: string): string => {
    const later = stamp(new Date(Date.now() + 300 * 86_400_000));
    const lines = Array.from(revoked, ([number, on]) => `R\t${later}\t${stamp(on)}\t${number}\tunknown\t/CN=${number}`);
    if (valid !== "" && !revoked.has(valid)) lines.push(`V\t${later}\t\t${valid}\tunknown\t/CN=${valid}`);
    return lines.map((line) => `${line}\n`).join("");
  };

  async function made(kind: string, name: string, request: Buffer): Promise<Buffer> {
    const { issuer, delegate } = known.get(name) ?? {};
    if (issuer === undefined || delegate === undefined) return Buffer.alloc(0);
    if (kind === "certificate") return Buffer.from(derOf(issuer));
    const files = { ca: chainPem(issuer), signer: chainPem(delegate), key: await keyPem(delegate) };
    if (kind === "crl") {
      const config = CONFIGURATION.replace("{index}", "index");
      const args = "ca -gencrl -config {config} -keyfile {key} -cert {ca}".split(" ");
      const { bytes, output } = await openssl(
        { ...files, key: await keyPem(issuer), config, index: index("") },
        ...args,
      );
      if (bytes.length === 0) throw new Error(output);
      return Buffer.from(bytes.toString().replace(/-----[^-]+-----|\s/g, ""), "base64");
    }
    const printed = await openssl({ request }, "ocsp", "-reqin", "{request}", "-req_text");
    const wanted = /Serial Number: ([0-9A-F]+)/.exec(printed.bytes.toString())?.[1] ?? "";
    const args = "ocsp -index {index} -CA {ca} -rsigner {signer} -rkey {key} -reqin {request} -ndays 1 -respout {out}";
    const { bytes, output } = await openssl({ ...files, request, index: index(wanted) }, ...args.split(" "));
    if (bytes.length === 0) throw new Error(output);
    return bytes;
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = request.url ?? "";
    asked.push(path);
    const [, kind = "", name = ""] = path.split("/");
    const { status = 200, body } = await change(
      path,
      await made(kind, decodeURIComponent(name), Buffer.concat(chunks)),
    );
    response.writeHead(status).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = (kind: string) => (name: string) =>
    `http://localhost:${(server.address() as AddressInfo).port}/${kind}/${encodeURIComponent(name)}`;
  return {
    ocsp: url("ocsp"),
    crl: url("crl"),
    certificate: url("certificate"),
    add: (name, issuer, delegate = issuer) => void known.set(name, { issuer, delegate }),
    revoke: (one, on = new Date()) => void revoked.set(serial(one), on),
    revokeNumber: (number) => void revoked.set(number, new Date()),
    respond: (next) => {
      change = next;
    },
    asked,
    close: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
