/** How rules are written: one function per requirement of ISO 19005, with its clause and test in the parts that have it. */
import type { RuleContext } from "../model/context.ts";
import type { Elements, Kind } from "../model/elements.ts";
import { includesLevel, type PdfaLevel, type PdfaPart, type Profile, profileFacts } from "../model/profiles.ts";

export interface ConformanceRule<K extends Kind = Kind> {
  readonly on: K;
  /** Clause and test by part, such as `6.1.2-1`. `2` holds for part 3, too, unless that has its own. */
  readonly clauses: Readonly<Partial<Record<PdfaPart, string>>>;
  /** The least level that requires it. */
  readonly level?: PdfaLevel;
  /** The profiles that do not have it, though their part does. */
  readonly except?: readonly Profile[];
  readonly message: string;
  /** Whether an element keeps the rule. */
  readonly holds: (element: Elements[K], context: RuleContext) => boolean;
}

/** Rules about one kind of element. */
export const rulesOn = <K extends Kind>(
  on: K,
  rules: readonly Omit<ConformanceRule<K>, "on">[],
): readonly ConformanceRule[] => rules.map((rule) => ({ ...rule, on }) as unknown as ConformanceRule);

/** The clause and test of a rule in a profile; undefined if the profile does not have it. */
export function testOf(
  rule: Pick<ConformanceRule, "clauses" | "level" | "except">,
  profile: Profile,
): string | undefined {
  const { part, level } = profileFacts(profile);
  if (rule.except?.includes(profile) === true || !includesLevel(level, rule.level ?? "b")) return undefined;
  return rule.clauses[part] ?? (part === 3 ? rule.clauses[2] : undefined);
}
