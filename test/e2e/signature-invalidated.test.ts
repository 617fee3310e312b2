import { expect, test } from "vitest";
import {
  credentials,
  documents,
  FILLING,
  form,
  LOCKED,
  NO_CHANGES,
  sealed,
  UNLOCKED,
} from "../harness/signatures/signed-documents.ts";
import { headersAndReports, operationsOnSigned, verify } from "../harness/signatures/signed-operations.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();
const service = { baseUrl, key: liveKey };
const operations = operationsOnSigned({ values: '{"line":"Ada"}', seal: credentials });

const broken = (file: Uint8Array): Uint8Array => {
  const at = Buffer.from(file).indexOf("/MediaBox [0 0 600 800]");
  return at < 0 ? file : file.with(at + "/MediaBox [0 0 60".length, "1".charCodeAt(0));
};

// The others are in the slow tests.
test.each(["certified, then signed", "encrypted"])(
  "X-Signature-Invalidated agrees with verify-signatures on the output of a document %s",
  async (name) => {
    const password = name === "encrypted" ? "open" : undefined;
    const file = (await documents[name]?.(service)) ?? new Uint8Array();
    expect(await verify(service, file, password)).toMatchObject({ documentIntact: true });
    const { found, expected } = await headersAndReports(service, file, operations, password);
    expect(found).toEqual(expected);
    expect(found).toMatchObject({ rotate: "true", "crop, and remove": "true", "fill-form, with nothing": "valid" });
  },
);

test("a document whose signature is already broken has no X-Signature-Invalidated", async () => {
  const file = broken(await sealed(service, form()));
  expect(await verify(service, file)).toMatchObject({ signatures: [{ integrity: "broken" }] });
  const { found, expected } = await headersAndReports(service, file, operations);
  expect(found).toEqual(expected);
  expect(Object.values(found)).not.toContain("true");
});

test("metadata may change if the certification allows it, and so may unlocked fields", async () => {
  const few = { metadata: operations["metadata, set"], fill: operations["fill-form"] };
  const headersOf = async (make: (typeof documents)[string] | undefined): Promise<unknown> =>
    make && (await headersAndReports(service, await make(service), few as typeof operations)).found;
  const { [NO_CHANGES]: none, [FILLING]: filling, [LOCKED]: locked, [UNLOCKED]: unlocked } = documents;
  expect(await headersOf(none)).toEqual({ metadata: "true", fill: "true" });
  expect(await headersOf(filling)).toEqual({ metadata: "valid", fill: "valid" });
  expect(await headersOf(locked)).toEqual({ metadata: "valid", fill: "true" });
  expect(await headersOf(unlocked)).toEqual({ metadata: "valid", fill: "valid" });
});
