import { z } from "zod";
import { type Accuracy, languageCode, languages as known, languagesWith } from "../../engines/ocr/languages.ts";
import { limits } from "../../limits.ts";
import type { FieldIssue } from "./fields.ts";

export const languagesOfText = `Up to ${limits.ocr.languages} languages of the text, separated by \`,\` or \`+\`, the most frequent one first.`;

/** Language codes without duplicates. */
export function formLanguages(): z.ZodType<readonly string[] | undefined> {
  return z
    .preprocess((value) => (value === "" ? undefined : value), z.string().optional())
    .transform((value, context) => {
      if (value === undefined) return undefined;
      const asked = value.split(/[,+]/).map((part) => part.trim());
      const unknown = asked.filter((language) => languageCode(language) === undefined);
      for (const language of new Set(unknown)) {
        const message = `has an unknown language, "${language.slice(0, 40)}": use ${known.join(", ")}`;
        context.addIssue({ code: "custom", message });
      }
      const codes = new Set(asked.flatMap((language) => languageCode(language) ?? []));
      if (codes.size > limits.ocr.languages) {
        context.addIssue({ code: "custom", message: `must list at most ${limits.ocr.languages} languages` });
      }
      return [...codes];
    })
    .meta({
      type: "string",
      examples: ["eng", "deu+eng", "zh-Hant"],
      "x-choices": { values: [...known], most: limits.ocr.languages },
    });
}

/** A problem of the field `name` if not all languages have a model of this accuracy. */
export function missingModels(name: string, languages: readonly string[], accuracy: Accuracy): FieldIssue[] {
  const there = languagesWith(accuracy);
  const missing = languages.filter((language) => !there.includes(language));
  if (missing.length === 0) return [];
  const other = accuracy === "fast" ? "best" : "fast";
  const has = there.length > 0 ? `only for ${there.join(", ")}` : "for no language";
  if (name !== "accuracy")
    return [{ name, issue: `has no ${accuracy} model of ${missing.join(", ")} in this service` }];
  const issue = `must be ${other} for ${missing.join(", ")}: this service has ${accuracy} models ${has}`;
  return [{ name, issue }];
}
