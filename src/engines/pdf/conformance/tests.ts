/** All tests that a profile has, checked or not: the measure of coverage. */
import { type PdfaPart, type Profile, profileFacts } from "./model/profiles.ts";
import { xmpTestsOf } from "./xmp/rules.ts";
import { RULES } from "./rules/rules.ts";
import { testOf } from "./rules/rule.ts";

/** Tests that nothing here checks, by their subject. */
const UNCHECKED = {
  /** Whether embedded files conform, in part 2. */
  embeddedFiles: { 1: "", 2: "6.8:5-5", 3: "", 4: "" },
} as const satisfies Readonly<Record<string, Readonly<Record<PdfaPart, string>>>>;
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
  const { part } = profileFacts(profile);
  const checked = new Set([...RULES.flatMap((rule) => testOf(rule, profile) ?? []), ...xmpTestsOf(part)]);
  const unchecked = new Set<string>();
  for (const [subject, tests] of Object.entries(UNCHECKED)) {
    for (const id of listed(tests[part])) (has[subject as keyof Subjects] ? unchecked : checked).add(id);
  }
  return { checked: checked.size, all: checked.union(unchecked).size };
}
