/**
 * Annotations, forms, actions, attachments, and layers (ISO 19005-1, 6.5, 6.6, and 6.9; ISO 19005-2 and -3, 6.3 to 6.5, 6.8, and 6.9; ISO 19005-4, 6.3
 * to 6.6, 6.9, and 6.10).
 */
import type { AnnotationFacts } from "../model/elements.ts";
import { rulesOn, type ConformanceRule } from "./rule.ts";

/** Bits of F (ISO 32000-1, table 165). */
const [INVISIBLE, HIDDEN, PRINT, NO_ZOOM, NO_ROTATE, NO_VIEW, TOGGLE] = [1, 2, 4, 8, 16, 32, 256];

const TYPES_1 =
  "Text Link FreeText Line Square Circle Highlight Underline Squiggly StrikeOut Stamp Ink Popup Widget PrinterMark TrapNet";
const TYPES_2 = `${TYPES_1} Polygon PolyLine Caret FileAttachment Watermark`;
const TYPES_4 = `${TYPES_2} Redact Projection`;
/** The types of annotations that are allowed, by part. */
export const ANNOTATIONS: Readonly<Record<number, ReadonlySet<string>>> = {
  1: new Set(TYPES_1.split(" ")),
  2: new Set(TYPES_2.split(" ")),
  3: new Set(TYPES_2.split(" ")),
  4: new Set(TYPES_4.split(" ")),
};

/** The types of actions that parts 2 to 4 allow. */
export const ACTIONS: ReadonlySet<string> = new Set(["GoTo", "GoToR", "GoToE", "Thread", "URI", "Named", "SubmitForm"]);
const ACTIONS_1 = new Set(["GoTo", "GoToR", "Thread", "URI", "Named", "SubmitForm"]);
const TRIGGERS = new Set(["E", "X", "D", "U", "Fo", "Bl"]);
/** The named actions that are allowed. */
export const NAMED: ReadonlySet<string> = new Set(["NextPage", "PrevPage", "FirstPage", "LastPage"]);

const hasBits = (flags: number, bits: number): boolean => (flags & bits) === bits;

/** Whether an annotation may be without an appearance. */
const needsAppearance = ({ subtype, width, height }: AnnotationFacts, part: number): boolean =>
  part === 1
    ? false
    : subtype !== "Popup" &&
      subtype !== "Link" &&
      !(part === 4 && subtype === "Projection") &&
      !(width === 0 && height === 0);

export const INTERACTIVE_RULES: readonly ConformanceRule[] = [
  ...rulesOn("annotation", [
    {
      clauses: { 1: "6.5.2-1", 2: "6.3.1-1", 4: "6.3.1-1" },
      message: "An annotation is of a type that is not allowed.",
      holds: ({ subtype }, { part, level }) =>
        ANNOTATIONS[part]?.has(subtype) === true && (part !== 4 || level === "f" || subtype !== "FileAttachment"),
    },
    {
      clauses: { 2: "6.3.2-1", 4: "6.3.2-1" },
      message: "An annotation has no F.",
      holds: ({ subtype, flags }) => subtype === "Popup" || flags !== undefined,
    },
    {
      clauses: { 1: "6.5.3-1" },
      message: "The opacity of an annotation is not 1.",
      holds: ({ dictionary }, { document }) => (document.number(dictionary, "CA") ?? 1) === 1,
    },
    {
      clauses: { 2: "6.3.2-2", 4: "6.3.2-2" },
      message: "An annotation is hidden or not printed.",
      holds: ({ flags }) =>
        flags === undefined || (hasBits(flags, PRINT) && (flags & (HIDDEN | INVISIBLE | TOGGLE | NO_VIEW)) === 0),
    },
    {
      clauses: { 1: "6.5.3-2" },
      message: "An annotation has no F, is hidden, or is not printed.",
      holds: ({ flags }) =>
        flags !== undefined && hasBits(flags, PRINT) && (flags & (HIDDEN | INVISIBLE | NO_VIEW)) === 0,
    },
    {
      clauses: { 4: "6.3.2-3" },
      message: "A text annotation does not have NoZoom and NoRotate.",
      holds: ({ subtype, flags }) => subtype !== "Text" || flags === undefined || hasBits(flags, NO_ZOOM | NO_ROTATE),
    },
    {
      clauses: { 1: "6.5.3-3" },
      message: "An annotation has colors, though no output intent of RGB gives their meaning.",
      holds: ({ dictionary }, { intents }) =>
        (!dictionary.entries.has("C") && !dictionary.entries.has("IC")) || intents.given?.space === "RGB ",
    },
    {
      clauses: { 2: "6.3.3-1", 4: "6.3.3-1" },
      message: "An annotation has no appearance.",
      holds: (annotation, { part }) => !needsAppearance(annotation, part) || annotation.dictionary.entries.has("AP"),
    },
    {
      clauses: { 1: "6.5.3-4", 2: "6.3.3-2", 4: "6.3.3-2" },
      message: "The appearances of an annotation are not the normal one alone.",
      holds: ({ dictionary }, { document }) => {
        const appearances = document.dictionary(dictionary, "AP");
        return !appearances || (appearances.entries.size === 1 && appearances.entries.has("N"));
      },
    },
    {
      clauses: { 1: "6.5.3-5", 2: "6.3.3-3", 4: "6.3.3-3" },
      message: "The normal appearance of a button is no dictionary of states.",
      holds: ({ dictionary, isWidget, fieldType }, { document }) => {
        const normal = document.dictionary(dictionary, "AP", "N");
        return !isWidget || fieldType !== "Btn" || !normal || !normal.isStream;
      },
    },
    {
      clauses: { 1: "6.5.3-6", 2: "6.3.3-4", 4: "6.3.3-4" },
      message: "The normal appearance of an annotation is no stream.",
      holds: ({ dictionary, isWidget, fieldType }, { document }) => {
        const normal = document.dictionary(dictionary, "AP", "N");
        return (isWidget && fieldType === "Btn") || !normal || normal.isStream;
      },
    },
    {
      clauses: { 1: "6.6.2-1", 2: "6.4.1-1", 4: "6.4.1-1" },
      message: "A widget has an action.",
      holds: ({ dictionary, isWidget }, { part }) =>
        !isWidget || ((part === 1 || !dictionary.entries.has("A")) && (part === 4 || !dictionary.entries.has("AA"))),
    },
  ]),
  ...rulesOn("annotation", [
    {
      clauses: { 1: "6.6.1-3" },
      message: "A field has an action.",
      holds: ({ dictionary, isWidget }) => !isWidget || !dictionary.entries.has("A"),
    },
    {
      clauses: { 1: "6.9-2" },
      message: "A field has no appearance.",
      holds: ({ dictionary, isWidget }) => !isWidget || dictionary.entries.has("AP"),
    },
    {
      clauses: { 4: "6.6.3-1" },
      message: "The additional actions of an annotation have other triggers than E, X, D, U, Fo, and Bl.",
      holds: ({ dictionary }, { document }) =>
        [...(document.dictionary(dictionary, "AA")?.entries.keys() ?? [])].every((key) => TRIGGERS.has(key)),
    },
  ]),
  ...rulesOn("field", [
    {
      clauses: { 1: "6.6.2-2", 2: "6.4.1-2" },
      message: "A field has additional actions.",
      holds: ({ dictionary }) => !dictionary.entries.has("AA"),
    },
  ]),
  ...rulesOn("interactiveForm", [
    {
      clauses: { 1: "6.9-1", 2: "6.4.1-3", 4: "6.4.1-2" },
      message: "The form has NeedAppearances with the value true.",
      holds: ({ dictionary }, { document }) => document.get(dictionary, "NeedAppearances") !== true,
    },
    {
      clauses: { 2: "6.4.2-1", 4: "6.4.2-1" },
      message: "The form has XFA.",
      holds: ({ dictionary }) => !dictionary.entries.has("XFA"),
    },
  ]),
  ...rulesOn("catalog", [
    {
      clauses: { 2: "6.4.2-2", 4: "6.4.2-2" },
      message: "The catalog has NeedsRendering with the value true.",
      holds: ({ dictionary }, { document }) => document.get(dictionary, "NeedsRendering") !== true,
    },
    {
      clauses: { 1: "6.6.2-3", 2: "6.5.2-1" },
      message: "The catalog has additional actions.",
      holds: ({ dictionary }) => !dictionary.entries.has("AA"),
    },
    {
      clauses: { 1: "6.7.2-2" },
      message: "The metadata stream of the catalog has a filter.",
      holds: ({ dictionary }, { document }) => !document.has(document.stream(dictionary, "Metadata"), "Filter"),
    },
    {
      clauses: { 1: "6.1.11-2" },
      message: "The document has embedded files.",
      holds: ({ dictionary }, { document }) => !document.has(document.get(dictionary, "Names"), "EmbeddedFiles"),
    },
  ]),
  ...rulesOn("page", [
    {
      clauses: { 2: "6.5.2-2" },
      message: "A page has additional actions.",
      holds: ({ dictionary }) => !dictionary.entries.has("AA"),
    },
  ]),
  ...rulesOn("signedBytes", [
    {
      clauses: { 2: "6.4.3-1" },
      message:
        "The ByteRange of a signature does not cover the file up to an end of it, except for the signature itself.",
      holds: ({ coversRevision }) => coversRevision,
    },
    {
      clauses: { 2: "6.4.3-2", 4: "6.4.3-2" },
      message: "A signature has no certificate.",
      holds: ({ certificates }) => certificates > 0,
    },
    {
      clauses: { 2: "6.4.3-3", 4: "6.4.3-3" },
      message: "A signature has no signer, or several.",
      holds: ({ signers }) => signers === 1,
    },
  ]),
  ...rulesOn("action", [
    {
      clauses: { 1: "6.6.1-1", 2: "6.5.1-1", 4: "6.6.1-1" },
      message: "An action is of a type that is not allowed.",
      holds: ({ type }, { part }) => (part === 1 ? ACTIONS_1 : ACTIONS).has(type ?? ""),
    },
    {
      clauses: { 1: "6.6.1-2", 2: "6.5.1-2", 4: "6.6.1-2" },
      message: "A named action is none of NextPage, PrevPage, FirstPage, and LastPage.",
      holds: ({ type, named }) => type !== "Named" || NAMED.has(named ?? ""),
    },
  ]),
  ...rulesOn("fileSpecification", [
    {
      clauses: { 1: "6.1.11-1" },
      message: "A file specification has an embedded file.",
      holds: ({ dictionary }) => !dictionary.entries.has("EF"),
    },
    {
      clauses: { 2: "6.8-2", 4: "6.9-2" },
      message: "The specification of an embedded file lacks F or UF.",
      holds: ({ dictionary }) =>
        !dictionary.entries.has("EF") || (dictionary.entries.has("F") && dictionary.entries.has("UF")),
    },
    {
      clauses: { 3: "6.8-3", 4: "6.9-3" },
      message: "The specification of an embedded file has no AFRelationship.",
      holds: ({ dictionary }) => !dictionary.entries.has("EF") || dictionary.entries.has("AFRelationship"),
    },
  ]),
  ...rulesOn("fileSpecification", [
    {
      clauses: { 3: "6.8-4" },
      message: "An embedded file is associated with nothing: no AF has its specification.",
      holds: ({ dictionary, isAssociated }) => !dictionary.entries.has("EF") || isAssociated,
    },
  ]),
  ...rulesOn("embeddedFile", [
    {
      clauses: { 3: "6.8-1", 4: "6.9-1" },
      message: "The Subtype of an embedded file is no media type.",
      holds: ({ dictionary }, { document }) => /^[\w.+-]+\/[\w.+-]+$/.test(document.name(dictionary, "Subtype") ?? ""),
    },
  ]),
  ...rulesOn("embeddedFile", [
    {
      clauses: { 2: "6.8-5" },
      except: ["3b", "3u", "3a"],
      message: "An embedded file is no PDF/A of part 1 or 2 that conforms.",
      holds: ({ conforms }) => conforms !== false,
    },
  ]),
  ...rulesOn("layers", [
    {
      clauses: { 2: "6.9-1", 4: "6.10-1" },
      message: "A configuration of layers has no name.",
      holds: ({ name }, { part }) => name !== undefined && (part === 4 || name !== ""),
    },
    {
      clauses: { 2: "6.9-2", 4: "6.10-2" },
      message: "Configurations of layers have the same name.",
      holds: ({ isNameUnique }) => isNameUnique,
    },
    {
      clauses: { 2: "6.9-3", 4: "6.10-3" },
      message: "The Order of a configuration does not list all layers.",
      holds: ({ hasOrder, ordersAll }) => !hasOrder || ordersAll,
    },
    {
      clauses: { 2: "6.9-4", 4: "6.10-4" },
      message: "A configuration of layers has AS.",
      holds: ({ dictionary }) => !dictionary.entries.has("AS"),
    },
  ]),
];
