import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { Random } from "../harness/fuzz/random.ts";
import { operationService } from "./operation-service.ts";

const seal = await operationService("seal");
// A fast machine sends more in a minute than other plans allow.
const verify = await operationService("verify-signatures", env, "unlimited");
let signed: Uint8Array = new Uint8Array();

/** The report of a document that is as it was signed; undefined for any other. */
async function intact(file: Uint8Array): Promise<object | undefined> {
  const response = await verify(file);
  expect([200, 400, 413, 415, 422]).toContain(response.status);
  const report = (await response.json()) as { documentIntact?: boolean };
  return report.documentIntact === true ? report : undefined;
}

beforeAll(async () => {
  const issued = await issue({ subject: "Ada" });
  const response = await seal(document({ name: "letter", pages: 2 }), {
    privateKey: await keyPem(issued),
    chain: chainPem(issued),
    certify: "form-filling",
  });
  signed = await response.bytes();
});

/** Where the value of the signature is, with its brackets. */
function gapOf(file: Uint8Array): [number, number] {
  const [, from, to] = /\/ByteRange\s*\[\s*0 +(\d+) +(\d+) /.exec(new TextDecoder("latin1").decode(file)) ?? [];
  return [Number(from), Number(to)];
}

test("each of 1,000 changed bytes is found anywhere in the signed ranges", async () => {
  expect(await intact(signed)).toBeDefined();
  const random = new Random(47);
  const [from, to] = gapOf(signed);
  const unnoticed: number[] = [];
  for (let count = 0; count < 1_000; count++) {
    const place = random.below(signed.length - (to - from));
    const at = place < from ? place : place + to - from;
    const changed = signed.slice();
    changed[at] = (changed[at] ?? 0) ^ (1 + random.below(255));
    if ((await intact(changed)) !== undefined) unnoticed.push(at);
  }
  expect(unnoticed).toEqual([]);
});

// Lengths and versions around the signed attributes are not signed themselves (RFC 5652, 5.4).
test("a changed byte of the signature breaks it, or changes nothing else", async () => {
  const report = await intact(signed);
  const random = new Random(48);
  const [from, to] = gapOf(signed);
  const text = new TextDecoder("latin1").decode(signed.subarray(from + 1, to - 1));
  const used = text.replace(/0+$/, "").length;
  let broken = 0;
  for (let count = 0; count < 500; count++) {
    const changed = signed.slice();
    const at = from + 1 + random.below(used);
    changed[at] = changed[at] === 0x31 ? 0x32 : 0x31;
    const found = await intact(changed);
    expect([undefined, report]).toContainEqual(found);
    if (found === undefined) broken += 1;
  }
  expect(broken).toBeGreaterThan(450);
});

test("each of 300 prefixes is not intact, or has no signature", async () => {
  const random = new Random(49);
  for (let count = 0; count < 300; count++)
    expect(await intact(signed.subarray(0, random.below(signed.length)))).toBeUndefined();
});
