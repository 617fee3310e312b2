/** Applies the rules of a profile to the elements of a document, and keeps the first failure of each rule and how many there are. */
import type { Check } from "./model/check.ts";
import type { RuleContext } from "./model/context.ts";
import type { Kind, Place } from "./model/elements.ts";
import type { Profile } from "./model/profiles.ts";
import { type ConformanceRule, testOf } from "./rules/rule.ts";

/** A rule that a document breaks. */
export interface Failure {
  /** Of ISO 19005, such as `6.1.2`, and the test of that clause. */
  readonly clause: string;
  readonly test: number;
  readonly message: string;
  /** Elements that break it. */
  readonly count: number;
  readonly first: { readonly object: number; readonly page: number | null; readonly context: string | null };
}

/** Longest context, in characters. */
const LONGEST_CONTEXT = 100;

interface Found {
  readonly id: string;
  readonly message: string;
  readonly first: Place;
  count: number;
}

export class Checker {
  readonly #rules = new Map<Kind, { readonly id: string; readonly rule: ConformanceRule }[]>();
  readonly #found = new Map<string, Found>();
  /** Set before the first element is checked. */
  context: RuleContext | undefined;

  readonly #onFailure: ((id: string, place: Place) => void) | undefined;

  /** `onFailure`: is called for each element that breaks a rule. */
  constructor(rules: readonly ConformanceRule[], profile: Profile, onFailure?: (id: string, place: Place) => void) {
    this.#onFailure = onFailure;
    for (const rule of rules) {
      const id = testOf(rule, profile);
      if (id === undefined) continue;
      const same = this.#rules.get(rule.on) ?? [];
      same.push({ id, rule });
      this.#rules.set(rule.on, same);
    }
  }

  readonly check: Check = (kind, element, place) => {
    const { context } = this;
    if (!context) throw new TypeError("Elements are checked in a context.");
    for (const { id, rule } of this.#rules.get(kind) ?? []) {
      if (!rule.holds(element as never, context)) this.fail(id, rule.message, place);
    }
  };

  fail(id: string, message: string, place: Place, count = 1): void {
    this.#onFailure?.(id, place);
    const found = this.#found.get(id);
    if (found) found.count += count;
    else this.#found.set(id, { id, message, first: place, count });
  }

  /** Ordered by clause. */
  get failures(): Failure[] {
    return [...this.#found.values()]
      .toSorted((a, b) => a.id.localeCompare(b.id, "en", { numeric: true }))
      .map(({ id, message, first, count }) => {
        const [clause = "", test] = id.split("-");
        const { object, page = null, context = null } = first;
        return {
          clause,
          test: Number(test),
          message,
          count,
          first: { object, page, context: context === null ? null : context.slice(0, LONGEST_CONTEXT) },
        };
      });
  }
}
