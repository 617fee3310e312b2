/**
 * Visual order of right-to-left text, from left to right, which readers expect in content and reverse: Unicode Standard
 * Annex 9, as far as pdf.js implements it.
 */
import { readingOf } from "../pdf/text/characters.ts";

/** Left to right, right to left, a number, or neutral. */
type Class = "L" | "R" | "D" | "N";

/** Characters allowed inside a number, and before and after it. */
const SEPARATOR = /^[.,:/+\-\u066b\u066c]$/u;
const TERMINATOR = /^[#$%\u00a2-\u00a5\u00b0\u066a\u20a0-\u20bf]$/u;

function classOf(character: string): Class {
  const reading = readingOf(character);
  if (reading === "ltr") return /\p{Nd}/u.test(character) ? "D" : "L";
  return reading === "rtl" ? "R" : "N";
}

/** The words of a line in visual order. `rightToLeft`: whether the line begins at the right. */
export function inVisualOrder<W extends { readonly text: string }>(words: readonly W[], rightToLeft: boolean): W[] {
  const classes = words.map(({ text }): Class => {
    const all = Array.from(text, classOf);
    return (["R", "L", "D"] as const).find((one) => all.includes(one)) ?? "N";
  });
  let strong: Class = rightToLeft ? "R" : "L";
  const directions = classes.map((one): Class => {
    if (one === "R" || one === "L") strong = one;
    return one === "D" ? (strong === "L" ? "L" : "R") : one;
  });
  const base: Class = rightToLeft ? "R" : "L";
  for (let from = 0; from < directions.length; from++) {
    if (directions[from] !== "N") continue;
    let to = from;
    while (directions[to] === "N") to++;
    const before = directions[from - 1] ?? base;
    directions.fill(before === (directions[to] ?? base) ? before : base, from, to);
  }
  const ordered: W[] = [];
  for (let from = 0; from < words.length;) {
    let to = from + 1;
    while (to < words.length && directions[to] === directions[from]) to++;
    const run = words.slice(from, to);
    // In a line that begins at the right everything is reversed, and left-to-right runs are reversed again.
    ordered.push(...(directions[from] === base ? run : run.reverse()));
    from = to;
  }
  return rightToLeft ? ordered.reverse() : ordered;
}

/** The characters of a word in visual order: numbers and other left-to-right text in it are not reversed. */
export function visualWord(text: string): string {
  const characters = Array.from(text);
  const classes = characters.map(classOf);
  const runs: string[] = [];
  for (let from = 0; from < characters.length;) {
    const to = classes[from] === "L" ? endOfLatin(classes, from) : endOfNumber(characters, classes, from);
    runs.push(characters.slice(from, to).join(""));
    from = to;
  }
  return runs.reverse().join("");
}

function endOfLatin(classes: readonly Class[], from: number): number {
  let to = from + 1;
  for (let at = to; at < classes.length && classes[at] !== "R"; at++) if (classes[at] !== "N") to = at + 1;
  return to;
}

/** Index after the number, or after one character if no number begins here. */
function endOfNumber(characters: readonly string[], classes: readonly Class[], from: number): number {
  const terminates = (at: number): boolean => TERMINATOR.test(characters[at] ?? "");
  let to = from;
  while (terminates(to)) to++;
  if (classes[to] !== "D") return from + 1;
  while (classes[to] === "D" || (SEPARATOR.test(characters[to] ?? "") && classes[to + 1] === "D")) to++;
  while (terminates(to)) to++;
  return to;
}
