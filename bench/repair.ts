/** The damaged files that qpdf can open, before and after repair. */
import { pdfPart, patiently, post, type Service } from "../test/harness/requests/client.ts";
import { ownSources } from "../test/harness/fuzz/fuzz-sources.ts";
import { isImage } from "../test/harness/compare/cases.ts";
import { mutate } from "../test/harness/fuzz/mutations.ts";
import { check } from "../test/harness/engines/qpdf.ts";
import { Random } from "../test/harness/fuzz/random.ts";

const FILES = 200;

type Verdict = "clean" | "with warnings" | "not at all";
const verdicts: readonly Verdict[] = ["clean", "with warnings", "not at all"];

interface RepairRow {
  readonly before: Verdict;
  readonly files: number;
  /** Of those, how many qpdf opens after repair, and what the service rejected, by the error's code. */
  readonly after: Readonly<Record<string, number>>;
}

async function verdictOf(bytes: Uint8Array, password: string | undefined): Promise<Verdict> {
  const { ok, errors } = await check(bytes, password);
  return ok ? "clean" : errors.length === 0 ? "with warnings" : "not at all";
}

export async function benchRepair(service: Service): Promise<RepairRow[]> {
  const sources = (await ownSources()).filter(({ bytes }) => !isImage(bytes));
  const found = new Map<Verdict, Map<string, number>>(verdicts.map((verdict) => [verdict, new Map()]));
  for (let index = 0; index < FILES; index++) {
    const random = new Random(1, index);
    const { bytes: intact, password } = random.pick(sources);
    const { bytes } = mutate(intact, random, random.pick(sources).bytes);
    const before = await verdictOf(bytes, password);
    const parts = { file: pdfPart(bytes), ...(password !== undefined && { password }) };
    const response = await patiently(() => post(service, "repair", parts));
    const after = response.status === 200 ? await verdictOf(response.body, password) : (response.code ?? "error");
    const counts = found.get(before);
    counts?.set(after, (counts.get(after) ?? 0) + 1);
  }
  return [...found].map(([before, counts]) => {
    const files = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return { before, files, after: Object.fromEntries(counts) };
  });
}

export function printRepair(rows: readonly RepairRow[]): void {
  const columns = [...new Set([...verdicts, ...rows.flatMap(({ after }) => Object.keys(after))])];
  console.log(
    `\n${FILES} damaged files: what qpdf opens before and after repair, and the errors of those that are rejected\n`,
  );
  console.log(`| Before | Files | ${columns.join(" | ")} |\n|---|--:|${columns.map(() => "--:").join("|")}|`);
  for (const { before, files, after } of rows) {
    console.log(`| ${before} | ${files} | ${columns.map((column) => after[column] ?? 0).join(" | ")} |`);
  }
}
