/** Content, colors, images, and forms (ISO 19005-1, 6.2; ISO 19005-2 and -3, 6.2.2 to 6.2.9; ISO 19005-4, 6.2.2 to 6.2.8). */
import type { Device } from "../model/elements.ts";
import type { IccFacts } from "../model/elements.ts";
import { rulesOn, type ConformanceRule } from "./rule.ts";

const SPACES: Readonly<Record<string, number>> = { GRAY: 1, "RGB ": 3, "Lab ": 3, CMYK: 4 };
const INTENT_CLASSES = new Set(["prtr", "mntr"]);
export const INPUT_CLASSES: ReadonlySet<string> = new Set(["scnr", "mntr", "prtr", "spac"]);
export const RENDERING_INTENTS: ReadonlySet<string> = new Set([
  "RelativeColorimetric",
  "AbsoluteColorimetric",
  "Perceptual",
  "Saturation",
]);
/** Colorants whose halftones may have no transfer function. All others must have one. */
const PROCESS = new Set(["Cyan", "Magenta", "Yellow", "Black"]);
/** Enumerated color spaces of JPEG 2000 that are allowed: sRGB, gray, sYCC, and CMYK. CIEJab is not. */
const [CIE_JAB, ENUMERATED] = [19, 1];

const isVersion = ({ major, minor }: IccFacts, part: number): boolean =>
  part === 1 ? major < 3 && minor <= 9 : major < 5;

/** Whether an intent, or the blending space of a group, gives a device space its meaning. */
const isGiven = (space: Device, given: string | undefined): boolean =>
  given !== undefined && (space === "DeviceGray" || given === (space === "DeviceRGB" ? "RGB " : "CMYK"));

function deviceRule(space: Device, clauses: ConformanceRule["clauses"]): Omit<ConformanceRule<"deviceColor">, "on"> {
  return {
    clauses,
    message: `${space} is used without an output intent or a default color space that gives its meaning.`,
    holds: ({ space: used, intent, blending }, { part }) =>
      used !== space || isGiven(space, intent) || (part === 4 && isGiven(space, blending)),
  };
}

export const GRAPHICS_RULES: readonly ConformanceRule[] = [
  ...rulesOn("operator", [
    {
      clauses: { 1: "6.2.10-1", 2: "6.2.2-1", 4: "6.2.2-1" },
      message: "Content has an operator that is not defined.",
      holds: () => false,
    },
  ]),
  ...rulesOn("content", [
    {
      clauses: { 2: "6.2.2-2", 4: "6.2.2-2" },
      message: "Content uses resources that are not in its own resource dictionary.",
      holds: ({ inherited, missing }) => inherited.length === 0 && missing.length === 0,
    },
  ]),
  ...rulesOn("outputProfile", [
    {
      clauses: { 1: "6.2.2-1", 2: "6.2.3-1", 4: "6.2.3-1" },
      message:
        "The profile of the output intent is no output or display profile of gray, RGB, or CMYK in a version that is allowed.",
      holds: (icc, { part }) =>
        icc.isReadable &&
        INTENT_CLASSES.has(icc.deviceClass) &&
        ["RGB ", "CMYK", "GRAY"].includes(icc.space) &&
        isVersion(icc, part),
    },
  ]),
  ...rulesOn("outputProfile", [
    {
      clauses: { 1: "6.2.3.2-2" },
      message: "An ICC profile has another number of components than N.",
      holds: ({ space, components }) => SPACES[space] === components,
    },
  ]),
  ...rulesOn("outputIntents", [
    {
      clauses: { 1: "6.2.2-2", 2: "6.2.3-2", 4: "6.2.3-2" },
      message: "Output intents have different profiles.",
      holds: ({ shareOneProfile }) => shareOneProfile,
    },
  ]),
  ...rulesOn("outputIntent", [
    {
      clauses: { 2: "6.2.3-3", 4: "6.2.3-3" },
      message: "An output intent refers to a profile that is not in the file.",
      holds: ({ hasProfileReference }) => !hasProfileReference,
    },
  ]),
  ...rulesOn("iccSpace", [
    {
      clauses: { 1: "6.2.3.2-1", 2: "6.2.4.2-1", 4: "6.2.4.2-1" },
      message: "An ICC profile is of a class, a color space, or a version that is not allowed.",
      holds: (icc, { part }) =>
        icc.isReadable && INPUT_CLASSES.has(icc.deviceClass) && icc.space in SPACES && isVersion(icc, part),
    },
    {
      clauses: { 1: "6.2.3.2-2" },
      message: "An ICC profile has another number of components than N.",
      holds: ({ space, components }) => SPACES[space] === components,
    },
  ]),
  ...rulesOn("iccSpace", [
    {
      clauses: { 4: "6.2.4.2-3" },
      message: "An ICCBased CMYK color space has the profile of the output intent or of the blending space.",
      holds: ({ space, isGiven }) => space !== "CMYK" || !isGiven,
    },
  ]),
  ...rulesOn("iccCmykUse", [
    {
      clauses: { 2: "6.2.4.2-2", 4: "6.2.4.2-2" },
      message: "Something is painted in an ICCBased CMYK space with overprinting in mode 1.",
      holds: ({ overprints, mode }) => !overprints || mode !== 1,
    },
  ]),
  ...rulesOn("deviceColor", [
    deviceRule("DeviceRGB", { 1: "6.2.3.3-1", 2: "6.2.4.3-2", 4: "6.2.4.3-2" }),
    deviceRule("DeviceCMYK", { 1: "6.2.3.3-2", 2: "6.2.4.3-3", 4: "6.2.4.3-3" }),
    deviceRule("DeviceGray", { 1: "6.2.3.3-3", 2: "6.2.4.3-4", 4: "6.2.4.3-4" }),
  ]),
  ...rulesOn("deviceN", [
    {
      clauses: { 2: "6.2.4.4-1", 4: "6.2.4.4-1" },
      message: "A DeviceN color space has colorants that its Colorants do not describe.",
      holds: ({ missing }) => missing.length === 0,
    },
  ]),
  ...rulesOn("separation", [
    {
      clauses: { 2: "6.2.4.4-2", 4: "6.2.4.4-2" },
      message: "Separation color spaces of the same name have different alternate spaces or transforms.",
      holds: ({ isConsistent }) => isConsistent,
    },
  ]),
  ...rulesOn("graphicsState", [
    {
      clauses: { 1: "6.2.8-1", 2: "6.2.5-1", 4: "6.2.5-1" },
      message: "Graphics state parameters have TR.",
      holds: ({ dictionary }) => !dictionary.entries.has("TR"),
    },
    {
      clauses: { 1: "6.2.8-2", 2: "6.2.5-2", 4: "6.2.5-2" },
      message: "Graphics state parameters have a TR2 other than Default.",
      holds: ({ dictionary }, { document }) =>
        !dictionary.entries.has("TR2") || document.name(dictionary, "TR2") === "Default",
    },
    {
      clauses: { 2: "6.2.5-3", 4: "6.2.5-3" },
      message: "Graphics state parameters have HTP.",
      holds: ({ dictionary }) => !dictionary.entries.has("HTP"),
    },
  ]),
  ...rulesOn("halftone", [
    {
      clauses: { 2: "6.2.5-4", 4: "6.2.5-4" },
      message: "A halftone is of another type than 1 and 5.",
      holds: ({ dictionary }, { document }) => [1, 5].includes(document.number(dictionary, "HalftoneType") ?? 0),
    },
    {
      clauses: { 2: "6.2.5-5", 4: "6.2.5-5" },
      message: "A halftone has a name.",
      holds: ({ dictionary }) => !dictionary.entries.has("HalftoneName"),
    },
    {
      clauses: { 2: "6.2.5-6", 4: "6.2.5-6" },
      message: "A halftone has a transfer function where it may have none, or none where it must.",
      holds: ({ dictionary, isNested, colorant }) => {
        const has = dictionary.entries.has("TransferFunction");
        if (!isNested || colorant === undefined || colorant === "Default") return !isNested || !has;
        return PROCESS.has(colorant) ? !has : has;
      },
    },
  ]),
  ...rulesOn("renderingIntent", [
    {
      clauses: { 1: "6.2.9-1", 2: "6.2.6-1", 4: "6.2.6-1" },
      message: "A rendering intent is not defined.",
      holds: ({ name }) => RENDERING_INTENTS.has(name),
    },
  ]),
  ...rulesOn("image", [
    {
      clauses: { 1: "6.2.4-1", 2: "6.2.8-1", 4: "6.2.7.1-1" },
      message: "An image has Alternates.",
      holds: ({ dictionary }) => !dictionary.entries.has("Alternates"),
    },
    {
      clauses: { 1: "6.2.4-2", 2: "6.2.8-2", 4: "6.2.7.1-2" },
      message: "An image has OPI.",
      holds: ({ dictionary }) => !dictionary.entries.has("OPI"),
    },
    {
      clauses: { 1: "6.2.4-3", 2: "6.2.8-3", 4: "6.2.7.1-3" },
      message: "An image is interpolated.",
      holds: ({ interpolates }) => !interpolates,
    },
    {
      clauses: { 1: "6.2.4-4", 2: "6.2.8-4", 4: "6.2.7.1-4" },
      message: "An image has a BitsPerComponent other than 1, 2, 4, 8, and 16.",
      holds: ({ bitsPerComponent, isMask, isJpx }) =>
        isMask || isJpx || bitsPerComponent === undefined || [1, 2, 4, 8, 16].includes(bitsPerComponent),
    },
    {
      clauses: { 2: "6.2.8-5", 4: "6.2.7.1-5" },
      message: "An image mask has a BitsPerComponent other than 1.",
      holds: ({ bitsPerComponent, isMask }) => !isMask || bitsPerComponent === undefined || bitsPerComponent === 1,
    },
  ]),
  ...rulesOn("jpx", [
    {
      clauses: { 2: "6.2.8.3-1", 4: "6.2.7.3-1" },
      message: "A JPEG 2000 image has another number of channels than 1, 3, and 4.",
      holds: ({ channels }) => channels === 1 || channels === 3 || channels === 4,
    },
    {
      clauses: { 2: "6.2.8.3-2", 4: "6.2.7.3-2" },
      message:
        "A JPEG 2000 image has several color specifications, and not exactly one of them with the value 1 in APPROX.",
      holds: ({ specifications, approximations, hasColorSpace }) =>
        hasColorSpace || specifications <= 1 || approximations === 1,
    },
    {
      clauses: { 2: "6.2.8.3-3", 4: "6.2.7.3-3" },
      message: "The color specification of a JPEG 2000 image has a method other than 1, 2, and 3.",
      holds: ({ method, hasColorSpace }) => hasColorSpace || (method !== undefined && method >= 1 && method <= 3),
    },
    {
      clauses: { 2: "6.2.8.3-4", 4: "6.2.7.3-4" },
      message: "A JPEG 2000 image is in CIEJab.",
      holds: ({ method, enumerated, hasColorSpace }) =>
        hasColorSpace || method !== ENUMERATED || enumerated !== CIE_JAB,
    },
    {
      clauses: { 2: "6.2.8.3-5", 4: "6.2.7.3-5" },
      message: "The channels of a JPEG 2000 image differ in their bit depth, or have more than 38 bits.",
      holds: ({ bitDepth, hasDepths }) => !hasDepths && bitDepth >= 1 && bitDepth <= 38,
    },
  ]),
  ...rulesOn("form", [
    {
      clauses: { 1: "6.2.5-1", 2: "6.2.9-1", 4: "6.2.8.1-1" },
      message: "A form XObject has OPI, PS, or Subtype2 with the value PS.",
      holds: ({ dictionary }, { document, part }) =>
        !dictionary.entries.has("OPI") &&
        (part === 4 || (!dictionary.entries.has("PS") && document.name(dictionary, "Subtype2") !== "PS")),
    },
    {
      clauses: { 1: "6.2.6-1", 2: "6.2.9-2", 4: "6.2.8.2-1" },
      message: "A form XObject refers to another file.",
      holds: ({ dictionary }) => !dictionary.entries.has("Ref"),
    },
  ]),
  ...rulesOn("xobject", [
    {
      clauses: { 1: "6.2.7-1", 2: "6.2.9-3" },
      message: "Content uses a PostScript XObject.",
      holds: ({ dictionary }, { document }) => document.name(dictionary, "Subtype") !== "PS",
    },
  ]),
];
