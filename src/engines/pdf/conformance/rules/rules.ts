import { FILE_RULES } from "./file-structure.ts";
import { FONT_RULES } from "./fonts.ts";
import { GRAPHICS_RULES } from "./graphics.ts";
import { INTERACTIVE_RULES } from "./interactive.ts";
import type { ConformanceRule } from "./rule.ts";
import { STRUCTURE_RULES } from "./structure.ts";
import { TRANSPARENCY_RULES } from "./transparency.ts";

/** All rules that are checked, except those of metadata. */
export const RULES: readonly ConformanceRule[] = [
  ...FILE_RULES,
  ...GRAPHICS_RULES,
  ...FONT_RULES,
  ...TRANSPARENCY_RULES,
  ...INTERACTIVE_RULES,
  ...STRUCTURE_RULES,
];
