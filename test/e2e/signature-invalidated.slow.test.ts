import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOrNote, outsideFolder } from "../../scripts/outside-folders.ts";
import { credentials, documents } from "../harness/signatures/signed-documents.ts";
import { headersAndReports, operationsOnSigned, verify } from "../harness/signatures/signed-operations.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();
const service = { baseUrl, key: liveKey };
const operations = operationsOnSigned({ values: "{}", seal: credentials });
const names = await Promise.all(
  (["signed", "found-4"] as const).map(async (name) => {
    const path = folderOrNote(
      outsideFolder(name),
      `signed documents of others (${name})`,
      "documents that are not a part of the repository",
    );
    return path === undefined
      ? []
      : (await readdir(path)).filter((one) => one.endsWith(".pdf")).map((one) => join(path, one));
  }),
);
test.skipIf(names.flat().length === 0).each(names.flat())(
  "X-Signature-Invalidated agrees with verify-signatures on the output: %s",
  async (path) => {
    const file = new Uint8Array(await readFile(path));
    const report = await verify(service, file).catch(() => undefined);
    // What earlier updates have changed does not count.
    if (!report?.signatures.some(({ changesAfter }) => changesAfter !== "forbidden")) return;
    const { found, expected } = await headersAndReports(service, file, operations);
    expect(found).toEqual(expected);
  },
);

test.each(Object.entries(documents))(
  "X-Signature-Invalidated agrees with verify-signatures on the output: a document %s",
  async (name, make) => {
    const file = await make(service);
    const filling = operationsOnSigned({ values: '{"line":"Ada"}', seal: credentials });
    const password = name === "encrypted" ? "open" : undefined;
    const { found, expected } = await headersAndReports(service, file, filling, password);
    expect(found).toEqual(expected);
    expect(found).toMatchObject({ rotate: "true", "crop, and remove": "true", "fill-form, with nothing": "valid" });
  },
);
