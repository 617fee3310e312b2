import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { folderOrNote, outsideFolder } from "../../scripts/outside-folders.ts";
import { type Part, patiently, pdfPart, post } from "../harness/requests/client.ts";
import { operationsOnClaims, type Parts } from "../harness/requests/operations-on-claims.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();
const service = { baseUrl, key: liveKey };

/** Files of each profile. */
const MOST = 5;
/** Invoices, which claim part 3. */
const MOST_INVOICES = 8;

const shared = join(outsideFolder("corpus"), "..");
const folders = ["pdfa", "invoices"].map((name) =>
  folderOrNote(
    join(shared, name),
    `documents of others that claim PDF/A (${name})`,
    "documents that are not a part of the repository",
  ),
);

/** Files that the reference finds to conform, from all over the list. */
function conforming(folder: string): string[] {
  const rows = readFileSync(join(folder, "verdicts.tsv"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("\t"));
  const passed = Map.groupBy(
    rows.filter(([, , verdict]) => verdict === "PASS"),
    ([, profile]) => profile,
  );
  return [...passed.values()].flatMap((all) => spread(all, MOST).map(([name = ""]) => join(shared, name)));
}

const spread = <T>(all: readonly T[], most: number): T[] =>
  all.filter((_, at) => at % Math.ceil(all.length / most) === 0);

const invoicesIn = async (folder: string): Promise<string[]> =>
  spread(
    (await readdir(folder, { recursive: true })).filter((name) => /correct.*\.pdf$/.test(name)).toSorted(),
    MOST_INVOICES,
  ).map((name) => join(folder, name));

const [pdfa, invoices] = folders;
const files = [
  ...(pdfa === undefined ? [] : conforming(pdfa)),
  ...(invoices === undefined ? [] : await invoicesIn(invoices)),
];

interface Report {
  readonly profile: string;
  readonly claimed: string | null;
  readonly failures: readonly { readonly clause: string; readonly test: number }[];
}

async function validate(bytes: Uint8Array): Promise<Report> {
  const { body } = await patiently(() => post(service, "validate", { file: pdfPart(bytes) }));
  return JSON.parse(new TextDecoder().decode(body)) as Report;
}

const asParts = (parts: Parts): Readonly<Record<string, Part>> =>
  Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      typeof part === "string" ? part : { bytes: part, fileName: name },
    ]),
  );

const ZIP = 0x50;
const rules = /^[\d.]+-\d+(,[\d.]+-\d+)*$/;

test.skipIf(files.length === 0)("there are twenty files of all parts", () => {
  expect(files.length).toBeGreaterThanOrEqual(20);
});

let checked = 0;

test.skipIf(files.length === 0).each(files)(
  "every operation keeps the claim of a file that conforms, or removes it and names the rules: %s",
  async (path) => {
    const file = new Uint8Array(await readFile(path));
    const before = await validate(file);
    // Files on which this validator is stricter than the reference prove nothing.
    if (before.claimed === null || before.failures.length > 0) return;
    checked += 1;
    const given = { file: pdfPart(file) };
    const merging = ["merge", { file0: file, file1: file }, {}] as const;
    for (const [name, [operation, parts]] of Object.entries({ ...operationsOnClaims, merge: merging })) {
      const send = { ...(operation === "merge" ? {} : given), ...asParts(parts) };
      const response = await patiently(() => post(service, operation, send));
      // A certified document takes no new visible signature.
      if (name === "seal, visibly" && response.status === 403) continue;
      expect(response.status, `${name}: ${response.message}`).toBe(200);
      const lost = response.headers.get("X-Conformance-Lost");
      const isKept = lost === null;
      expect(lost ?? "0-0").toMatch(rules);
      const made = response.body[0] === ZIP ? Object.values(unzipSync(response.body)) : [response.body];
      for (const one of made) {
        const { claimed, failures } = await validate(one);
        // The headers of an archive are sent before its files are made. Pages without tags lose a claim of level a.
        const endsLevel = name === "split" && before.claimed.endsWith("a") && claimed === null;
        const kept = isKept && !endsLevel;
        expect([name, claimed, kept ? failures : []]).toEqual([name, kept ? before.claimed : null, []]);
      }
    }
  },
);

test.skipIf(files.length === 0)("twenty files or more were checked", () => {
  expect(checked).toBeGreaterThanOrEqual(20);
});
