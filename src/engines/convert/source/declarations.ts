/** Declarations of CSS as MuPDF understands them: those that it does not would make it ignore all others of their rule. */
import { colord, extend } from "colord";
import hwbPlugin from "colord/plugins/hwb";
import labPlugin from "colord/plugins/lab";
import lchPlugin from "colord/plugins/lch";
import namesPlugin from "colord/plugins/names";
import oklabPlugin from "colord/plugins/oklab";
import oklchPlugin from "colord/plugins/oklch";

extend([namesPlugin, hwbPlugin, labPlugin, lchPlugin, oklabPlugin, oklchPlugin]);

export interface Declaration {
  /** Name of a property in its written form. */
  readonly name: string;
  readonly value: string;
  readonly important: boolean;
}

/** Red, green, and blue from 0 to 255, and how opaque it is, from 0 to 1. */
export type CssColor = Readonly<Record<"r" | "g" | "b" | "a", number>>;

/** A color in a value: a function, hexadecimal digits, or a word. */
const COLOR =
  /(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\((?:[^()]|\([^()]*\))*\)|#[\da-f]+|(?<![\w-])[a-z]+(?![\w(-])/gi;
const FUNCTIONS = /(?<![\w-])(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\((?:[^()]|\([^()]*\))*\)/gi;
const GRADIENT = /(?<![\w])(?:repeating-)?(?:linear|radial|conic)-gradient\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/gi;
/** Tokens of MuPDF's lexer: anything else is an error to it. */
const TOKEN = /[+-]?(?:\d+\.?\d*|\.\d+)(?:%|[a-z]+)?|-?[a-z_][\w-]*(?!\()|"[^"\\]*"|'[^'\\]*'|#[\w-]+|[,/]|\s+/iy;
/** Characters of a value, without the addresses in it. */
const LONGEST_VALUE = 1_000;

function isReadable(value: string): boolean {
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < value.length) if (!TOKEN.test(value)) return false;
  return value !== "";
}

/** A value without its addresses, of which there may be megabytes. */
function withoutAddresses(value: string, notConverted: Set<string>): string {
  const pieces: string[] = [];
  for (let at = 0; ;) {
    const start = value.indexOf("url(", at);
    pieces.push(value.slice(at, start < 0 ? undefined : start));
    if (start < 0) return pieces.join(" ");
    notConverted.add("background-images");
    const end = value.indexOf(")", start);
    if (end < 0) return pieces.join(" ");
    at = end + 1;
  }
}

function colorOf(text: string): CssColor | undefined {
  if (/^transparent$/i.test(text)) return { r: 0, g: 0, b: 0, a: 0 };
  const color = colord(/^color\(\s*srgb/i.test(text) ? srgbOf(text) : text);
  return color.isValid() ? color.toRgb() : undefined;
}

/** `color(srgb 1 0.5 0 / 50%)` as `rgb()`. */
const srgbOf = (text: string): string =>
  text
    .replace(/^color\(\s*srgb\s+/i, "rgb(")
    .replace(/(?<![\d.])(\d*\.?\d+)(?=\s|\))(?![^(]*\/)/g, (number) => `${Number(number) * 100}%`);

const hex = (value: number): string =>
  Math.round(Math.min(255, Math.max(0, value)))
    .toString(16)
    .padStart(2, "0");
export const written = ({ r, g, b, a }: CssColor): string => `#${hex(r)}${hex(g)}${hex(b)}${a < 1 ? hex(a * 255) : ""}`;

export const WHITE: CssColor = { r: 255, g: 255, b: 255, a: 1 };

/** A color as it looks on one that is opaque. */
export function composed({ r, g, b, a }: CssColor, below: CssColor): CssColor {
  const over = (value: number, under: number): number => value * a + under * (1 - a);
  return { r: over(r, below.r), g: over(g, below.g), b: over(b, below.b), a: 1 };
}

/** The mean of a gradient's colors, without those that are not seen. */
function meanOf(gradient: string): CssColor | undefined {
  const colors = Array.from(gradient.slice(gradient.indexOf("(") + 1).matchAll(COLOR), ([text]) =>
    colorOf(text),
  ).filter((color) => color !== undefined && color.a > 0) as CssColor[];
  if (colors.length === 0) return undefined;
  const mean = (of: (color: CssColor) => number): number =>
    colors.reduce((sum, color) => sum + of(color), 0) / colors.length;
  return { r: mean(({ r }) => r), g: mean(({ g }) => g), b: mean(({ b }) => b), a: mean(({ a }) => a) };
}

/** The color of a background: of the gradient that is above the others, or of its lowest layer; undefined if it has none. */
export function backgroundColor(value: string, notConverted: Set<string>): CssColor | undefined {
  if (/^(?:none|initial|unset|revert|revert-layer)$/i.test(value)) return { ...WHITE, a: 0 };
  let color: CssColor | undefined;
  const layers = withoutAddresses(value, notConverted);
  if (layers.length > LONGEST_VALUE) return undefined;
  const rest = layers.replace(GRADIENT, (gradient) => {
    notConverted.add("gradients");
    color ??= meanOf(gradient);
    return " ";
  });
  for (const [text] of rest.matchAll(COLOR)) color ??= colorOf(text);
  return color;
}

const CALCULATED = /(?<![\w-])(?:calc|min|max|clamp)\(/i;
const WHOLLY_INHERITED = /^(?:inherit|unset|revert|revert-layer|currentcolor)$/i;

/** A color of text or of a border. */
const inkOf = (value: string): string | undefined => {
  const color = colorOf(value);
  return color === undefined ? (/^initial$/i.test(value) ? "black" : undefined) : written(composed(color, WHITE));
};

/** Properties of flexible boxes and grids: their contents follow one another as blocks. */
const DISPLAYS: Readonly<Record<string, string>> = {
  flex: "block",
  grid: "block",
  "flow-root": "block",
  "inline-flex": "inline-block",
  "inline-grid": "inline-block",
  contents: "inline",
};

const NAMES_OF_BACKGROUNDS: ReadonlySet<string> = new Set(["background", "background-color", "background-image"]);
const BREAKS: Readonly<Record<string, string>> = {
  page: "always",
  left: "always",
  right: "always",
  recto: "always",
  verso: "always",
};

/** The declarations for MuPDF, none if it has nothing similar. `notConverted`: the losses, by the names of the reference. */
export function declarationsInPrint(
  { name: given, value: wanted, important }: Declaration,
  notConverted: Set<string>,
): string[] {
  let [name, value] = [given.toLowerCase(), wanted];
  const lower = value.toLowerCase();
  // A custom property, or one that the cascade has not resolved.
  if (!/^-?[a-z][a-z-]*$/.test(name) || lower.includes("var(")) return [];
  if (name.startsWith("background")) {
    if (name === "background-image" && lower === "none") return [];
    if (!NAMES_OF_BACKGROUNDS.has(name)) return [];
    const color = lower === "inherit" ? lower : backgroundColor(value, notConverted);
    return color === undefined
      ? []
      : [`background-color:${typeof color === "string" ? color : written(color)}${important ? "!important" : ""}`];
  }
  if (value.length > LONGEST_VALUE) return [];
  switch (name) {
    case "position":
      // MuPDF lays later content over earlier content after such an element.
      if (/^(?:absolute|fixed|sticky)$/.test(lower)) {
        if (lower !== "sticky") notConverted.add("css-layout");
        return [];
      }
      break;
    case "float":
      if (/^(?:left|right)$/.test(lower)) notConverted.add("css-layout");
      return [];
    case "display":
      if (/^(?:inline-)?(?:flex|grid)$/.test(lower)) notConverted.add("css-layout");
      value = DISPLAYS[lower] ?? value;
      break;
    case "color": {
      const color = inkOf(value);
      if (color === undefined && !WHOLLY_INHERITED.test(value)) return [];
      value = color ?? "inherit";
      break;
    }
    case "word-break":
      if (!/^break-(?:all|word)$/.test(lower)) return [];
      [name, value] = ["overflow-wrap", "break-word"];
      break;
    case "word-wrap":
    case "overflow-wrap":
      [name, value] = ["overflow-wrap", lower === "anywhere" ? "break-word" : value];
      break;
    case "break-before":
    case "break-after":
      if (BREAKS[lower] === undefined) return [];
      [name, value] = [`page-${name}`, "always"];
      break;
    case "list-style":
    case "list-style-type":
      // The text fonts have no other mark.
      value = value.replace(/(?<![\w-])(?:circle|square)(?![\w-])/gi, "disc");
      break;
    default:
      if (/^(?:border|outline|text-decoration)/.test(name)) {
        value = value
          .replace(FUNCTIONS, (text) => {
            const color = colorOf(text);
            return color === undefined ? "" : written(composed(color, WHITE));
          })
          .replace(/(?<![\w-])currentcolor(?![\w-])/gi, "")
          .trim();
      }
  }
  if (!isReadable(value)) {
    if (CALCULATED.test(value)) notConverted.add("css-values");
    return [];
  }
  return [`${name}:${value}${important ? "!important" : ""}`];
}
