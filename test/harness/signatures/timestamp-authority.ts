/** A time-stamp service over HTTP (RFC 3161), whose tokens OpenSSL makes. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { chainPem, issue, type Issued, keyPem } from "./certificates.ts";
import { openssl } from "./signatures.ts";

export const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";

const CONFIGURATION = `
[tsa]
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
signer_digest = sha256
crypto_device = builtin
serial = serial
`;

export interface TimestampSigner {
  readonly root: Issued;
  readonly signer: Issued;
}

/** What is sent in place of a response. */
export interface Reply {
  readonly status?: number;
  readonly body: Buffer;
}

export interface TimestampAuthority {
  readonly url: string;
  /** The root of its certificate, in PEM. */
  readonly rootPem: string;
  /** What it sends next in place of a token for the request. */
  respond(change: (reply: Buffer, request: Buffer) => Reply | Promise<Reply>): void;
  close(): Promise<void>;
}

/** A token over these bytes. */
export async function timeStampOver(data: Uint8Array, { root, signer }: TimestampSigner): Promise<Buffer> {
  const query = await openssl({ data }, ..."ts -query -data {data} -sha256 -cert -out {out}".split(" "));
  const files = { key: await keyPem(signer), signer: chainPem(signer), chain: chainPem(root), serial: "01\n" };
  const args =
    "ts -reply -config {config} -section tsa -queryfile {query} -signer {signer} -inkey {key} -chain {chain} -token_out -out {out}";
  const { bytes, output } = await openssl({ ...files, query: query.bytes, config: CONFIGURATION }, ...args.split(" "));
  if (bytes.length === 0) throw new Error(output);
  return bytes;
}

/** `given`: the key and certificates that sign; by default, of a root of its own. */
export async function startTimestampAuthority(given?: TimestampSigner): Promise<TimestampAuthority> {
  const root = given?.root ?? (await issue({ subject: "Time Root", isAuthority: true }));
  const signer =
    given?.signer ??
    (await issue({ subject: "Time Stamps", kind: "RSA-2048", issuer: root, purposes: [TIME_STAMPING] }));
  const files = { key: await keyPem(signer), signer: chainPem(signer), chain: chainPem(root) };
  let change: Parameters<TimestampAuthority["respond"]>[0] = (body) => ({ body });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const query = Buffer.concat(chunks);
    const args =
      "ts -reply -config {config} -section tsa -queryfile {query} -signer {signer} -inkey {key} -chain {chain}";
    const { bytes, output } = await openssl(
      { ...files, query, config: CONFIGURATION, serial: "01\n" },
      ...args.split(" "),
    );
    if (bytes.length === 0) throw new Error(output);
    const { status = 200, body } = await change(bytes, query);
    response.writeHead(status, { "Content-Type": "application/timestamp-reply" }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    rootPem: chainPem(root),
    respond: (next) => {
      change = next;
    },
    close: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
