/** All tests that a profile has, checked or not: the measure of coverage. */
import { type Profile, profileFacts } from "./model/profiles.ts";
import { xmpTestsOf } from "./xmp/rules.ts";
import { RULES } from "./rules/rules.ts";
import { testOf } from "./rules/rule.ts";

/** Tests that nothing here checks, by part. */
const UNCHECKED: Readonly<Record<string, string>> = {};

export function testsOf(profile: Profile): readonly string[] {
  const checked = RULES.flatMap((rule) => testOf(rule, profile) ?? []);
  const unchecked = (UNCHECKED[profile.slice(0, 1)] ?? "").split(" ").filter(Boolean);
  return [...new Set([...checked, ...unchecked, ...xmpTestsOf(profileFacts(profile).part)])];
}
