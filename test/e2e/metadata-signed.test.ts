import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { withoutXref } from "../harness/fixtures/broken-fixtures.ts";
import { type Service } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { MetadataCalls } from "../harness/requests/metadata-calls.ts";
import { signedDocument } from "../harness/fixtures/metadata-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check } from "../harness/engines/qpdf.ts";
import { withSignature } from "../harness/signatures/updates.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const calls = new MetadataCalls(service);

describe("signed documents", () => {
  test("a signed document is appended to, so that its signature can still be verified", async () => {
    const bytes = await withSignature(signedDocument());
    const response = await calls.set(bytes, { title: "Nach der Unterschrift", custom: { Own: "x" } });
    expect(response.headers.get("X-Signature-Invalidated")).toBeNull();
    expect(response.headers.get("X-Page-Count")).toBe("1");
    expect(Buffer.compare(response.body.subarray(0, bytes.length), bytes)).toBe(0);
    expect((await check(response.body)).ok).toBe(true);
    const { info, xmp } = await openPdf(response.body);
    expect(info).toMatchObject({ Title: "Nach der Unterschrift", Author: "Signer" });
    expect(xmp).toContain("Nach der Unterschrift");
    expect(await calls.get(response.body)).toMatchObject({ title: "Nach der Unterschrift", custom: { Own: "x" } });
  });

  test("a signed document keeps its encryption when it is appended to", async () => {
    const bytes = await encrypt(signedDocument(), { cipher: "aes-256", userPassword: "user", ownerPassword: "owner" });
    const response = await calls.set(bytes, { title: "Neu" }, { password: "user" });
    expect(Buffer.compare(response.body.subarray(0, bytes.length), bytes)).toBe(0);
    expect((await check(response.body, "user")).ok).toBe(true);
    expect((await openPdf(response.body, { password: "user" })).info["Title"]).toBe("Neu");
  });

  test("an invalidated signature is reported, but not one that was broken before", async () => {
    for (const [permission, invalidated] of [
      [1, "true"],
      [2, null],
    ]) {
      const reference = `/Reference [<< /TransformMethod /DocMDP /TransformParams << /P ${permission} >> >>]`;
      const certified = await withSignature(signedDocument({ certified: true, reference }));
      const response = await calls.set(certified, { title: "Neu" });
      expect(response.headers.get("X-Signature-Invalidated")).toBe(invalidated);
      expect(Buffer.compare(response.body.subarray(0, certified.length), certified)).toBe(0);
    }
    const damaged = await calls.set(withoutXref(await withSignature(signedDocument())), { title: "Neu" });
    // The bytes that were signed are not there any more, so the signature was broken before.
    expect(damaged.headers.get("X-Signature-Invalidated")).toBeNull();
    expect((await openPdf(damaged.body)).info["Title"]).toBe("Neu");
  });
});
