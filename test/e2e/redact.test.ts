import { beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Part, type Service } from "../harness/client.ts";
import { type HidingPlace, hidingDocument, SECRET } from "../harness/hiding-places.ts";
import { openPdf } from "../harness/pdfjs.ts";
import { check, runQpdf } from "../harness/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

const redact = (bytes: Uint8Array, fields: Record<string, Part>) =>
  post(service, "redact", { file: pdfPart(bytes), ...fields });

/** What pdf.js reads on all pages. */
const textOfPages = async (bytes: Uint8Array): Promise<string> =>
  (await openPdf(bytes)).pages.map(({ text }) => text).join("\n");

/** The file as it is, and as qpdf writes it with all of its streams decoded. */
async function decoded(bytes: Uint8Array): Promise<string> {
  const args = [
    "--qdf",
    "--object-streams=disable",
    "--decode-level=all",
    "--preserve-unreferenced",
    "/in.pdf",
    "/out.pdf",
  ];
  const { output } = await runQpdf(args, { "/in.pdf": bytes });
  return Buffer.concat([Buffer.from(bytes), Buffer.from(output ?? [])]).toString("latin1");
}

/** In each encoding that a file may have it in. */
function forms(secret: string): string[] {
  const utf16 = Buffer.from(secret, "utf16le");
  const plain = [secret, utf16.toString("latin1"), Buffer.from(utf16).swap16().toString("latin1")];
  return [...plain, ...plain.map((form) => Buffer.from(form, "latin1").toString("hex"))].map((form) =>
    form.toLowerCase(),
  );
}

/** The places where another tool finds the secret. */
async function findSecrets(bytes: Uint8Array, places: readonly HidingPlace[]): Promise<string[]> {
  // A reference to a character stands for it.
  const raw = (await decoded(bytes)).replaceAll("&#90;", "Z").toLowerCase();
  const text = (await textOfPages(bytes)).replaceAll(/[\s-]/g, "");
  return places
    .filter(({ secret }) => forms(secret).some((form) => raw.includes(form)) || text.includes(secret))
    .map(({ name }) => name);
}

describe("a secret in every place that a document has for text", () => {
  const { bytes, places } = hidingDocument();
  let redacted: Uint8Array;
  let headers: Headers;
  beforeAll(async () => {
    ({ body: redacted, headers } = await redact(bytes, { terms: JSON.stringify([SECRET]) }));
  });

  test("is found before by qpdf or pdf.js, in more than 40 places", async () => {
    expect(await findSecrets(bytes, places)).toEqual(places.map(({ name }) => name));
    expect(places.length).toBeGreaterThan(40);
  });

  test("is found in none of them after", async () => {
    expect(await findSecrets(redacted, [{ name: "any", by: "raw", secret: SECRET }])).toEqual([]);
    expect(Number(headers.get("X-Redactions"))).toBeGreaterThanOrEqual(places.length - 10);
    expect(headers.get("X-Attachments-Removed")).toBe("3");
  });

  test("leaves everything else", async () => {
    expect((await check(redacted)).errors).toEqual([]);
    const text = await textOfPages(redacted);
    for (const kept of [
      "before",
      "after",
      "a line ends in",
      "and goes on",
      "at an angle",
      "what stays",
      "a page that stays",
    ])
      expect(text).toContain(kept);
    expect(await decoded(redacted)).toContain("nothing to see");
  });
});
