import { beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Part, type Service } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { MetadataCalls } from "../harness/requests/metadata-calls.ts";
import { signedDocument } from "../harness/fixtures/metadata-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const password = "user";
const locked = (bytes: Uint8Array, cipher: "aes-128" | "aes-256"): Promise<Uint8Array> =>
  encrypt(bytes, { cipher, userPassword: password, ownerPassword: "owner", restrictions: ["--cleartext-metadata"] });

describe.each(["aes-128", "aes-256"] as const)("unencrypted XMP after %s", (cipher) => {
  let bytes: Uint8Array;
  let xmp: string | null;
  beforeAll(async () => {
    bytes = await locked(document({ name: "clear", pages: 2 }), cipher);
    ({ xmp } = await openPdf(bytes, { password }));
  });

  test.each<[string, Record<string, Part>]>([
    ["rotate", { angle: "90" }],
    ["extract-pages", { range: "2" }],
    ["split", { mode: "ranges", ranges: "1" }],
  ])("unencrypted XMP stays readable through %s", async (operation, fields) => {
    const { body } = await post(service, operation, { file: pdfPart(bytes), password, ...fields });
    expect((await check(body, password)).ok).toBe(true);
    expect(Buffer.from(body).includes("Title of clear")).toBe(true);
    expect((await openPdf(body, { password })).xmp?.trim()).toBe(xmp?.trim());
  });

  test("unencrypted XMP is kept by a merge, whose output is not encrypted", async () => {
    const { body } = await post(service, "merge", { file0: pdfPart(bytes), file1: pdfPart(bytes), password });
    expect((await check(body)).ok).toBe(true);
    expect(xmp).toContain("Title of clear");
    expect((await openPdf(body)).xmp).toBe(xmp);
    expect(Buffer.from(body).includes("/Crypt")).toBe(false);
  });

  test("unencrypted XMP stays readable in a signed document that is appended to", async () => {
    const signed = await locked(signedDocument(), cipher);
    const { body } = await new MetadataCalls(service).set(signed, { title: "Neuer Titel" }, { password });
    expect(Buffer.compare(body.subarray(0, signed.length), signed)).toBe(0);
    expect((await check(body, password)).ok).toBe(true);
    expect(Buffer.from(body).includes("Neuer Titel")).toBe(true);
    expect((await openPdf(body, { password })).xmp).toContain("Neuer Titel");
  });
});
