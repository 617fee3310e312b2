/** Numbers of pages as text: what the service stamps and what the playground shows of it before. */

export const NUMBER_STYLES = ["arabic", "roman", "romanLower", "alpha", "alphaLower"] as const;
export type NumberStyle = (typeof NUMBER_STYLES)[number];

/** The highest number in Roman numerals without special symbols for thousands. */
const HIGHEST_ROMAN = 3999;

const ROMAN = [
  ["M", 1000],
  ["CM", 900],
  ["D", 500],
  ["CD", 400],
  ["C", 100],
  ["XC", 90],
  ["L", 50],
  ["XL", 40],
  ["X", 10],
  ["IX", 9],
  ["V", 5],
  ["IV", 4],
  ["I", 1],
] as const;

/** Replaces `{n}` (in the style), `{total}`, and `{roman}` in the template; other text in braces does not change. */
export function numberedText(template: string, style: NumberStyle, number: number, total: number): string {
  return template.replace(/\{(n|total|roman)\}/g, (_, token: string) => {
    if (token === "total") return String(total);
    return token === "n" ? written(number, style) : written(number, "roman");
  });
}

/** Why the template cannot show this number, or undefined. */
export function numberIssue(template: string, style: NumberStyle, number: number): string | undefined {
  const styles = [...(template.includes("{n}") ? [style] : []), ...(template.includes("{roman}") ? ["roman"] : [])];
  for (const shown of styles) {
    const lowest = shown === "arabic" ? 0 : 1;
    if (number < lowest) return `numbers a page ${number}; the lowest number in this style is ${lowest}`;
    if (shown.startsWith("roman") && number > HIGHEST_ROMAN) {
      return `numbers a page ${number}; Roman numerals end at ${HIGHEST_ROMAN}`;
    }
  }
  return undefined;
}

function written(number: number, style: NumberStyle): string {
  if (style === "arabic") return String(number);
  const text = style.startsWith("roman") ? roman(number) : alpha(number);
  return style.endsWith("Lower") ? text.toLowerCase() : text;
}

function roman(number: number): string {
  let [text, left] = ["", number];
  for (const [sign, value] of ROMAN) {
    for (; left >= value; left -= value) text += sign;
  }
  return text;
}

/** A to Z, AA, AB, ... */
function alpha(number: number): string {
  let text = "";
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26)) {
    text = String.fromCharCode(65 + ((left - 1) % 26)) + text;
  }
  return text;
}
