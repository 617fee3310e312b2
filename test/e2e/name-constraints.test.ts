import { expect, test } from "vitest";
import { pdfPart, post } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openssl } from "../harness/signatures/signatures.ts";
import { stamp } from "../harness/requests/stamp-calls.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();
const letter = document({ name: "letter", pages: 1 });

const KEY = "-algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out {out}".split(" ");
const newKey = async (): Promise<string> => (await openssl({}, "genpkey", ...KEY)).bytes.toString();
const [rootKey, middleKey, leafKey] = await Promise.all([newKey(), newKey(), newKey()]);

/** A certificate of the key `key`, by the issuer or by itself. `section`: its extensions and what they refer to, as OpenSSL writes them. */
async function certificate(
  subject: string,
  key: string,
  section: string,
  issuer?: { readonly certificate: string; readonly key: string },
): Promise<string> {
  const config = `[req]\ndistinguished_name=none\nutf8=yes\n[none]\n[own]\n${section}`;
  const request = await openssl(
    { key, config },
    ..."req -new -utf8 -key {key} -config {config} -out {out} -subj".split(" "),
    subject,
  );
  const files = { request: request.bytes, config, ca: issuer?.certificate ?? "", key: issuer?.key ?? key };
  const by = issuer === undefined ? "-signkey {key}" : "-CA {ca} -CAkey {key} -set_serial 7";
  const args = `x509 -req -in {request} ${by} -days 9 -extfile {config} -extensions own -out {out}`;
  const { bytes, output } = await openssl(files, ...args.split(" "));
  if (bytes.length === 0) throw new Error(`${request.output}${output}`);
  return bytes.toString();
}

const AUTHORITY = "basicConstraints=critical,CA:true\n";
const ACME = "\n[dir]\nO=Acme Inc\n";

/** What a constraint makes of a signer with a subject and alternative names. */
test.each<[string, string, string, boolean]>([
  ["permitted;dirName:dir", "/O=Acme Inc/CN=Ada", "", true],
  ["permitted;dirName:dir", "/O=ACME  inc/CN=Ada", "", true],
  ["permitted;dirName:dir", "/O=Acme/CN=Ada", "", false],
  ["permitted;dirName:dir", "/CN=Ada/O=Acme Inc", "", false],
  ["excluded;dirName:dir", "/O=acme inc/CN=Ada", "", false],
  ["excluded;dirName:dir", "/O=Acme Incorporated/CN=Ada", "", true],
  ["permitted;email:example.com", "/CN=Ada", "", true],
  ["permitted;email:example.com", "/CN=Ada", "email:Ada@Example.com", true],
  ["permitted;email:example.com", "/CN=Ada", "email:ada@sub.example.com", false],
  ["permitted;email:example.com", "/CN=Ada/emailAddress=ada@example.org", "", false],
  ["permitted;email:.example.com", "/CN=Ada", "email:ada@sub.example.com", true],
  ["permitted;email:.example.com", "/CN=Ada", "email:ada@example.com", false],
  ["excluded;email:ada@example.com", "/CN=Ada", "email:ada@example.com", false],
  ["excluded;email:ada@example.com", "/CN=Ada", "email:bob@example.com", true],
  ["permitted;DNS:example.com", "/CN=Ada", "DNS:www.example.com", true],
  ["permitted;DNS:example.com", "/CN=Ada", "DNS:badexample.com", false],
  ["permitted;URI:.example.com", "/CN=Ada", "URI:https://ada@www.example.com:8443/x", true],
  ["permitted;URI:.example.com", "/CN=Ada", "URI:https://example.com/.example.com", false],
  ["permitted;IP:192.0.2.0/255.255.255.0", "/CN=Ada", "IP:192.0.2.9", true],
  ["permitted;IP:192.0.2.0/255.255.255.0", "/CN=Ada", "IP:198.51.100.9", false],
  ["permitted;IP:192.0.2.0/255.255.255.0", "/CN=Ada", "IP:2001:db8::1", false],
  ["excluded;DNS:example.com,permitted;DNS:example.com", "/CN=Ada", "DNS:www.example.com", false],
  ["permitted;RID:1.2.3.4", "/CN=Ada", "RID:1.2.3.4", false],
])("the service judges a certificate as OpenSSL does: %s: %s %s", async (constraint, subject, names, isAllowed) => {
  const root = await certificate("/CN=Root", rootKey, AUTHORITY);
  const limits = `${AUTHORITY}nameConstraints=critical,${constraint}${ACME}`;
  const middle = await certificate("/CN=Middle", middleKey, limits, { certificate: root, key: rootKey });
  const more = names === "" ? "" : `subjectAltName=${names}\n`;
  const leaf = await certificate(subject, leafKey, `basicConstraints=CA:false\n${more}`, {
    certificate: middle,
    key: middleKey,
  });
  expect(await judged(leaf, middle, root)).toEqual([isAllowed, isAllowed]);
});

test("constraints of the root apply to all certificates below it except those that it issued to itself", async () => {
  const root = await certificate("/CN=Root", rootKey, `${AUTHORITY}nameConstraints=permitted;dirName:dir${ACME}`);
  const byRoot = { certificate: root, key: rootKey };
  const leafOf = (issuer: string): Promise<string> =>
    certificate("/O=Acme Inc/CN=Ada", leafKey, "basicConstraints=CA:false\n", { certificate: issuer, key: middleKey });
  const other = await certificate("/CN=Middle", middleKey, AUTHORITY, byRoot);
  expect(await judged(await leafOf(other), other, root)).toEqual([false, false]);
  const renewed = await certificate("/CN=Root", middleKey, AUTHORITY, byRoot);
  expect(await judged(await leafOf(renewed), renewed, root)).toEqual([true, true]);
});

/** Whether a signer is trusted by OpenSSL, and by the service. */
async function judged(leaf: string, middle: string, root: string): Promise<[boolean, boolean]> {
  const { code } = await openssl(
    { leaf, middle, root },
    ..."verify -CAfile {root} -untrusted {middle} {leaf}".split(" "),
  );
  const { body } = await stamp("seal", letter, { privateKey: leafKey, chain: `${leaf}${middle}` });
  const response = await post({ baseUrl, key: liveKey }, "verify-signatures", { file: pdfPart(body), trust: root });
  const report = JSON.parse(new TextDecoder().decode(response.body)) as {
    readonly signatures: readonly { readonly chain: string; readonly integrity: string }[];
  };
  expect(report.signatures.map(({ integrity }) => integrity)).toEqual(["intact"]);
  return [code === 0, report.signatures[0]?.chain === "trusted"];
}
