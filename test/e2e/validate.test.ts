import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { archivalDocument } from "../harness/fixtures/archival-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

interface Report {
  readonly profile: string;
  readonly conforms: boolean | null;
  readonly claimed: string | null;
  readonly coverage: { readonly rules: number; readonly of: number };
  readonly failures: readonly {
    readonly clause: string;
    readonly test: number;
    readonly first: { page: number | null };
  }[];
}

async function validate(bytes: Uint8Array, fields: Record<string, string> = {}): Promise<Report> {
  const { body } = await post(service, "validate", { file: pdfPart(bytes), ...fields });
  return JSON.parse(new TextDecoder().decode(body)) as Report;
}

const broken = ({ failures }: Report): string[] => failures.map(({ clause, test: rule }) => `${clause}-${rule}`);

test("a document that claims a profile is validated against it", async () => {
  const report = await validate(archivalDocument({ claim: [2, "B"] }));
  expect(report).toMatchObject({ profile: "2b", conforms: true, claimed: "2b", failures: [] });
  expect(report.coverage.rules).toBe(report.coverage.of);
  expect(await validate(archivalDocument({ claim: [3, "U"] }))).toMatchObject({ profile: "3u", conforms: true });
});

test("a document that claims nothing is validated against 2b, or the profile of the request", async () => {
  const bytes = archivalDocument();
  const report = await validate(bytes);
  expect(report).toMatchObject({ profile: "2b", conforms: false, claimed: null });
  expect(broken(report)).toEqual(["6.6.4-1"]);
  expect(broken(await validate(bytes, { profile: "1b" }))).toEqual(["6.7.11-1"]);
  const other = await validate(archivalDocument({ claim: [2, "B"] }), { profile: "3b" });
  expect([other.claimed, broken(other)]).toEqual(["2b", ["6.6.4-2"]]);
});

test("a broken rule has its clause, and the page where it is broken first", async () => {
  const painted = await validate(archivalDocument({ claim: [2, "B"], content: "1 0 0 rg 0 0 10 10 re f" }));
  expect(broken(painted)).toEqual(["6.2.4.3-2"]);
  expect(painted.failures[0]?.first.page).toBe(1);
  const scripted = archivalDocument({ claim: [2, "B"], catalog: "/OpenAction << /S /JavaScript /JS (x) >>" });
  expect(broken(await validate(scripted))).toEqual(["6.5.1-1"]);
});

test("a document that does not conform is refused if conformance is required", async () => {
  const { status, body } = await post(service, "validate", {
    file: pdfPart(archivalDocument()),
    require: "true",
  });
  const { error } = JSON.parse(new TextDecoder().decode(body)) as {
    readonly error: { readonly code: string; readonly message: string; readonly details: Report };
  };
  expect([status, error.code]).toEqual([422, "not_conforming"]);
  expect(error.message).toBe("The document does not conform to PDF/A-2b: it breaks 6.6.4-1.");
  expect(broken(error.details)).toEqual(["6.6.4-1"]);
  expect(await validate(archivalDocument({ claim: [2, "B"] }), { require: "true" })).toMatchObject({ conforms: true });
});

test("a pipeline goes on with a document that conforms, and stops at one that does not", async () => {
  const steps = JSON.stringify([
    { operation: "validate", require: true },
    { operation: "rotate", angle: 90 },
  ]);
  const good = await post(service, "pipeline", { file: pdfPart(archivalDocument({ claim: [2, "B"] })), steps });
  expect(good.status).toBe(200);
  const page = (await openPdf(good.body)).pages[0];
  expect(page?.rotate).toBe(90);

  const later = JSON.stringify([
    { operation: "rotate", angle: 90 },
    { operation: "validate", profile: "2b", require: true },
    { operation: "rotate", angle: 90 },
  ]);
  const bad = await post(service, "pipeline", { file: pdfPart(document({ name: "alpha", pages: 2 })), steps: later });
  const { error } = JSON.parse(new TextDecoder().decode(bad.body)) as {
    readonly error: { readonly code: string; readonly details: { readonly step: number } };
  };
  expect([bad.status, error.code, error.details.step]).toEqual([422, "not_conforming", 2]);
});
