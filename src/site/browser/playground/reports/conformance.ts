/** The report of `validate` in words. */
import { number } from "../../parts/figures.ts";
import { type Block, counted, has, type Item, tableOf, type Verdict, verdict } from "./blocks.ts";

export interface ConformanceReport {
  readonly profile: string;
  readonly conforms: boolean | null;
  readonly claimed: string | null;
  readonly coverage: { readonly rules: number; readonly of: number };
  readonly failures: readonly Failure[];
}

interface Failure {
  readonly clause: string;
  readonly test: number;
  readonly message: string;
  readonly count: number;
  readonly first: { readonly object: number; readonly page: number | null; readonly context: string | null };
}

export const isConformanceReport = (json: unknown): json is ConformanceReport =>
  has(json, "profile", "conforms", "claimed", "failures");

export function conformanceBlocks(report: ConformanceReport): Block[] {
  const { profile, coverage, failures } = report;
  const judged = profile.endsWith("a") ? " Whether the tags fit the contents, only a person can judge." : "";
  return [
    conformanceVerdict(report),
    { kind: "note", text: `${coverage.rules} of ${coverage.of} rules were checked.${judged}` },
    ...tableOf("Broken rules", ["Clause", "Problem", "Times", "First at"], failures.map(row)),
    ...(failures.length > 0
      ? [{ kind: "note", text: "The operation `archive` converts a document to PDF/A." } as const]
      : []),
  ];
}

function conformanceVerdict({ profile, conforms, claimed, coverage, failures }: ConformanceReport): Verdict {
  const claim =
    claimed === null
      ? "It does not claim to be PDF/A."
      : claimed === profile
        ? "It claims this."
        : `It claims to be PDF/A-${claimed}.`;
  if (conforms === true) return verdict("good", `The document conforms to PDF/A-${profile}. ${claim}`);
  if (failures.length > 0)
    return verdict(
      "bad",
      `The document does not conform to PDF/A-${profile}: it breaks ${counted(failures.length, "rule")}. ${claim}`,
    );
  return verdict(
    "unsure",
    `No rule of PDF/A-${profile} is broken, but only ${coverage.rules} of ${coverage.of} could be checked. ${claim}`,
  );
}

function row({ clause, test, message, count, first }: Failure): (string | Item)[] {
  const place = [first.object === 0 ? "The file" : `Object ${first.object}`, ...(first.context ? [first.context] : [])];
  const at = { text: place.join(", "), ...(first.page === null ? {} : { page: first.page }) };
  return [`\`${clause}-${test}\``, message, number(count), at];
}
