/** The graphics state, and what the operators of content make of it (ISO 32000-2, 8.4 and 9.3). */
import { limits } from "../../../limits.ts";
import { IDENTITY, type Matrix, multiply, type PageBox } from "../../geometry.ts";
import { tooManySavedStates } from "../../limit-errors.ts";
import { type Family, type Operator, setsPattern, setsStroke, startsLine } from "./operator-table.ts";

/** A color space by its name in the resources, and the pattern that paints, if any (8.6 and 8.7). */
export interface Paint {
  readonly space: string;
  readonly pattern: string | undefined;
}

/** A dash pattern (8.4.3.6). */
export interface Dash {
  /** The array in its written form. */
  readonly array: string;
  readonly phase: number;
}

export interface GraphicsState<F> {
  readonly matrix: Matrix;
  /** The rectangle around the clipping path. Only the reader of the content can set it, with `GraphicsStates.clip`. */
  readonly clip: PageBox;
  readonly lineWidth: number;
  readonly miterLimit: number;
  readonly dash: Dash;
  readonly fill: Paint;
  readonly stroke: Paint;
  /** Name of the parameters that have set the soft mask in effect. */
  readonly mask: string | undefined;
  /** Undefined as long as the content has selected none: a form begins with that of the content that draws it. */
  readonly font: F | undefined;
  readonly size: number;
  readonly characterSpace: number;
  readonly wordSpace: number;
  /** Horizontal scaling: 1 is as wide as the font. */
  readonly scale: number;
  readonly leading: number;
  /** Text rendering mode. */
  readonly mode: number;
  readonly rise: number;
}

/**
 * The parts of the state that a reader of content may keep; the rest is not interpreted. `line`: its width, miter limit, and dashes.
 * `text`: the parameters of text. `position`: its matrices, which need `text` for the leading.
 */
export type Group = "matrix" | "line" | "color" | "mask" | "font" | "text" | "position";

/** The values that graphics state parameters set (8.4.5). `mask`: whether they set or clear a soft mask. */
export interface Parameters<F> {
  readonly lineWidth?: number | undefined;
  readonly miterLimit?: number | undefined;
  readonly dash?: Dash | undefined;
  readonly mask?: boolean | undefined;
  readonly font?: F | undefined;
  readonly size?: number | undefined;
}

/** Looks up the names in the content. */
export interface Lookup<F> {
  fontNamed?(name: string): F;
  parametersNamed?(name: string): Parameters<F>;
}

/** The operands of an operator. */
export interface Operands {
  readonly count: number;
  name(index: number): string | undefined;
  /** Absent where no reader keeps numbers. */
  number?(index: number): number | undefined;
  text?(index: number): string;
}

const [GRAY, RGB, CMYK] = ["DeviceGray", "DeviceRGB", "DeviceCMYK"].map((space): Paint => ({
  space,
  pattern: undefined,
})) as [Paint, Paint, Paint];
/** Operators that select a color space with a color. */
const DEVICES: ReadonlyMap<string, Paint> = new Map([
  ["g", GRAY],
  ["G", GRAY],
  ["rg", RGB],
  ["RG", RGB],
  ["k", CMYK],
  ["K", CMYK],
]);

const INITIAL: GraphicsState<never> = {
  matrix: IDENTITY,
  clip: [-1e9, -1e9, 1e9, 1e9],
  lineWidth: 1,
  miterLimit: 10,
  dash: { array: "[]", phase: 0 },
  fill: GRAY,
  stroke: GRAY,
  mask: undefined,
  font: undefined,
  size: 0,
  characterSpace: 0,
  wordSpace: 0,
  scale: 1,
  leading: 0,
  mode: 0,
  rise: 0,
};

/** The groups that the operators of a family change. */
const CHANGES: Readonly<Partial<Record<Family, readonly Group[]>>> = {
  transform: ["matrix"],
  style: ["line"],
  parameters: ["line", "mask", "font"],
  color: ["color"],
  font: ["font"],
  textState: ["text"],
  beginText: ["position"],
  move: ["position"],
  show: ["text", "position"],
};

/** Names whose meaning is remembered. Content that uses more looks them up again. */
const MOST_NAMES = 10_000;

/** The state of one content, of which only the groups change that its reader keeps. */
export class GraphicsStates<F> {
  current: GraphicsState<F>;
  /** The matrices of the text and of its line, which are not saved (9.4.2). */
  text: Matrix = IDENTITY;
  line: Matrix = IDENTITY;
  inText = false;
  /** States saved without being restored. */
  depth = 0;
  readonly #keeps: ReadonlySet<Group>;
  readonly #lookup: Lookup<F>;
  /** Saved states, and how often each was saved in a row. */
  readonly #saved: { readonly state: GraphicsState<F>; times: number }[] = [];
  readonly #fonts = new Map<string, F>();
  readonly #parameters = new Map<string, Parameters<F>>();

  constructor(keeps: readonly Group[], lookup: Lookup<F>, initial: Partial<GraphicsState<F>> = {}) {
    this.#keeps = new Set(keeps);
    this.#lookup = lookup;
    this.current = { ...INITIAL, ...initial };
  }

  /** Sets the rectangle around the clipping path. */
  clip(box: PageBox): void {
    this.current = { ...this.current, clip: box };
  }

  /** Moves the text that follows, in units of text space. */
  moveText(x: number, y: number): void {
    this.text = multiply([1, 0, 0, 1, x, y], this.text);
  }

  /** Whether operators of a family change a value that is kept. */
  concerns(family: Family): boolean {
    if (family === "beginText" || family === "endText") return true;
    return CHANGES[family]?.some((group) => this.#keeps.has(group)) === true;
  }

  /** @throws Refusal `limit_exceeded` */
  save(): void {
    this.depth++;
    const last = this.#saved.at(-1);
    if (last?.state === this.current) last.times++;
    else if (this.#saved.push({ state: this.current, times: 1 }) > limits.contents.savedStates)
      throw tooManySavedStates();
  }

  /** Returns false, and keeps the state, if none is saved: readers ignore such an operator. */
  restore(): boolean {
    const last = this.#saved.at(-1);
    if (!last) return false;
    this.depth--;
    this.current = last.state;
    if (--last.times === 0) this.#saved.pop();
    return true;
  }

  /** Applies an operator other than `q` and `Q`. One that shows text is applied up to the text, whose glyphs move later text. */
  apply({ name, family }: Operator, operands: Operands): void {
    const { current } = this;
    switch (family) {
      case "transform":
        this.current = { ...current, matrix: multiply(matrixOf(operands), current.matrix) };
        break;
      case "style":
        if (name === "w") this.current = { ...current, lineWidth: numberAt(operands, 0) };
        else if (name === "M") this.current = { ...current, miterLimit: numberAt(operands, 0) };
        else if (name === "d")
          this.current = { ...current, dash: { array: operands.text?.(0) ?? "", phase: numberAt(operands, 1) } };
        break;
      case "parameters":
        this.#setParameters(operands.name(0) ?? "");
        break;
      case "color":
        this.#setColor(name, operands);
        break;
      case "font":
        this.current = { ...current, font: this.#fontNamed(operands.name(0) ?? ""), size: numberAt(operands, 1) };
        break;
      case "textState":
        this.#setText(name, numberAt(operands, 0));
        break;
      case "beginText":
      case "endText":
        this.inText = family === "beginText";
        // Text without a `BT` continues where the last one ended.
        if (this.inText) this.line = this.text = IDENTITY;
        break;
      case "move":
        if (name === "TD") this.#setText("TL", -numberAt(operands, 1));
        if (name === "Tm") this.line = this.text = matrixOf(operands);
        else if (name === "T*") this.#nextLine();
        else this.#moveLine(numberAt(operands, 0), numberAt(operands, 1));
        break;
      case "show":
        if (name === '"')
          this.current = { ...current, wordSpace: numberAt(operands, 0), characterSpace: numberAt(operands, 1) };
        if (startsLine(name)) this.#nextLine();
        break;
      default:
    }
  }

  #nextLine(): void {
    this.#moveLine(0, -this.current.leading);
  }

  #moveLine(x: number, y: number): void {
    this.line = this.text = multiply([1, 0, 0, 1, x, y], this.line);
  }

  #setText(operator: string, value: number): void {
    const { current } = this;
    if (operator === "Tc") this.current = { ...current, characterSpace: value };
    else if (operator === "Tw") this.current = { ...current, wordSpace: value };
    else if (operator === "Tz") this.current = { ...current, scale: value / 100 };
    else if (operator === "TL") this.current = { ...current, leading: value };
    else if (operator === "Tr") this.current = { ...current, mode: value };
    else this.current = { ...current, rise: value };
  }

  #setColor(operator: string, operands: Operands): void {
    const isStroke = setsStroke(operator);
    const { current } = this;
    const before = isStroke ? current.stroke : current.fill;
    let paint = DEVICES.get(operator);
    if (operator === "cs" || operator === "CS") paint = { space: operands.name(0) ?? "", pattern: undefined };
    else if (!paint) {
      const pattern = setsPattern(operator) ? operands.name(operands.count - 1) : undefined;
      paint = { space: before.space, pattern };
    }
    if (paint.space === before.space && paint.pattern === before.pattern) return;
    this.current = isStroke ? { ...current, stroke: paint } : { ...current, fill: paint };
  }

  #setParameters(name: string): void {
    const { current } = this;
    let parameters = this.#parameters.get(name);
    if (!parameters) remember(this.#parameters, name, (parameters = this.#lookup.parametersNamed?.(name) ?? {}));
    const { lineWidth = current.lineWidth, miterLimit = current.miterLimit, dash = current.dash } = parameters;
    const { font = current.font, size = current.size } = parameters;
    const mask = parameters.mask === undefined ? current.mask : parameters.mask ? name : undefined;
    const isLine = lineWidth === current.lineWidth && miterLimit === current.miterLimit && dash === current.dash;
    const isSame = isLine && font === current.font && size === current.size && mask === current.mask;
    if (!isSame) this.current = { ...current, lineWidth, miterLimit, dash, mask, font, size };
  }

  #fontNamed(name: string): F | undefined {
    const known = this.#fonts.get(name);
    if (known !== undefined || !this.#lookup.fontNamed) return known;
    const font = this.#lookup.fontNamed(name);
    remember(this.#fonts, name, font);
    return font;
  }
}

const numberAt = (operands: Operands, index: number): number => operands.number?.(index) ?? 0;

function matrixOf(operands: Operands): Matrix {
  const [a, b, c] = [numberAt(operands, 0), numberAt(operands, 1), numberAt(operands, 2)];
  return [a, b, c, numberAt(operands, 3), numberAt(operands, 4), numberAt(operands, 5)];
}

function remember<T>(names: Map<string, T>, name: string, value: T): void {
  if (names.size >= MOST_NAMES) names.clear();
  names.set(name, value);
}
