/** All tests that a profile has, checked or not: the measure of coverage. */
import { type PdfaPart, type Profile, profileFacts } from "./model/profiles.ts";
import { xmpTestsOf } from "./xmp/rules.ts";
import { RULES } from "./rules/rules.ts";
import { testOf } from "./rules/rule.ts";

/** Tests that nothing here checks: of signatures, of the conformance of embedded files, and of structure. */
const UNCHECKED: Readonly<Record<PdfaPart, string>> = {
  1: "",
  2: "6.4.3:3",
  3: "6.4.3:3",
  4: "6.4.3:3",
};
const EMBEDDED = "6.8-5";
const STRUCTURE = "6.7.2.2:1 6.7.3.3:1 6.7.3.4:1 6.7.4:1 6.2.11.7.3:1";

const listed = (clauses: string): string[] =>
  clauses.split(" ").flatMap((entry) => {
    const [clause = "", count] = entry.split(":");
    return Array.from({ length: Number(count ?? 0) }, (_, at) => `${clause}-${at + 1}`);
  });

export function testsOf(profile: Profile): readonly string[] {
  const { part, level } = profileFacts(profile);
  const checked = RULES.flatMap((rule) => testOf(rule, profile) ?? []);
  const unchecked = listed(UNCHECKED[part]);
  if (part === 2) unchecked.push(EMBEDDED);
  if (level === "a") unchecked.push(...listed(STRUCTURE));
  return [...new Set([...checked, ...unchecked, ...xmpTestsOf(part)])];
}
