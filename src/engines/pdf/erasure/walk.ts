/**
 * Interprets content and writes it without what a `Choice` takes from it. All other bytes of the content stay as they are, so that nothing else
 * moves (ISO 32000-2, 8 and 9).
 */
import { apply, IDENTITY, type Matrix, multiply, type PageBox } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import { concat } from "../../../bytes/concat.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { ContentOperators } from "../content/operators.ts";
import { readStream } from "../content/streams.ts";
import { isForm } from "../content/resources.ts";
import { boxOf, common } from "../document/page-facts.ts";
import type { OpenPdf } from "../document/document.ts";
import { items, objectNumber } from "../objects/objects.ts";
import { inlineImage } from "../images/inline-images.ts";
import { codeOf } from "../fonts/cmap.ts";
import type { CutArea } from "./area.ts";
import { clipAround, cutPath, type Dash, isCuttable, normOf, type PathPaint } from "./cut-path.ts";
import type { Eraser } from "./eraser.ts";
import type { FontMetrics } from "../fonts/metrics.ts";
import { boundsOf, corners, type Polygon, transformed } from "./geometry.ts";
import { copyOf, OwnResources } from "./own-resources.ts";
import { LongSubpath } from "./path.ts";
import { readShown, type Shown, ShownArray } from "./show-text.ts";
import { spanIn, type SpanTexts, writeSpan } from "./spans.ts";

/** A code as it is shown on the page, in units of the page. */
export interface PlacedCode {
  /** Codes are counted in the order in which they are shown. */
  readonly id: number;
  /** The origin of its glyph. */
  readonly x: number;
  readonly y: number;
  /** The glyph's square: as wide as it advances, as high as the font. */
  readonly square: () => Polygon;
  /** Font size. */
  readonly size: number;
  readonly advances: boolean;
  /** Whether it paints nothing, as the text that was recognized in a scan. */
  readonly invisible: boolean;
}

export interface PlacedImage {
  /** The image; an inline image becomes an object. Undefined if that is not possible. */
  readonly object: () => PDFObject | undefined;
  /** The unit square of the image on the page. */
  readonly matrix: Matrix;
}

/** Marked content with texts that replace what it shows (14.9.3 to 14.9.5). */
export interface ReplacementSpan {
  readonly id: number;
  readonly texts: SpanTexts;
}

/** A path that is painted, or a shading. */
export interface PlacedDrawing {
  /** The rectangle that it and the clipping path leave. */
  readonly box: PageBox;
  /** The same with what the ends and joins of lines may reach. */
  readonly reach: PageBox;
}

interface PlacedPath extends PlacedDrawing {
  /** The rectangle around its points. */
  readonly bounds: PageBox;
  /** How far the ends and joins of its lines reach from their middle, in units of the page. */
  readonly distance: number;
}

/** What is taken from content. Each is asked in the order of the content. */
export interface Choice {
  code(code: PlacedCode): boolean;
  /** What becomes of a path that is painted, or a shading. */
  drawing(drawing: PlacedDrawing): "stays" | "goes" | "is cut";
  /** The area that drawings and clipping paths are cut at. */
  readonly cutAt?: CutArea;
  /** What becomes of an image. An object is drawn in its place. */
  image(image: PlacedImage): Promise<"stays" | "goes" | PDFObject>;
  /** What becomes of the texts of marked content; undefined if they stay. */
  beginSpan(span: ReplacementSpan): SpanTexts | undefined;
  endSpan(span: ReplacementSpan): void;
  /** What goes of the bytes that an operator shows, whatever they mean: ranges of all its strings together. */
  inBytes?(shown: Uint8Array): Promise<readonly { readonly start: number; readonly end: number }[]>;
  /** Whether `'` and `"` are written as the operators that they stand for (9.4.3), which all programs treat alike. */
  readonly plainOperators?: boolean;
}

interface State {
  readonly matrix: Matrix;
  /** The rectangle around the clipping path. */
  readonly clip: PageBox;
  readonly font: FontMetrics | undefined;
  readonly size: number;
  readonly characterSpace: number;
  readonly wordSpace: number;
  /** Horizontal scaling: 1 is as wide as the font. */
  readonly scale: number;
  readonly leading: number;
  readonly mode: number;
  readonly rise: number;
  readonly lineWidth: number;
  readonly miterLimit: number;
  readonly dash: Dash | undefined;
  /**
   * Whether what fills, strokes, or masks may show more than a color or a gradient: the cell of a pattern, a mesh, an image. What is painted with it
   * is not cut, since that would leave all of it in the file.
   */
  readonly hides: { readonly fill: boolean; readonly stroke: boolean; readonly mask: boolean };
  /** Names of the patterns that paint, and of the parameters that have set a soft mask, in the resources of this content. */
  readonly fill: string | undefined;
  readonly stroke: string | undefined;
  readonly mask: string | undefined;
}

const EVERYWHERE: PageBox = [-1e9, -1e9, 1e9, 1e9];

/** Text without a font is not shown. */
const NO_FONT: FontMetrics = {
  vertical: false,
  lengthAt: () => 1,
  metricsOf: () => ({ advance: 0, toOrigin: [0, 0] }),
  reach: [0, 0],
};

const NOWHERE: PageBox = [0, 0, 0, 0];

const INITIAL: State = {
  matrix: IDENTITY,
  clip: EVERYWHERE,
  font: undefined,
  size: 0,
  characterSpace: 0,
  wordSpace: 0,
  scale: 1,
  leading: 0,
  mode: 0,
  rise: 0,
  lineWidth: 1,
  miterLimit: 10,
  dash: undefined,
  hides: { fill: false, stroke: false, mask: false },
  fill: undefined,
  stroke: undefined,
  mask: undefined,
};

/** Nesting of forms that is followed: as deep as MuPDF does. */
const DEEPEST = 60;

/** Fuel per operator, and per code. */
const [OPERATOR_WORK, CODE_WORK] = [30, 40];

/** Rendering modes that paint nothing (9.3.6). */
const INVISIBLE = new Set([3, 7]);

const PATH = new Set(["m", "l", "c", "v", "y", "re", "h"]);

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

export class Walk {
  readonly #open: OpenPdf;
  readonly #eraser: Eraser;
  readonly #choice: Choice;
  /** Forms that are being drawn. */
  readonly #drawing = new Set<number>();
  #codes = 0;
  #spans = 0;

  constructor(open: OpenPdf, eraser: Eraser, choice: Choice) {
    this.#open = open;
    this.#eraser = eraser;
    this.#choice = choice;
  }

  /** Content as it is drawn with resources, and what it becomes; undefined if nothing changes. */
  run(
    bytes: Uint8Array,
    resources: PDFObject,
  ): Promise<{ readonly bytes: Uint8Array; readonly resources: PDFObject } | undefined> {
    return this.#run(bytes, resources, INITIAL);
  }

  async #run(
    bytes: Uint8Array,
    resources: PDFObject,
    initial: State,
  ): Promise<{ readonly bytes: Uint8Array; readonly resources: PDFObject } | undefined> {
    const { work } = this.#open.engine;
    const run = new Run(bytes, resources, initial, this.#open, this.#eraser);
    const { tokens } = run;
    while (tokens.next()) {
      work.spend(OPERATOR_WORK);
      if (tokens.isDue) await work.rest();
      const { operator } = tokens;
      if (operator === "Tj" || operator === "TJ" || operator === "'" || operator === '"') await this.#show(run);
      else if (operator === "Tf" || operator === "gs") await this.#setFont(run);
      else if (PATH.has(operator)) run.addToPath();
      else if (operator === "Do") await this.#draw(run);
      else if (operator === "BI") await this.#inlineImage(run);
      else if (operator === "sh") this.#shade(run);
      else if (PAINTS.has(operator) || operator === "n") await this.#paint(run);
      else if (operator === "BMC" || operator === "BDC") this.#beginSpan(run);
      else if (operator === "EMC") {
        const span = run.spans.pop();
        if (span) this.#choice.endSpan(span);
      } else run.setState();
    }
    for (const span of run.spans) if (span) this.#choice.endSpan(span);
    return run.result();
  }

  async #setFont(run: Run): Promise<void> {
    const { tokens, resources, state } = run;
    let [font, size]: [PDFObject | undefined, number] = [undefined, 0];
    const name = tokens.name(0);
    if (name === undefined) return;
    if (tokens.operator === "Tf") [font, size] = [resources.get("Font", name), tokens.number(1) ?? 0];
    else {
      const parameters = resources.get("ExtGState", name);
      const [width, miter, dash] = [parameters.get("LW"), parameters.get("ML"), parameters.get("D")];
      if (width.isNumber()) run.state = { ...state, lineWidth: width.asNumber() };
      if (miter.isNumber()) run.state = { ...run.state, miterLimit: miter.asNumber() };
      if (dash.isArray()) run.state = { ...run.state, dash: dashOf(dash.get(0).toString(), dash.get(1).asNumber()) };
      const mask = parameters.get("SMask");
      if (!mask.isNull()) {
        const isMasked = mask.isDictionary();
        run.state = {
          ...run.state,
          mask: isMasked ? name : undefined,
          hides: { ...run.state.hides, mask: isMasked },
        };
      }
      const own = parameters.get("Font");
      if (!own.isArray()) return;
      [font, size] = [own.get(0), own.get(1).asNumber()];
    }
    run.state = { ...run.state, font: font.isDictionary() ? await this.#eraser.fonts.of(font) : undefined, size };
  }

  async #show(run: Run): Promise<void> {
    const { tokens, bytes } = run;
    const { operator } = tokens;
    const isSpaced = operator === '"';
    if (isSpaced) run.state = { ...run.state, wordSpace: tokens.number(0) ?? 0, characterSpace: tokens.number(1) ?? 0 };
    if (isSpaced || operator === "'") run.nextLine();
    const operand = tokens.operand(isSpaced ? 2 : 0);
    const font = run.state.font ?? NO_FONT;
    if (!operand) return;
    const shown = readShown(bytes.subarray(operand.start, operand.end));
    const strings = shown.flatMap((part) => (part.kind === "string" ? [part.value] : []));
    const ranges = (await this.#choice.inBytes?.(concat(strings))) ?? [];
    let from = 0;
    const isFound = (at: number): boolean => ranges.some(({ start, end }) => from + at >= start && from + at < end);
    if (font.prepare) for (const part of shown) if (part.kind === "string") await font.prepare(part.value);
    const array = new ShownArray();
    let isChanged = false;
    for (const part of shown) {
      if (part.kind === "adjustment") {
        run.moveAlong((-part.value / 1000) * run.state.size, font.vertical);
        array.adjust(part.value, part.written);
      } else {
        isChanged = this.#string(run, font, part, array, isFound) || isChanged;
        from += part.value.length;
      }
    }
    run.paints(array.isEmpty);
    const isPlain = operator === "Tj" || operator === "TJ";
    if (!isChanged && (isPlain || this.#choice.plainOperators !== true)) return;
    const spacing = isSpaced ? `${tokens.text(0)} Tw ${tokens.text(1)} Tc ` : "";
    const line = isPlain ? "" : "T* ";
    run.replace(tokens.start, tokens.end, `${spacing}${line}${array.toString()} TJ`);
  }

  /** Shows a string. Returns whether any of it goes. */
  #string(
    run: Run,
    font: FontMetrics,
    { value, written }: Shown & { kind: "string" },
    array: ShownArray,
    isFound: (at: number) => boolean,
  ): boolean {
    const { work } = this.#open.engine;
    const { state } = run;
    const { size } = state;
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
      const spacing = state.characterSpace + (bytes.length === 1 && bytes[0] === 0x20 ? state.wordSpace : 0);
      const moved = (advance / 1000) * size + spacing;
      if (this.#choice.code(run.place(this.#codes++, font, { advance, toOrigin })) || isInRange) {
        isChanged = true;
        keep();
        // Without a size, nothing that an adjustment could do moves the text.
        if (size !== 0) array.adjust(-((moved * 1000) / size));
      } else kept.push(bytes);
      run.moveAlong(moved, font.vertical);
    }
    if (isChanged) keep();
    else array.string(written);
    return isChanged;
  }

  async #paint(run: Run): Promise<void> {
    const { tokens } = run;
    const paint = PAINTS.get(tokens.operator);
    const placed = run.endPath(paint?.strokes === true);
    const becomes = placed && paint ? this.#becomes(placed, run.state, run.hides(paint)) : "stays";
    // A clipping path stays, but not its outline.
    const isCut = placed && (becomes === "is cut" || run.clips) && isCuttable(run.state.matrix);
    const cut = isCut ? await this.#cut(run, placed, becomes === "goes" ? undefined : paint) : undefined;
    const isGone = becomes === "goes" || cut === "too long" || cut?.paints === false;
    if (paint) run.paints(isGone);
    if (cut && cut !== "too long") run.replacePath(cut.content);
    else if (isGone) run.removePath();
    run.clearPath();
  }

  /** `hides`: whether what paints it may show more than a color or a gradient. */
  #becomes(placed: PlacedDrawing, { matrix, hides: { mask } }: State, hides: boolean): "stays" | "goes" | "is cut" {
    const { cutAt } = this.#choice;
    const becomes = this.#choice.drawing(placed);
    if (becomes !== "is cut" || !cutAt) return becomes;
    return isCuttable(matrix) && !(cutAt.uncut === "goes" && (hides || mask)) ? "is cut" : cutAt.uncut;
  }

  /** A path that is cut; undefined if nothing changes. `paint`: undefined if it only clips what follows. */
  async #cut(
    run: Run,
    { bounds, reach, distance }: PlacedPath,
    paint: PathPaint | undefined,
  ): Promise<{ readonly content: string; readonly paints: boolean } | "too long" | undefined> {
    const { cutAt } = this.#choice;
    if (!cutAt) return undefined;
    const { matrix, dash } = run.state;
    const path = {
      sources: run.pathSources(),
      operator: run.tokens.operator,
      paint: paint ?? {},
      clips: run.clips,
      bounds,
      box: reach,
      reach: distance,
      matrix,
      dash,
    };
    try {
      return await cutPath(this.#open.engine.work, path, cutAt);
    } catch (error) {
      if (!(error instanceof LongSubpath)) throw error;
      return cutAt.uncut === "goes" ? "too long" : undefined;
    }
  }

  #shade(run: Run): void {
    const { tokens, state, resources, own } = run;
    const name = tokens.name(0) ?? "";
    const shading = resources.get("Shading", name);
    const bounds = boxOf(shading.get("BBox"));
    const box = bounds ? common(boundsOf(transformed(corners(bounds), state.matrix)), state.clip) : state.clip;
    const becomes = box ? this.#becomes({ box, reach: box }, state, !isGradient(shading)) : "stays";
    const isGone = becomes === "goes";
    own.use("Shading", name, isGone);
    run.paints(isGone, { hasColors: true });
    if (isGone) run.replace(tokens.start, tokens.end, "");
    const { cutAt } = this.#choice;
    if (becomes !== "is cut" || !box || !cutAt) return;
    const clipping = clipAround(this.#open.engine.work, cutAt, box, state.matrix);
    if (clipping === "") return;
    run.replace(tokens.start, tokens.start, `q\n${clipping}\n`);
    run.replace(tokens.end, tokens.end, "\nQ");
  }

  async #inlineImage(run: Run): Promise<void> {
    const { tokens, bytes, resources, state } = run;
    const becomes = await this.#choice.image({
      object: () => inlineImage(this.#open, tokens, bytes, resources),
      matrix: state.matrix,
    });
    run.paints(becomes === "goes");
    if (becomes === "stays") return;
    run.replace(tokens.start, tokens.end, becomes === "goes" ? "" : `/${run.own.add("XObject", becomes)} Do`);
  }

  async #draw(run: Run): Promise<void> {
    const { tokens, resources, state, own } = run;
    const name = tokens.name(0);
    if (name === undefined) return;
    const object = resources.get("XObject", name);
    if (!object.isStream()) return;
    const becomes = isForm(object)
      ? await this.#form(object, resources, state)
      : await this.#choice.image({ object: () => object, matrix: state.matrix });
    own.use("XObject", name, becomes !== "stays");
    run.paints(becomes === "goes", { hasColors: !isForm(object) && !object.get("ImageMask").asBoolean() });
    if (becomes === "stays") return;
    run.replace(tokens.start, tokens.end, becomes === "goes" ? "" : `/${own.add("XObject", becomes)} Do`);
  }

  /** Draws a form (8.10). Where it changes, other content that draws it keeps it as it is. */
  async #form(form: PDFObject, outer: PDFObject, state: State): Promise<"stays" | PDFObject> {
    const { document, engine } = this.#open;
    const number = objectNumber(form);
    if (this.#drawing.has(number) || this.#drawing.size >= DEEPEST) return "stays";
    const content = await readStream(this.#open, form);
    if (!content) return "stays";
    const own = form.get("Resources");
    const matrix = multiply(matrixOf(form.get("Matrix")), state.matrix);
    const bounds = boxOf(form.get("BBox"));
    const box = bounds ? common(boundsOf(transformed(corners(bounds), matrix)), state.clip) : state.clip;
    this.#drawing.add(number);
    try {
      const inner = await this.#run(content, own.isDictionary() ? own : outer, {
        ...state,
        matrix,
        clip: box ?? NOWHERE,
        fill: undefined,
        stroke: undefined,
        mask: undefined,
      });
      if (!inner) return "stays";
      const dictionary = copyOf(this.#open, form);
      for (const key of ["Filter", "DecodeParms", "Length", "PieceInfo"]) dictionary.delete(key);
      dictionary.put("Resources", inner.resources);
      return document.addStream(inner.bytes, dictionary);
    } finally {
      this.#drawing.delete(number);
      await engine.work.pause();
    }
  }

  #beginSpan(run: Run): void {
    const { tokens, resources, bytes } = run;
    const texts = tokens.operator === "BDC" ? spanIn(tokens, bytes, resources) : undefined;
    if (!texts) {
      run.spans.push(undefined);
      return;
    }
    const span: ReplacementSpan = { id: this.#spans++, texts };
    run.spans.push(span);
    const becomes = this.#choice.beginSpan(span);
    if (becomes) run.replace(tokens.start, tokens.end, writeSpan(this.#open, tokens, bytes, run, becomes));
  }
}

/** One content stream: its state, and what changes in it. */
class Run {
  readonly bytes: Uint8Array;
  readonly tokens: ContentOperators;
  readonly resources: PDFObject;
  readonly own: OwnResources;
  readonly spans: (ReplacementSpan | undefined)[] = [];
  state: State;
  readonly #saved: State[] = [];
  #text: Matrix = IDENTITY;
  #line: Matrix = IDENTITY;
  readonly #edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  /** The path: corners of the rectangle around it, where its operators stand, and whether it becomes the clipping path. */
  #path: [number, number][] = [];
  #pathOperators: { start: number; end: number; clips: boolean }[] = [];
  #clips: "W" | "W*" | undefined;

  readonly #open: OpenPdf;
  /** How often each pattern and soft mask painted something that stays, or that goes. */
  readonly #painted = new Map<string, { kept: number; gone: number }>();

  constructor(bytes: Uint8Array, resources: PDFObject, state: State, open: OpenPdf, { replaced }: Eraser) {
    this.#open = open;
    this.bytes = bytes;
    this.tokens = new ContentOperators(bytes);
    this.resources = resources;
    this.own = new OwnResources(open, resources, replaced);
    this.state = state;
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  result(): { bytes: Uint8Array; resources: PDFObject } | undefined {
    if (this.#edits.length === 0) return undefined;
    this.#dropUnpainted();
    const parts: Uint8Array[] = [];
    let copied = 0;
    for (const { start, end, text } of this.#edits.toSorted((a, b) => a.start - b.start)) {
      parts.push(this.bytes.subarray(copied, start), bytesOf(text));
      copied = end;
    }
    parts.push(this.bytes.subarray(copied));
    return { bytes: concat(parts), resources: this.own.copy() };
  }

  /** Something is painted, and stays or goes. `hasColors`: it has its own, and does not use those of the state. */
  paints(isGone: boolean, { hasColors = false } = {}): void {
    const { fill, stroke, mask } = this.state;
    const keys = (hasColors ? [] : [fill, stroke])
      .map((name) => name && `Pattern/${name}`)
      .concat(mask && `ExtGState/${mask}`);
    for (const key of keys) {
      if (key === undefined) continue;
      const painted = this.#painted.get(key) ?? { kept: 0, gone: 0 };
      painted[isGone ? "gone" : "kept"]++;
      this.#painted.set(key, painted);
    }
  }

  /** Patterns and soft masks that painted only what goes are replaced by empty ones: operators still refer to them. */
  #dropUnpainted(): void {
    const { document } = this.#open;
    for (const [key, { kept, gone }] of this.#painted) {
      if (kept > 0 || gone === 0) continue;
      const name = key.slice(key.indexOf("/") + 1);
      if (key.startsWith("Pattern/")) {
        const [type, box] = [document.newName("Pattern"), [0, 0, 1, 1]];
        const pattern = { Type: type, PatternType: 1, PaintType: 1, TilingType: 1, BBox: box, XStep: 1, YStep: 1 };
        this.own.put("Pattern", name, document.addStream("", { ...pattern, Resources: {} }));
      } else {
        const parameters = copyOf(this.#open, this.resources.get("ExtGState", name));
        parameters.put("SMask", document.newName("None"));
        this.own.put("ExtGState", name, parameters);
      }
    }
  }

  /** The operators that only change the state. */
  setState(): void {
    const { tokens, state } = this;
    const number = (index: number): number => tokens.number(index) ?? 0;
    const matrix = (): Matrix => [number(0), number(1), number(2), number(3), number(4), number(5)];
    switch (tokens.operator) {
      case "q":
        this.#saved.push(state);
        break;
      case "Q":
        this.state = this.#saved.pop() ?? state;
        break;
      case "cm":
        this.state = { ...state, matrix: multiply(matrix(), state.matrix) };
        break;
      case "w":
        this.state = { ...state, lineWidth: number(0) };
        break;
      case "M":
        this.state = { ...state, miterLimit: number(0) };
        break;
      case "d":
        this.state = { ...state, dash: dashOf(tokens.text(0), number(1)) };
        break;
      case "BT":
        this.#line = this.#text = IDENTITY;
        break;
      case "Tc":
        this.state = { ...state, characterSpace: number(0) };
        break;
      case "Tw":
        this.state = { ...state, wordSpace: number(0) };
        break;
      case "Tz":
        this.state = { ...state, scale: number(0) / 100 };
        break;
      case "TL":
        this.state = { ...state, leading: number(0) };
        break;
      case "Tr":
        this.state = { ...state, mode: number(0) };
        break;
      case "Ts":
        this.state = { ...state, rise: number(0) };
        break;
      case "TD":
        this.state = { ...state, leading: -number(1) };
        this.#moveLine(number(0), number(1));
        break;
      case "Td":
        this.#moveLine(number(0), number(1));
        break;
      case "Tm":
        this.#line = this.#text = matrix();
        break;
      case "T*":
        this.nextLine();
        break;
      case "scn":
      case "sc":
      case "g":
      case "rg":
      case "k":
      case "cs":
        this.#setColor("fill", tokens.operator === "scn" ? tokens.name(tokens.count - 1) : undefined);
        break;
      case "SCN":
      case "SC":
      case "G":
      case "RG":
      case "K":
      case "CS":
        this.#setColor("stroke", tokens.operator === "SCN" ? tokens.name(tokens.count - 1) : undefined);
        break;
      case "W":
      case "W*":
        this.#clips = tokens.operator;
        this.#pathOperators.push({ start: tokens.start, end: tokens.end, clips: true });
        break;
    }
  }

  /** Sets what fills or strokes: a pattern by its name, or a color. */
  #setColor(paint: "fill" | "stroke", pattern: string | undefined): void {
    const { state, resources } = this;
    const found = pattern === undefined ? undefined : resources.get("Pattern", pattern);
    const hides = found !== undefined && !isGradient(found.get("Shading"));
    this.state = { ...state, [paint]: pattern, hides: { ...state.hides, [paint]: hides } };
  }

  nextLine(): void {
    this.#moveLine(0, -this.state.leading);
  }

  #moveLine(x: number, y: number): void {
    this.#line = this.#text = multiply([1, 0, 0, 1, x, y], this.#line);
  }

  /** Moves the text that follows by a distance in units of text space, without horizontal scaling. */
  moveAlong(distance: number, vertical: boolean): void {
    const [x, y] = vertical ? [0, distance] : [distance * this.state.scale, 0];
    this.#text = multiply([1, 0, 0, 1, x, y], this.#text);
  }

  place(
    id: number,
    { vertical, reach }: FontMetrics,
    { advance, toOrigin }: { readonly advance: number; readonly toOrigin: readonly [number, number] },
  ): PlacedCode {
    const { size, scale, rise, mode } = this.state;
    const matrix = multiply(this.#text, this.state.matrix);
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

  addToPath(): void {
    const { tokens, state } = this;
    const numbers = tokens.numbers();
    if (tokens.operator === "re") {
      const [x = 0, y = 0, width = 0, height = 0] = numbers;
      this.#path.push(...boxCorners([x, y, x + width, y + height], state.matrix));
    } else {
      for (let at = 0; at + 1 < numbers.length; at += 2)
        this.#path.push(apply(state.matrix, numbers[at] ?? 0, numbers[at + 1] ?? 0));
    }
    if (this.#path.length > MOST_POINTS) this.#path = boxCorners(boundsOf(this.#path), IDENTITY);
    const last = this.#pathOperators.at(-1);
    if (last && !last.clips && isBlank(this.bytes, last.end, tokens.start)) last.end = tokens.end;
    else this.#pathOperators.push({ start: tokens.start, end: tokens.end, clips: false });
  }

  /** What of the page the path paints. */
  endPath(strokes: boolean): PlacedPath | undefined {
    if (this.#path.length === 0) return undefined;
    const { matrix, lineWidth, miterLimit, clip } = this.state;
    const scale = Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]));
    const bounds = boundsOf(this.#path);
    const [left, bottom, right, top] = bounds;
    // A line without a width is as wide as a pixel.
    const around = (more: number): PageBox | undefined =>
      common([left - more - HAIR, bottom - more - HAIR, right + more + HAIR, top + more + HAIR], clip);
    const distance = strokes ? (lineWidth * normOf(matrix) * Math.max(miterLimit, Math.SQRT2)) / 2 + HAIR : HAIR;
    const [box, reach] = [around(strokes ? (lineWidth * scale) / 2 : 0), around(distance)];
    return box && reach && { bounds, box, reach, distance };
  }

  /** Whether what paints a path may show more than a color or a gradient. */
  hides({ fill, strokes }: PathPaint): boolean {
    const { hides } = this.state;
    return (fill !== undefined && hides.fill) || (strokes === true && hides.stroke);
  }

  get clips(): "W" | "W*" | undefined {
    return this.#clips;
  }

  /** The operators that construct the path, without those that make it a clipping path. */
  pathSources(): Uint8Array[] {
    return this.#pathOperators.flatMap(({ start, end, clips }) => (clips ? [] : [this.bytes.subarray(start, end)]));
  }

  /** Puts content in the place of the path that was just painted. */
  replacePath(content: string): void {
    const { tokens } = this;
    for (const { start, end } of this.#pathOperators) this.replace(start, end, "");
    this.replace(tokens.start, tokens.end, content);
  }

  /** Takes the path that was just painted out of the content. Where it clips what follows, only its paint goes. */
  removePath(): void {
    const { tokens } = this;
    if (this.#clips) {
      this.replace(tokens.start, tokens.end, "n");
      return;
    }
    this.replacePath("");
  }

  clearPath(): void {
    if (this.#clips) {
      const box = this.#path.length > 0 ? boundsOf(this.#path) : undefined;
      this.state = { ...this.state, clip: (box && common(box, this.state.clip)) ?? NOWHERE };
    }
    this.#path = [];
    this.#pathOperators = [];
    this.#clips = undefined;
  }
}

const MOST_POINTS = 1000;

/** What a line without a width has, and what things may have in common that only adjoin, in units of the page. */
const HAIR = 1e-3;

const isGradient = (shading: PDFObject): boolean => GRADIENTS.has(shading.get("ShadingType").asNumber());

/** A dash pattern as it is written. An array without lengths has no dashes. */
const dashOf = (array: string, phase: number): Dash | undefined => (/[1-9]/.test(array) ? { array, phase } : undefined);

const boxCorners = (box: PageBox, matrix: Matrix): [number, number][] =>
  corners(box).map(([x, y]) => apply(matrix, x, y));

/** Whether there is nothing but white space between two operators. */
function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!WHITE.has(bytes[at] ?? 0)) return false;
  return true;
}

const WHITE = new Set([0, 9, 10, 12, 13, 32]);

function matrixOf(array: PDFObject): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = items(array).map((item) => item.asNumber());
  return [a, b, c, d, e, f];
}
