/** The control words that change the appearance of runs and paragraphs (RTF 1.9.1, "Character Formatting Properties" and others). */
import type { ColorTable, FontTable, StyleSheet } from "./header-tables.ts";
import { PLAIN_PARAGRAPH, PLAIN_RUN, type ParagraphLook, type RunLook } from "./looks.ts";
import { TWIPS } from "./page.ts";

/** Of text, in half points. */
const [SMALLEST, LARGEST] = [2, 800];

/** The look of text after a control word; undefined if it does not change that. */
export function runAfter(
  look: RunLook,
  name: string,
  value: number | undefined,
  { fonts, colors }: { readonly fonts: FontTable; readonly colors: ColorTable },
): RunLook | undefined {
  const isOn = value !== 0;
  switch (name) {
    case "plain":
      return { ...PLAIN_RUN, link: look.link };
    case "b":
    case "i":
    case "caps":
      return { ...look, [name]: isOn };
    case "ul":
    case "uld":
    case "uldb":
    case "ulw":
    case "uldash":
      return { ...look, ul: isOn };
    case "ulnone":
      return { ...look, ul: false };
    case "strike":
    case "striked":
      return { ...look, strike: isOn };
    case "v":
    case "deleted":
      return { ...look, hidden: isOn };
    case "super":
    case "sub":
      return { ...look, position: isOn ? (name === "super" ? "sup" : "sub") : undefined };
    case "nosupersub":
      return { ...look, position: undefined };
    case "fs":
      return value !== undefined && value >= SMALLEST && value <= LARGEST ? { ...look, size: value / 2 } : look;
    case "f": {
      const font = fonts.get(value);
      return { ...look, font: value, family: font?.isSymbol ? undefined : font?.name.trim() };
    }
    case "cf":
      return { ...look, color: colors.get(value) };
    case "cb":
    case "chcbpat":
    case "highlight":
      return { ...look, background: value === 0 ? undefined : colors.get(value) };
    default:
      return undefined;
  }
}

const ALIGNMENTS = { qc: "center", qr: "right", qj: "justify", ql: "left" } as const;
const LENGTHS = { li: "left", ri: "right", fi: "first", sb: "before", sa: "after" } as const;

/** The same for paragraphs. */
export function paragraphAfter(
  look: ParagraphLook,
  name: string,
  value: number | undefined,
  styles: StyleSheet,
): ParagraphLook | undefined {
  switch (name) {
    case "pard":
      return PLAIN_PARAGRAPH;
    case "s":
      return { ...look, heading: styles.heading(value) };
    case "outlinelevel":
      return {
        ...look,
        heading: value !== undefined && value >= 0 && value < 9 ? Math.min(value + 1, 6) : undefined,
      };
    case "qc":
    case "qr":
    case "qj":
    case "ql":
      return { ...look, align: ALIGNMENTS[name] };
    case "li":
    case "ri":
    case "fi":
    case "sb":
    case "sa":
      return { ...look, [LENGTHS[name]]: (value ?? 0) / TWIPS };
    case "rtlpar":
    case "ltrpar":
      return { ...look, rightToLeft: name === "rtlpar" };
    case "intbl":
      return { ...look, inTable: true };
    default:
      return undefined;
  }
}
