/** An estimate of how wide text is before it is laid out. */

/** Widths of characters in ems, on average and for wide scripts. */
const [NARROW, AVERAGE, BROAD, WIDE] = [0.3, 0.56, 0.68, 1.02];
const WIDE_SCRIPT = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/;

/** Of a script in which lines end after any character. */
export const isWideScript = (character: string): boolean => WIDE_SCRIPT.test(character);

/** The width of a character in ems of sans-serif text. */
export function widthInEms(character: string): number {
  if (WIDE_SCRIPT.test(character)) return WIDE;
  if (/^[0-9A-Z%@#MW]$/.test(character)) return BROAD;
  return /^[\s.,:;il|']$/.test(character) ? NARROW : AVERAGE;
}
