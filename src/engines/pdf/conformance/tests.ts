/** All tests that a profile has, checked or not: the measure of coverage. */
import { type Profile, profileFacts } from "./model/profiles.ts";
import { RULES } from "./rules/rules.ts";
import { testOf } from "./rules/rule.ts";
import { xmpTestsOf } from "./xmp/rules.ts";

/** Whether embedded files conform: open if they were not judged. */
const OF_EMBEDDED_FILES = "6.8-5";

/** The tests of a profile, and those of them that were checked. */
export function ruleCoverage(
  profile: Profile,
  embeddedAreUndecided: boolean,
): { readonly checked: number; readonly all: number } {
  const tests = new Set([
    ...RULES.flatMap((rule) => testOf(rule, profile) ?? []),
    ...xmpTestsOf(profileFacts(profile).part),
  ]);
  const isOpen = embeddedAreUndecided && tests.has(OF_EMBEDDED_FILES);
  return { checked: tests.size - (isOpen ? 1 : 0), all: tests.size };
}
