import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { chainPem, issue, keyDer, keyPem, pkcs12 } from "../harness/signatures/certificates.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { createApp } from "../../src/app.ts";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { resetIsolate } from "../../src/isolate.ts";
import { operations } from "../../src/operations/index.ts";
import { newKey } from "../http/echo-service.ts";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";

const PASSWORD = "the password zq7marked";
const methods = ["log", "info", "warn", "error", "debug", "trace"] as const;
const spies = methods.map((method) => vi.spyOn(console, method).mockImplementation(() => {}));
const app = createApp(operations);

const latin1 = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

/** Every row of every table, as text. */
async function database(): Promise<string> {
  const { results } = await env.DB.prepare("select name from sqlite_master where type = 'table'").all<{
    name: string;
  }>();
  const names = results.map(({ name }) => name).filter((name) => !/^(?:sqlite|_cf)_/.test(name));
  const rows = await Promise.all(names.map((name) => env.DB.prepare(`select * from "${name}"`).all()));
  return JSON.stringify(rows.map(({ results: found }) => found));
}

test("keys and passwords are in no log, database, bucket, or error, and not in the heap of the next request", async () => {
  resetIsolate();
  const signer = await issue({ subject: "Ada", kind: "RSA-2048" });
  const der = await keyDer(signer);
  const [key, chain] = [await keyPem(signer), chainPem(signer)];
  const p12 = await pkcs12(signer, PASSWORD);
  const file = new Blob([document({ name: "letter", pages: 1 }).slice()]);
  const token = await newKey("business");
  const requests: readonly Readonly<Record<string, string | Blob>>[] = [
    { privateKey: key, chain },
    { certificate: new Blob([p12]), certificatePassword: PASSWORD },
    { certificate: new Blob([p12]), certificatePassword: `${PASSWORD}, but another` },
    { privateKey: key, chain: chainPem(await issue({ subject: "Eve" })) },
    { privateKey: key, chain: "none" },
    { privateKey: key, chain, certificatePassword: PASSWORD, fieldName: "a.b" },
  ];
  /** Parts of a key that are nowhere else: in DER, in PEM, and as text; and the encrypted key of the file. */
  const middle = der.length >> 1;
  const secrets = [
    latin1(der.subarray(middle, middle + 24)),
    key.slice(key.length >> 1, (key.length >> 1) + 40),
    latin1(p12.subarray(p12.length >> 1, (p12.length >> 1) + 24)),
    PASSWORD,
  ];
  const responses: string[] = [];
  const statuses: number[] = [];
  for (const fields of requests) {
    const form = new FormData();
    form.append("file", file, "letter.pdf");
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const encoded = new Response(form);
    const headers = new Headers({ Authorization: `Bearer ${token}` });
    headers.set("Content-Type", encoded.headers.get("Content-Type") ?? "");
    const body = await encoded.bytes();
    headers.set("Content-Length", String(body.length));
    const context = createExecutionContext();
    const request = new Request("http://localhost/api/v1/seal", { method: "POST", headers, body });
    const response = await app.fetch(request, env, context);
    statuses.push(response.status);
    responses.push(JSON.stringify([...response.headers]), latin1(await response.bytes()));
    await waitOnExecutionContext(context);
  }
  expect(statuses).toEqual([200, 200, 400, 400, 400, 400]);

  const lease = await leaseEngines(() => true);
  const places = {
    logs: spies.flatMap(({ mock }) => mock.calls.flat().map(String)).join("\n"),
    database: await database(),
    bucket: JSON.stringify((await env.FILES.list()).objects),
    responses: responses.join("\n"),
    heap: latin1(lease.engines.pdf.lib.HEAPU8),
  };
  lease.release(true);
  expect(places.logs).toContain('"operation":"seal"');
  expect(places.database).toContain("seal");
  const found = Object.entries(places).flatMap(([place, text]) =>
    secrets.flatMap((secret, index) => (text.includes(secret) ? [`${place}: ${index}`] : [])),
  );
  expect(found).toEqual([]);
});
