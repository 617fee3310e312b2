import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { faultsOf } from "../harness/fuzz/fuzz-checks.ts";
import { fuzz, type FuzzOptions, type Source } from "../harness/fuzz/fuzz.ts";
import { ownSources } from "../harness/fuzz/fuzz-sources.ts";
import { markedDocument, Markers } from "../harness/fuzz/markers.ts";
import { mutate } from "../harness/fuzz/mutations.ts";
import { Random } from "../harness/fuzz/random.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

let folder = "";
let sources: Source[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pdf-service-fuzz-"));
  sources = await ownSources();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const options = (changes: Partial<FuzzOptions>): FuzzOptions => ({
  seed: 1,
  first: 0,
  count: 80,
  milliseconds: Infinity,
  only: "",
  folder,
  ...changes,
});

test("80 damaged documents are processed or refused, and no response contains data of another", async () => {
  const { calls, responses, failures } = await fuzz(service, sources, options({}), () => undefined);
  expect(failures).toEqual([]);
  expect(calls).toBe(80);
  // Neither all refused nor all untouched.
  expect(responses["200"]).toBeGreaterThan(10);
  expect(responses["400 invalid_file"]).toBeGreaterThan(10);
}, 600_000);

test("an unknown operation and a rejected key are errors", async () => {
  await expect(fuzz(service, sources, options({ only: "unheard-of" }), () => undefined)).rejects.toThrow("unheard-of");
  const nobody = { baseUrl, key: "sk_live_nobody" };
  await expect(fuzz(nobody, sources, options({}), () => undefined)).rejects.toThrow("unauthenticated");
});

test("the same seed and number make the same damage", () => {
  const [source, other] = [markedDocument("mark"), markedDocument("other")];
  for (let call = 0; call < 300; call++) {
    const once = mutate(source, new Random(7, call), other);
    expect(mutate(source, new Random(7, call), other)).toEqual(once);
    expect(mutate(source, new Random(8, call), other)).not.toEqual(once);
  }
});

describe("marks of other requests", () => {
  const markers = new Markers(new Random(3));
  const file = pdfPart(markedDocument(markers.of(41)), "document.pdf");
  const found = "the body shows bytes of call 41";

  test.each([
    ["rotate", { angle: "90" }],
    ["extract-text", {}],
    ["metadata", { action: "get" }],
  ])("a mark of another request is found in the response of %s", async (operation, fields: Record<string, string>) => {
    const form = { file, ...fields };
    const response = await post(service, operation, form);
    expect(await faultsOf(response, form, 41, markers)).toEqual([]);
    expect(await faultsOf(response, form, 42, markers)).toContain(found);
  });

  test.each([
    ["protect", { userPassword: "user" }, "the body, decrypted, shows bytes of call 41"],
    ["split", { mode: "pages" }, "document-001.pdf shows bytes of call 41"],
  ])(
    "a mark in an encrypted or archived response of %s is found",
    async (operation, fields: Record<string, string>, fault) => {
      const form = { file, ...fields };
      expect(await faultsOf(await post(service, operation, form), form, 42, markers)).toContain(fault);
    },
  );

  test("a mark of another request is found in a file name", async () => {
    const form = { file: pdfPart(markedDocument("none"), `${markers.of(41)}.pdf`), angle: "90" };
    const response = await post(service, "rotate", form);
    expect(await faultsOf(response, form, 42, markers)).toEqual(["a header shows bytes of call 41"]);
  });

  test("a mark of another request is found in hexadecimal digits and in UTF-16", () => {
    const mark = markers.of(41);
    const hex = Buffer.from(mark, "latin1").toString("hex");
    for (const bytes of [Buffer.from(mark, "utf16le"), Buffer.from(hex), Buffer.from(hex.replaceAll(/../g, "00$&"))]) {
      expect([...markers.callsIn(bytes)]).toEqual([41]);
    }
  });
});
