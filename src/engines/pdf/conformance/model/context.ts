import type { ModelDocument } from "./document.ts";
import type { OutputIntents } from "./elements.ts";
import type { ProfileFacts } from "./profiles.ts";

/** What rules know besides the element. */
export interface RuleContext extends ProfileFacts {
  readonly document: ModelDocument;
  readonly intents: OutputIntents;
}
