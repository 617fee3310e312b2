/**
 * A reader of content that writes it without the parts that a `Choice` removes. All other bytes of the content are unchanged, so that nothing else
 * moves (ISO 32000-2, 8 and 9).
 */
import type { PDFObject } from "mupdf";
import { concat } from "../../../bytes/concat.ts";
import { apply, type Matrix, multiply, type PageBox } from "../../geometry.ts";
import { ContentWriter, type Edit } from "../content/content-writer.ts";
import type { Dash, GraphicsState, Parameters } from "../content/graphics-state.ts";
import { Nesting } from "../content/nesting.ts";
import { startsLine } from "../content/operator-table.ts";
import { ContentOperators } from "../content/operators.ts";
import { Run, type Visitor } from "../content/processor.ts";
import { isForm, resourcesOf } from "../content/resources.ts";
import { readStream } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { boxOf, common } from "../document/page-facts.ts";
import { codeOf } from "../fonts/cmap.ts";
import type { FontMetrics } from "../fonts/metrics.ts";
import { inlineImage } from "../images/inline-images.ts";
import { items } from "../objects/objects.ts";
import type { ByteRange } from "../syntax/tokens.ts";
import type { Choice, PlacedCode, PlacedDrawing, ReplacementSpan } from "./choice.ts";
import { CurrentPath, type PlacedPath } from "./current-path.ts";
import { clipAround, cutPath, isCuttable, type PathPaint } from "./cut-path.ts";
import type { Eraser } from "./eraser.ts";
import { boundsOf, corners, transformed } from "./geometry.ts";
import { copyOf, OwnResources } from "./own-resources.ts";
import { LongSubpath } from "./path.ts";
import { readShown, type Shown, ShownArray } from "./show-text.ts";
import { spanIn, writeSpan } from "./spans.ts";

/** A font of the content, with its metrics once it has shown something. */
interface ShownFont {
  readonly object: PDFObject;
  metrics?: FontMetrics;
}

type State = GraphicsState<ShownFont>;
type ContentRun = Run<ShownFont, ReplacementSpan | undefined>;

/** Content that was changed. */
interface Changed {
  readonly bytes: Uint8Array;
  readonly resources: PDFObject;
}

/** Text without a font is not shown. */
const NO_FONT: FontMetrics = {
  vertical: false,
  lengthAt: () => 1,
  metricsOf: () => ({ advance: 0, toOrigin: [0, 0] }),
  reach: [0, 0],
};

const NOWHERE: PageBox = [0, 0, 0, 0];

/** Prefix of a pattern or a soft mask that a form inherits from the content that draws it: its own names have no such character. */
const OUTER = "\u2191";

/** Fuel per operator, and per code. */
const [OPERATOR_WORK, CODE_WORK] = [30, 40];

/** Rendering modes that paint nothing (9.3.6). */
const INVISIBLE = new Set([3, 7]);

/** Operators that paint a path (8.5.3.1). */
const PAINTS: ReadonlyMap<string, PathPaint> = new Map<string, PathPaint>([
  ["f", { fill: "f" }],
  ["F", { fill: "f" }],
  ["f*", { fill: "f*" }],
  ["S", { strokes: true }],
  ["s", { strokes: true, closes: true }],
  ["B", { fill: "f", strokes: true }],
  ["B*", { fill: "f*", strokes: true }],
  ["b", { fill: "f", strokes: true, closes: true }],
  ["b*", { fill: "f*", strokes: true, closes: true }],
]);

/** Shadings that are gradients along a line or between two circles (8.7.4.5.3, 8.7.4.5.4). Others may show anything. */
const GRADIENTS = new Set([2, 3]);

/** The content of a page, and of the forms that it draws. */
export class Walk {
  readonly open: OpenPdf;
  readonly eraser: Eraser;
  readonly choice: Choice;
  readonly nesting = new Nesting();
  /** Codes and spans that were read. */
  codes = 0;
  spans = 0;

  constructor(open: OpenPdf, eraser: Eraser, choice: Choice) {
    this.open = open;
    this.eraser = eraser;
    this.choice = choice;
  }

  /** The changed content, drawn with resources. Undefined if nothing changes. `initial`: the state with which a form is drawn. */
  async run(bytes: Uint8Array, resources: PDFObject, initial?: State): Promise<Changed | undefined> {
    const content = new ErasedContent(this, bytes, resources);
    const run: ContentRun = new Run(content, new ContentOperators(bytes), initial);
    await run.read(this.open.engine.work);
    for (const span of run.marks) content.endMark(span);
    return content.result();
  }
}

/** One content and its changes. */
class ErasedContent implements Visitor<ShownFont, ReplacementSpan | undefined> {
  readonly keeps = ["matrix", "line", "color", "mask", "font", "text", "position"] as const;
  readonly operatorWork = OPERATOR_WORK;
  readonly #walk: Walk;
  readonly #bytes: Uint8Array;
  readonly #resources: PDFObject;
  readonly #own: OwnResources;
  readonly #path: CurrentPath;
  readonly #edits: Edit[] = [];
  /** Number of times that each pattern and soft mask painted something that stays or is removed. */
  readonly #painted = new Map<string, { kept: number; gone: number }>();

  constructor(walk: Walk, bytes: Uint8Array, resources: PDFObject) {
    this.#walk = walk;
    this.#bytes = bytes;
    this.#resources = resources;
    this.#own = new OwnResources(walk.open, resources, walk.eraser.replaced);
    this.#path = new CurrentPath(bytes);
  }

  result(): Changed | undefined {
    if (this.#edits.length === 0) return undefined;
    this.#dropUnpainted();
    const writer = new ContentWriter(this.#bytes);
    for (const { start, end, text } of this.#edits.toSorted((a, b) => a.start - b.start))
      writer.replace(start, end, text);
    const bytes = writer.result();
    return bytes && { bytes, resources: this.#own.copy() };
  }

  fontNamed(name: string): ShownFont {
    return { object: this.#resources.get("Font", name) };
  }

  parametersNamed(name: string): Parameters<ShownFont> {
    const parameters = this.#resources.get("ExtGState", name);
    const numberOf = (value: PDFObject): number | undefined => (value.isNumber() ? value.asNumber() : undefined);
    const [dash, mask, font] = [parameters.get("D"), parameters.get("SMask"), parameters.get("Font")];
    return {
      lineWidth: numberOf(parameters.get("LW")),
      miterLimit: numberOf(parameters.get("ML")),
      dash: dash.isArray() ? { array: dash.get(0).toString(), phase: dash.get(1).asNumber() } : undefined,
      mask: mask.isNull() ? undefined : mask.isDictionary(),
      ...(font.isArray() ? { font: { object: font.get(0) }, size: font.get(1).asNumber() } : {}),
    };
  }

  async show(run: ContentRun): Promise<void> {
    const { operators } = run;
    const { choice } = this.#walk;
    const isSpaced = operators.operator === '"';
    const operand = operators.operand(isSpaced ? 2 : 0);
    if (!operand) return;
    const font = run.state.font?.metrics ?? (await this.#metricsOf(run.state.font));
    const shown = readShown(this.#bytes.subarray(operand.start, operand.end));
    const strings = shown.flatMap((part) => (part.kind === "string" ? [part.value] : []));
    const ranges = (await choice.inBytes?.(concat(strings))) ?? [];
    let from = 0;
    const isFound = (at: number): boolean => ranges.some(({ start, end }) => from + at >= start && from + at < end);
    if (font.prepare) for (const string of strings) await font.prepare(string);
    const array = new ShownArray();
    let isChanged = false;
    for (const part of shown) {
      if (part.kind === "adjustment") {
        moveAlong(run, (-part.value / 1000) * run.state.size, font);
        array.adjust(part.value, part.written);
      } else {
        isChanged = this.#string(run, font, part, array, isFound) || isChanged;
        from += part.value.length;
      }
    }
    this.#paints(run.state, array.isEmpty);
    const isPlain = !startsLine(operators.operator);
    if (!isChanged && (isPlain || choice.plainOperators !== true)) return;
    const spacing = isSpaced ? `${operators.text(0)} Tw ${operators.text(1)} Tc ` : "";
    const line = isPlain ? "" : "T* ";
    this.#replace(operators, `${spacing}${line}${array.toString()} TJ`);
  }

  async #metricsOf(font: ShownFont | undefined): Promise<FontMetrics> {
    if (!font?.object.isDictionary()) return NO_FONT;
    return (font.metrics = await this.#walk.eraser.fonts.of(font.object));
  }

  /** Shows a string. Returns whether any of it is removed. */
  #string(
    run: ContentRun,
    font: FontMetrics,
    { value, written }: Shown & { kind: "string" },
    array: ShownArray,
    isFound: (at: number) => boolean,
  ): boolean {
    const { open, choice } = this.#walk;
    const { work } = open.engine;
    const { size, characterSpace, wordSpace } = run.state;
    const kept: Uint8Array[] = [];
    let isChanged = false;
    const keep = (): void => {
      if (kept.length > 0) array.bytes(concat(kept.splice(0)));
    };
    for (let at = 0; at < value.length;) {
      work.spend(CODE_WORK);
      const bytes = value.subarray(at, at + font.lengthAt(value, at));
      const isInRange = bytes.some((_, index) => isFound(at + index));
      at += bytes.length;
      const { advance, toOrigin } = font.metricsOf(codeOf(bytes), bytes.length);
      const spacing = characterSpace + (bytes.length === 1 && bytes[0] === 0x20 ? wordSpace : 0);
      const moved = (advance / 1000) * size + spacing;
      if (choice.code(placedCode(this.#walk.codes++, run, font, { advance, toOrigin })) || isInRange) {
        isChanged = true;
        keep();
        // Without a size, nothing that an adjustment could do moves the text.
        if (size !== 0) array.adjust(-((moved * 1000) / size));
      } else kept.push(bytes);
      moveAlong(run, moved, font);
    }
    if (isChanged) keep();
    else array.string(written);
    return isChanged;
  }

  path({ operators, state }: ContentRun): void {
    this.#path.add(operators, state.matrix);
  }

  clip({ operators }: ContentRun): void {
    this.#path.clip(operators);
  }

  async paint({ operators, state, graphics }: ContentRun): Promise<void> {
    const path = this.#path;
    const { operator } = operators;
    const paint = PAINTS.get(operator);
    const placed = path.placed(state, paint?.strokes === true);
    const { fill, strokes } = paint ?? {};
    const isHiding = (): boolean =>
      (fill !== undefined && this.#hides(state.fill.pattern)) ||
      (strokes === true && this.#hides(state.stroke.pattern));
    const becomes = placed && paint ? this.#becomes(placed, state, isHiding) : "stays";
    // A clipping path stays, but not its outline.
    const isCut = placed && (becomes === "is cut" || path.clips) && isCuttable(state.matrix);
    const cut = isCut ? await this.#cut(placed, operator, state, becomes === "goes" ? {} : (paint ?? {})) : undefined;
    const isGone = becomes === "goes" || cut === "too long" || cut?.paints === false;
    if (paint) this.#paints(state, isGone);
    const isReplaced = cut !== undefined && cut !== "too long";
    if (isReplaced || (isGone && !path.clips)) {
      for (const range of path.ranges) this.#replace(range, "");
      this.#replace(operators, isReplaced ? cut.content : "");
    } else if (isGone) this.#replace(operators, "n");
    const clip = path.end(state.clip);
    if (clip) graphics.clip(clip);
  }

  endPath(run: ContentRun): Promise<void> {
    return this.paint(run);
  }

  /** `isHiding`: whether its paint may show more than a color or a gradient. */
  #becomes(placed: PlacedDrawing, { matrix, mask }: State, isHiding: () => boolean): "stays" | "goes" | "is cut" {
    const { choice } = this.#walk;
    const { cutAt } = choice;
    const becomes = choice.drawing(placed);
    if (becomes !== "is cut" || !cutAt) return becomes;
    // All of the hidden content would be left in the file.
    const isHidden = (): boolean => mask !== undefined || isHiding();
    return isCuttable(matrix) && !(cutAt.uncut === "goes" && isHidden()) ? "is cut" : cutAt.uncut;
  }

  /** Whether a pattern may show more than a gradient: its cell, or a mesh. */
  #hides(pattern: string | undefined): boolean {
    if (pattern === undefined || pattern === OUTER) return pattern === OUTER;
    return !isGradient(this.#resources.get("Pattern", pattern).get("Shading"));
  }

  /** A path that is cut; undefined if nothing changes. */
  async #cut(
    { bounds, reach, distance }: PlacedPath,
    operator: string,
    { matrix, dash }: State,
    paint: PathPaint,
  ): Promise<{ readonly content: string; readonly paints: boolean } | "too long" | undefined> {
    const { choice, open } = this.#walk;
    const { cutAt } = choice;
    if (!cutAt) return undefined;
    const { sources, clips } = this.#path;
    const placed = { bounds, box: reach, reach: distance, matrix, dash: isDashed(dash) ? dash : undefined };
    try {
      return await cutPath(open.engine.work, { sources, operator, paint, clips, ...placed }, cutAt);
    } catch (error) {
      if (!(error instanceof LongSubpath)) throw error;
      return cutAt.uncut === "goes" ? "too long" : undefined;
    }
  }

  shade({ operators, state }: ContentRun): void {
    const { choice, open } = this.#walk;
    const name = operators.name(0) ?? "";
    const shading = this.#resources.get("Shading", name);
    const box = boxWithin(state, shading);
    const becomes = box ? this.#becomes({ box, reach: box }, state, () => !isGradient(shading)) : "stays";
    const isGone = becomes === "goes";
    this.#own.use("Shading", name, isGone);
    this.#paints(state, isGone, { hasColors: true });
    if (isGone) this.#replace(operators, "");
    if (becomes !== "is cut" || !box || !choice.cutAt) return;
    const clipping = clipAround(open.engine.work, choice.cutAt, box, state.matrix);
    if (clipping === "") return;
    const { start, end } = operators;
    this.#replace({ start, end: start }, `q\n${clipping}\n`);
    this.#replace({ start: end, end }, "\nQ");
  }

  async image({ operators, state }: ContentRun): Promise<void> {
    const { choice, open } = this.#walk;
    const object = (): PDFObject | undefined => inlineImage(open, operators, this.#bytes, this.#resources);
    const becomes = await choice.image({ object, matrix: state.matrix });
    this.#paints(state, becomes === "goes");
    this.#draws(operators, becomes);
  }

  async draw({ operators, state }: ContentRun): Promise<void> {
    const name = operators.name(0);
    if (name === undefined) return;
    const object = this.#resources.get("XObject", name);
    if (!object.isStream()) return;
    const becomes = isForm(object)
      ? await this.#form(object, state)
      : await this.#walk.choice.image({ object: () => object, matrix: state.matrix });
    this.#own.use("XObject", name, becomes !== "stays");
    const hasColors = !isForm(object) && !object.get("ImageMask").asBoolean();
    this.#paints(state, becomes === "goes", { hasColors });
    this.#draws(operators, becomes);
  }

  /** The replacement that an operator draws. */
  #draws(operators: ContentOperators, becomes: "stays" | "goes" | PDFObject): void {
    if (becomes !== "stays")
      this.#replace(operators, becomes === "goes" ? "" : `/${this.#own.add("XObject", becomes)} Do`);
  }

  /** Draws a form (8.10). If it changes, other content still draws the original. */
  async #form(form: PDFObject, state: State): Promise<"stays" | PDFObject> {
    const { open, nesting } = this.#walk;
    if (nesting.isCyclic(form) || nesting.isTooDeep()) return "stays";
    const content = await readStream(open, form);
    if (!content) return "stays";
    const drawn = { ...state, matrix: multiply(matrixOf(form.get("Matrix")), state.matrix) };
    const outer = (pattern: string | undefined): string | undefined => (this.#hides(pattern) ? OUTER : undefined);
    const initial: State = {
      ...drawn,
      clip: boxWithin(drawn, form) ?? NOWHERE,
      fill: { ...state.fill, pattern: outer(state.fill.pattern) },
      stroke: { ...state.stroke, pattern: outer(state.stroke.pattern) },
      mask: state.mask && OUTER,
    };
    const resources = resourcesOf(form, this.#resources);
    const inner = await nesting.within(form, () => this.#walk.run(content, resources, initial));
    await open.engine.work.pause();
    if (!inner) return "stays";
    const dictionary = copyOf(open, form);
    for (const key of ["Filter", "DecodeParms", "Length", "PieceInfo"]) dictionary.delete(key);
    dictionary.put("Resources", inner.resources);
    return open.document.addStream(inner.bytes, dictionary);
  }

  mark({ operators }: ContentRun): ReplacementSpan | undefined {
    const { choice, open } = this.#walk;
    const texts = operators.operator === "BDC" && spanIn(operators, this.#bytes, this.#resources);
    if (!texts) return undefined;
    const span: ReplacementSpan = { id: this.#walk.spans++, texts };
    const becomes = choice.beginSpan(span);
    const own = { resources: this.#resources, own: this.#own };
    if (becomes) this.#replace(operators, writeSpan(open, operators, this.#bytes, own, becomes));
    return span;
  }

  endMark(span: ReplacementSpan | undefined): void {
    if (span) this.#walk.choice.endSpan(span);
  }

  #replace({ start, end }: ByteRange, text: string): void {
    this.#edits.push({ start, end, text });
  }

  /** Something is painted, and stays or is removed. `hasColors`: it has its own, and does not use those of the state. */
  #paints({ fill, stroke, mask }: State, isGone: boolean, { hasColors = false } = {}): void {
    const note = (category: "Pattern" | "ExtGState", name: string | undefined): void => {
      if (name === undefined || name === OUTER) return;
      const key = `${category}/${name}`;
      const painted = this.#painted.get(key) ?? { kept: 0, gone: 0 };
      painted[isGone ? "gone" : "kept"]++;
      this.#painted.set(key, painted);
    };
    if (!hasColors) {
      note("Pattern", fill.pattern);
      note("Pattern", stroke.pattern);
    }
    note("ExtGState", mask);
  }

  /** Patterns and soft masks that painted only removed content are replaced by empty ones: operators still refer to them. */
  #dropUnpainted(): void {
    const { open } = this.#walk;
    const { document } = open;
    for (const [key, { kept, gone }] of this.#painted) {
      if (kept > 0 || gone === 0) continue;
      const name = key.slice(key.indexOf("/") + 1);
      if (key.startsWith("Pattern/")) {
        const [type, box] = [document.newName("Pattern"), [0, 0, 1, 1]];
        const pattern = { Type: type, PatternType: 1, PaintType: 1, TilingType: 1, BBox: box, XStep: 1, YStep: 1 };
        this.#own.put("Pattern", name, document.addStream("", { ...pattern, Resources: {} }));
      } else {
        const parameters = copyOf(open, this.#resources.get("ExtGState", name));
        parameters.put("SMask", document.newName("None"));
        this.#own.put("ExtGState", name, parameters);
      }
    }
  }
}

const isGradient = (shading: PDFObject): boolean => GRADIENTS.has(shading.get("ShadingType").asNumber());

/** Whether a pattern has dashes: an array without lengths has none. */
const isDashed = ({ array }: Dash): boolean => /[1-9]/.test(array);

/** The part of the page in the box of a form or a shading. Undefined if there is none. */
function boxWithin({ matrix, clip }: State, object: PDFObject): PageBox | undefined {
  const bounds = boxOf(object.get("BBox"));
  return bounds ? common(boundsOf(transformed(corners(bounds), matrix)), clip) : clip;
}

/** Moves the text that follows by a distance in units of text space, without horizontal scaling. */
function moveAlong({ graphics, state }: ContentRun, distance: number, { vertical }: FontMetrics): void {
  if (vertical) graphics.moveText(0, distance);
  else graphics.moveText(distance * state.scale, 0);
}

function placedCode(
  id: number,
  { graphics, state }: ContentRun,
  { vertical, reach }: FontMetrics,
  { advance, toOrigin }: { readonly advance: number; readonly toOrigin: readonly [number, number] },
): PlacedCode {
  const { size, scale, rise, mode } = state;
  const matrix = multiply(graphics.text, state.matrix);
  const em = Math.abs(size) / 1000;
  const [left, base] = [toOrigin[0] * em, toOrigin[1] * em + rise];
  const [x, y] = apply(matrix, left, base);
  return {
    id,
    x,
    y,
    square: () => {
      const along = (advance / 1000) * size * (vertical ? 1 : scale);
      const [low, high] = [(reach[0] / 1000) * size, (reach[1] / 1000) * size];
      const box: PageBox = vertical ? [left, along, -left, 0] : [0, base + low, along, base + high];
      return transformed(corners(box), matrix);
    },
    size: Math.abs(size) * Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2])),
    advances: advance !== 0,
    invisible: INVISIBLE.has(mode),
  };
}

function matrixOf(array: PDFObject): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = items(array).map((item) => item.asNumber());
  return [a, b, c, d, e, f];
}
