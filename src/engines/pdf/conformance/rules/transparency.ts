/** Transparency (ISO 19005-1, 6.4; ISO 19005-2 and -3, 6.2.10; ISO 19005-4, 6.2.9). */
import { rulesOn, type ConformanceRule } from "./rule.ts";

export const BLEND_MODES: ReadonlySet<string> = new Set([
  "Normal",
  "Compatible",
  "Multiply",
  "Screen",
  "Overlay",
  "Darken",
  "Lighten",
  "ColorDodge",
  "ColorBurn",
  "HardLight",
  "SoftLight",
  "Difference",
  "Exclusion",
  "Hue",
  "Saturation",
  "Color",
  "Luminosity",
]);

export const TRANSPARENCY_RULES: readonly ConformanceRule[] = [
  ...rulesOn("softMask", [
    {
      clauses: { 1: "6.4-1" },
      message: "Graphics state parameters or an image have a soft mask.",
      holds: ({ isNone }) => isNone,
    },
  ]),
  ...rulesOn("group", [
    {
      clauses: { 1: "6.4-3" },
      message: "A page or a form XObject has a transparency group.",
      holds: ({ dictionary }, { document }) => document.name(dictionary, "S") !== "Transparency",
    },
  ]),
  ...rulesOn("blendMode", [
    {
      clauses: { 1: "6.4-4" },
      message: "Graphics state parameters have a blend mode other than Normal.",
      holds: ({ names }) => names.every((name) => name === "Normal" || name === "Compatible"),
    },
    {
      clauses: { 2: "6.2.10-1", 4: "6.2.9-1" },
      message: "A blend mode is not defined.",
      holds: ({ names }) => names.every((name) => BLEND_MODES.has(name)),
    },
  ]),
  ...rulesOn("opacity", [
    {
      clauses: { 1: "6.4-5" },
      message: "Graphics state parameters have an opacity other than 1.",
      holds: ({ value }) => value === 1,
    },
  ]),
  ...rulesOn("page", [
    {
      clauses: { 2: "6.2.10-2", 4: "6.2.9-2" },
      message: "A page with transparency has neither an output intent nor a group with a color space.",
      holds: ({ hasTransparency, hasIntent, groupHasSpace }) => !hasTransparency || hasIntent || groupHasSpace,
    },
  ]),
];
