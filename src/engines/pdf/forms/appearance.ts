/** The appearance streams of widgets (ISO 32000-2, 12.7.4.3), with which viewers show the value of a field. */
import type { OwnColors } from "../conformance/own-colors.ts";
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import type { AppearanceCharacteristics } from "./appearance-characteristics.ts";
import type { TerminalField } from "./tree.ts";
import { entries, items } from "../objects/objects.ts";
import { latin1, bytesOf } from "../../../bytes/latin1.ts";
import { ContentOperators } from "../content/operators.ts";
import { type NameResource, numbers } from "../content/operands.ts";

/** The default appearance of a field's text (12.7.4.3). */
export interface DefaultAppearance {
  /** The font it names, if the form has it. */
  readonly font: PDFObject | undefined;
  /** Points. 0 means automatic. */
  readonly size: number;
  /** An operator that sets the color. */
  readonly color: string;
}

const COLOR_OPERANDS: ReadonlyMap<string, number> = new Map(Object.entries({ g: 1, rg: 3, k: 4 }));

/** Reads the default appearance of a widget: its own, the field's, or the form's. */
export function defaultAppearance({ document }: OpenPdf, node: TerminalField, widget: PDFObject): DefaultAppearance {
  const form = document.getTrailer().get("Root", "AcroForm");
  const text = [widget.get("DA"), node.own.DA, form.get("DA")].find((object) => object.isString());
  const operators = new ContentOperators(text ? Uint8Array.from(text.asByteString()) : new Uint8Array());
  let [font, size, color]: [PDFObject | undefined, number, string] = [undefined, 0, "0 g"];
  while (operators.next()) {
    const { operator, count } = operators;
    if (operator === "Tf") {
      const name = operators.name(count - 2) ?? "";
      size = operators.number(count - 1) ?? 0;
      font = name === "" ? undefined : fontNamed(form, widget, name);
    }
    const components = COLOR_OPERANDS.get(operator);
    if (components === undefined) continue;
    const values = operators.numbers().slice(-components);
    if (values.length === components) color = `${numbers(...values)} ${operator}`;
  }
  return { font, size: size > 0 && size < 1000 ? size : 0, color };
}

function fontNamed(form: PDFObject, widget: PDFObject, name: string): PDFObject | undefined {
  const places = [form.get("DR", "Font"), widget.get("AP", "N", "Resources", "Font")];
  return places.map((fonts) => fonts.get(name)).find((font) => font.isDictionary());
}

/** Longest appearance in bytes that is kept around a new value. A longer one is redrawn. */
const LONGEST_KEPT = 64 * 1024;

/** The content of an appearance before and after the value. */
interface Surroundings {
  readonly before: string;
  readonly after: string;
  readonly resources: PDFObject;
}

/**
 * Gives a widget the appearance of a value. Keeps the parts of the present appearance around the value, and redraws an appearance that does not mark
 * the value. `draw` returns ASCII operators for the upright box.
 */
export function putAppearance(
  open: OpenPdf,
  widget: PDFObject,
  look: AppearanceCharacteristics,
  draw: (name: NameResource) => string,
  { colors, cells }: { readonly colors: OwnColors; readonly cells?: number | undefined },
): void {
  const kept = surroundingsOf(open, widget, look);
  const frame = `${look.frame()} ${cells === undefined ? "" : look.cells(cells)}`.trim();
  const { before, after } = kept ?? { before: frame, after: "" };
  const { resources, name } = resourcesLike(open, kept?.resources);
  colors.define(resources);
  const { border, width, height } = look;
  const clip = `${numbers(border, border, width - 2 * border, height - 2 * border)} re W n`;
  const content = draw(name);
  const value = content === "" ? "/Tx BMC EMC" : `/Tx BMC q ${clip} ${content} Q EMC`;
  const stream = open.document.addStream(bytesOf(`${before}\n${value}\n${after}`.trim()), {
    ...formEntries(look),
    Resources: resources,
  });
  appearancesOf(open, widget).put("N", stream);
}

export const formEntries = ({ width, height, matrix }: AppearanceCharacteristics): Record<string, unknown> => ({
  Type: "XObject",
  Subtype: "Form",
  BBox: [0, 0, width, height],
  ...(matrix.join() === "1,0,0,1,0,0" ? {} : { Matrix: [...matrix] }),
});

/** The widget's appearance dictionary, without rollover and down appearances, which would show the old value. */
export function appearancesOf({ document }: OpenPdf, widget: PDFObject): PDFObject {
  const known = widget.get("AP");
  // A copy, since widgets may share one.
  const made = document.newDictionary();
  if (known.isDictionary() && known.get("N").isDictionary()) made.put("N", known.get("N"));
  widget.put("AP", made);
  return widget.get("AP");
}

function surroundingsOf(
  { engine }: OpenPdf,
  widget: PDFObject,
  look: AppearanceCharacteristics,
): Surroundings | undefined {
  const stream = widget.get("AP", "N");
  if (!stream.isStream() || !isLike(stream, look)) return undefined;
  let content: Uint8Array;
  try {
    const buffer = stream.readStream();
    const bytes = buffer.asUint8Array();
    content = bytes.length > LONGEST_KEPT ? new Uint8Array() : bytes.slice();
    engine.countDecoded(bytes.length);
    buffer.destroy();
  } catch (error) {
    if (engine.isFailure(error)) return undefined;
    throw error;
  }
  const operators = new ContentOperators(content);
  let [start, end]: [number | undefined, number | undefined] = [undefined, undefined];
  let saved = 0;
  while (operators.next()) {
    const { operator, count, entry } = operators;
    if (start === undefined && entry.family === "save") saved += 1;
    if (start === undefined && entry.family === "restore") saved -= 1;
    if (operator === "BMC" && operators.name(count - 1) === "Tx") start ??= operators.operand(count - 1)?.start;
    if (operator === "EMC" && start !== undefined) ({ end } = operators);
  }
  // Anything opened before the value and closed after it would be broken apart.
  if (start === undefined || end === undefined || saved !== 0) return undefined;
  const [before, after] = [latin1(content.subarray(0, start)).trim(), latin1(content.subarray(end)).trim()];
  return { before, after, resources: stream.get("Resources") };
}

/** Whether an appearance is drawn in a box like the widget's. */
function isLike(stream: PDFObject, { width, height, matrix }: AppearanceCharacteristics): boolean {
  const box = items(stream.get("BBox")).map((item) => item.asNumber());
  const own = items(stream.get("Matrix")).map((item) => item.asNumber());
  const like = (one: readonly number[], other: readonly number[]): boolean =>
    one.length === other.length && one.every((value, index) => Math.abs(value - (other[index] ?? 0)) < 0.5);
  return like(box, [0, 0, width, height]) && like(own.length === 0 ? [1, 0, 0, 1, 0, 0] : own, matrix);
}

/** A copy of a resource dictionary, and a function that adds to it. */
function resourcesLike(
  { document, engine }: OpenPdf,
  known: PDFObject | undefined,
): { resources: PDFObject; name: NameResource } {
  const resources = document.newDictionary();
  const copy = (from: PDFObject, to: PDFObject): void => {
    for (const { key, value } of entries(engine, from)) to.put(key, value);
  };
  if (known) copy(known, resources);
  const own = new Set<string>();
  const name: NameResource = (category, object) => {
    if (!own.has(category)) {
      const copied = document.newDictionary();
      copy(resources.get(category), copied);
      resources.put(category, copied);
      own.add(category);
    }
    const named = resources.get(category);
    for (let number = 1; ; number++) {
      const free = `Value${number}`;
      const there = named.get(free);
      if (there.isNull()) named.put(free, object);
      else if (!there.isIndirect() || there.asIndirect() !== object.asIndirect()) continue;
      return free;
    }
  };
  return { resources, name };
}
