/** Logical structure and text (ISO 19005-2 and -3, 6.7 and 6.2.11.7.3; ISO 19005-4, 6.2.10.8). */
import { rulesOn, type ConformanceRule } from "./rule.ts";

/** Language tags (RFC 3066): subtags of letters, and from the second on also of digits, joined by hyphens. */
const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z\d]{1,8})*$/;
const isPrivate = (character: number): boolean =>
  (character >= 0xe000 && character <= 0xf8ff) || (character >= 0xf0000 && character <= 0x10ffff);
/** Planes 15 and 16 are for private use: their high surrogates are the last. */
const isPrivateUnit = (unit: number): boolean => isPrivate(unit) || (unit >= 0xdb80 && unit <= 0xdbff);

export const STRUCTURE_RULES: readonly ConformanceRule[] = [
  ...rulesOn("catalog", [
    {
      clauses: { 2: "6.7.2.2-1" },
      level: "a",
      message: "The catalog has no MarkInfo in which Marked is true.",
      holds: ({ dictionary }, { document }) => document.get(dictionary, "MarkInfo", "Marked") === true,
    },
    {
      clauses: { 2: "6.7.3.3-1" },
      level: "a",
      message: "The document has no structure tree.",
      holds: ({ dictionary }, { document }) => document.dictionary(dictionary, "StructTreeRoot") !== undefined,
    },
  ]),
  ...rulesOn("structureElement", [
    {
      clauses: { 2: "6.7.3.4-1" },
      level: "a",
      message: "The type of a structure element is not a standard one, and the role map leads to none from it.",
      holds: ({ isKnown }) => isKnown,
    },
    {
      clauses: { 2: "6.7.3.4-2" },
      level: "a",
      message: "The role map leads from the type of a structure element in a circle.",
      holds: ({ isCircular }) => !isCircular,
    },
    {
      clauses: { 2: "6.7.3.4-3" },
      level: "a",
      message: "The role map gives the standard type of a structure element another one that is not standard.",
      holds: ({ isRemapped }) => !isRemapped,
    },
  ]),
  ...rulesOn("language", [
    {
      clauses: { 2: "6.7.4-1" },
      level: "a",
      message: "The value of Lang is no language tag.",
      holds: ({ tag }) => tag === "" || LANGUAGE.test(tag),
    },
  ]),
  ...rulesOn("glyph", [
    {
      clauses: { 2: "6.2.11.7.3-1" },
      level: "a",
      message: "A code that is shown has a Unicode value for private use, and nothing gives it ActualText.",
      holds: ({ unicode, isUnreplaced }) => !isUnreplaced || unicode?.some(isPrivateUnit) !== true,
    },
  ]),
  ...rulesOn("actualText", [
    {
      clauses: { 4: "6.2.10.8-1" },
      message: "ActualText has characters for private use.",
      holds: ({ text }) => ![...text].some((character) => isPrivate(character.codePointAt(0) ?? 0)),
    },
  ]),
];
