/** List boxes: options in rows, with the selected ones highlighted (ISO 32000-2, 12.7.5.4). */
import { type FieldFonts, lineOf } from "./field-fonts.ts";
import type { DefaultAppearance } from "./appearance.ts";
import type { AppearanceCharacteristics } from "./appearance-characteristics.ts";
import type { Options } from "./options.ts";
import type { DrawText } from "./text.ts";
import { numbers } from "../content/operands.ts";

const LEADING = 1.16;
const SIZE = 12;
const MARGIN = 2;
/** The highlight color that other programs use. */
const CHOSEN = "0.6 0.757 0.855 rg";

export interface ListView {
  /** The first visible option. */
  readonly top: number;
  readonly draw: DrawText;
}

/** `top`: the option that was the first visible one before. */
export async function layOutList(
  faces: FieldFonts,
  options: Options,
  values: readonly string[],
  look: AppearanceCharacteristics,
  { font, size: wanted, color }: DefaultAppearance,
  top: number,
): Promise<ListView> {
  const size = wanted > 0 ? wanted : SIZE;
  const row = size * LEADING;
  const fitting = Math.max(1, Math.floor((look.height - 2 * look.inset) / row));
  const first = firstShown(options, values, fitting, top);
  const chosen = new Set(values);
  const shown = options.list.slice(first, first + fitting + 1);
  const lines = await Promise.all(
    shown.map(async ({ value, label }) => {
      const text = label.replace(/[\p{Cc}]/gu, " ");
      const face = faces.faceFor(text, font);
      return { line: lineOf(await face.set([text]), text), face, chosen: chosen.has(value) };
    }),
  );
  const upper = look.height - look.inset;
  const across = look.width - 2 * look.inset;
  return {
    top: first,
    draw: (name) =>
      lines
        .map(({ line, face, chosen }, index) => {
          const bottom = upper - (index + 1) * row;
          const box = chosen ? `${CHOSEN} ${numbers(look.inset, bottom, across, row)} re f ` : "";
          const baseline = bottom + row / 2 - ((face.ascent - face.descent) / 2) * size;
          return `${box}${color} ${line.show(size, look.inset + MARGIN, baseline, name)}`;
        })
        .join(" "),
  };
}

/** Stays as it was if a selected option is visible; otherwise scrolls to the first of them. */
function firstShown(options: Options, values: readonly string[], fitting: number, top: number): number {
  const count = options.list.length;
  const start = top > 0 && top < count ? top : 0;
  const places = values.map((value) => options.placeOf(value)).filter((place) => place >= 0);
  const chosen = places.reduce((first, place) => Math.min(first, place), count);
  if (chosen === count || (chosen >= start && chosen < start + fitting)) return start;
  return Math.max(0, Math.min(chosen, count - fitting));
}
