/** The output intents of a document and of its pages (ISO 32000-2, 14.11.5). */
import type { GivenSpace, OutputIntents } from "./elements.ts";
import type { Plain, PlainDictionary } from "../../objects/plain-values.ts";
import type { Check } from "./check.ts";
import type { ModelDocument } from "./document.ts";
import { readIcc } from "./icc.ts";
import type { IccFacts } from "./elements.ts";

/** Subtypes of intents of PDF/A, in its parts. */
const PDFA = "GTS_PDFA1";

/** Reads the intents in `OutputIntents` of the catalog or a page, and checks each. */
export async function readIntents(
  document: ModelDocument,
  holder: Plain | undefined,
  check: Check,
  page?: number,
): Promise<OutputIntents> {
  let given: GivenSpace | undefined;
  const profiles = new Set<number>();
  const object = document.dictionary(holder)?.object ?? 0;
  for (const item of document.items(holder, "OutputIntents")) {
    const intent = document.dictionary(item);
    if (!intent) continue;
    const subtype = document.name(intent, "S");
    const profile = document.stream(intent, "DestOutputProfile");
    const place = { object: intent.object, page, context: subtype };
    check(
      "outputIntent",
      { dictionary: intent, hasProfileReference: document.has(intent, "DestOutputProfileRef") },
      place,
    );
    if (!profile) continue;
    profiles.add(profile.object);
    if (subtype !== PDFA) continue;
    const icc: IccFacts = readIcc(await document.data(profile));
    check("outputProfile", { ...icc, components: document.number(profile, "N") }, { ...place, object: profile.object });
    given ??= { space: icc.space, profile };
  }
  const intents = { given, shareOneProfile: profiles.size < 2 };
  if (document.items(holder, "OutputIntents").length > 0) check("outputIntents", intents, { object, page });
  return intents;
}

export const hasIntents = (document: ModelDocument, holder: PlainDictionary | undefined): boolean =>
  document.items(holder, "OutputIntents").length > 0;
