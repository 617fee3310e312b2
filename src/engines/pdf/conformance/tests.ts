/** All tests that a profile has, checked or not: the measure of coverage. */
import { type PdfaPart, type Profile, profileFacts } from "./model/profiles.ts";
import { xmpTestsOf } from "./xmp/rules.ts";
import { RULES } from "./rules/rules.ts";
import { testOf } from "./rules/rule.ts";

/** Tests that nothing here checks, by their subject. */
const UNCHECKED = {
  /** The bytes and certificates of signatures, except in part 1. */
  signatures: { 1: "", 2: "6.4.3:3", 3: "6.4.3:3", 4: "6.4.3:3" },
  /** Whether embedded files conform, in part 2. */
  embeddedFiles: { 1: "", 2: "6.8:5-5", 3: "", 4: "" },
} as const satisfies Readonly<Record<string, Readonly<Record<PdfaPart, string>>>>;
/** Tests without a rule here, whatever the document has. */
const OPEN: Readonly<Record<PdfaPart, string>> = { 1: "", 2: "", 3: "", 4: "6.2.4.2:3-3 6.2.10.8:1-1" };
/** Of level a. */
const STRUCTURE = "6.7.2.2:1 6.7.3.3:1 6.7.3.4:1 6.7.4:1 6.2.11.7.3:1";

/** Tests of clauses, each with the number of them or the range: `6.4.3:3`, `6.8:5-5`. */
const listed = (clauses: string): string[] =>
  clauses.split(" ").flatMap((entry) => {
    const [clause = "", range = "0"] = entry.split(":");
    const [first = "0", last] = range.split("-");
    const from = last === undefined ? 1 : Number(first);
    return Array.from({ length: Number(last ?? first) - from + 1 }, (_, at) => `${clause}-${from + at}`);
  });

/** What a document has that some tests are about. */
export type Subjects = Readonly<Record<keyof typeof UNCHECKED, boolean>>;

/** The tests of a profile, and those of them that were checked. One about what the document does not have cannot fail. */
export function ruleCoverage(profile: Profile, has: Subjects): { readonly checked: number; readonly all: number } {
  const { part, level } = profileFacts(profile);
  const checked = new Set([...RULES.flatMap((rule) => testOf(rule, profile) ?? []), ...xmpTestsOf(part)]);
  const unchecked = new Set([...listed(OPEN[part]), ...(level === "a" ? listed(STRUCTURE) : [])]);
  for (const [subject, tests] of Object.entries(UNCHECKED)) {
    for (const id of listed(tests[part])) (has[subject as keyof Subjects] ? unchecked : checked).add(id);
  }
  return { checked: checked.size, all: checked.union(unchecked).size };
}
