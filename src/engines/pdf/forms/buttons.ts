/**
 * Check boxes and radio buttons: the states of their widgets, and appearances for widgets without (ISO 32000-2, 12.7.5.2).
 */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { appearancesOf, defaultAppearance, formEntries } from "./appearance.ts";
import { readAppearanceCharacteristics, type AppearanceCharacteristics } from "./appearance-characteristics.ts";
import type { Button, State } from "./options.ts";
import type { TerminalField } from "./tree.ts";
import type { FieldValue } from "./values.ts";
import { numbers } from "../content/operands.ts";

type ButtonValue = Extract<FieldValue, { kind: "button" }>;

/** ZapfDingbats characters for buttons, with their widths and vertical centers in thousandths of the font size. */
const MARKS: ReadonlyMap<string, readonly [width: number, middle: number]> = new Map([
  ["4", [755, 349]],
  ["8", [760, 346]],
  ["l", [791, 346]],
  ["n", [761, 346]],
  ["u", [788, 346]],
  ["H", [816, 351]],
]);

/** Switches a check box or radio group to a state. */
export function switchButtons(open: OpenPdf, node: TerminalField, { buttons, state }: ButtonValue): void {
  for (const object of node.objects) object.put("V", nameOf(open, state));
  for (const { widget, states, drawn } of buttons) {
    if (!drawn) drawButton(open, node, widget, states[0]);
    widget.put("AS", nameOf(open, state && states.find(({ name }) => name === state.name)));
  }
}

const nameOf = ({ document }: OpenPdf, state: State | undefined): PDFObject =>
  state?.key ?? document.newName(state?.name ?? "Off");

/** Gives a button without appearances those that show its present state. */
export function drawPresent(
  open: OpenPdf,
  node: TerminalField,
  { widget, states }: Button,
  current: string | undefined,
): void {
  drawButton(open, node, widget, states[0]);
  if (!widget.get("AS").isName()) {
    widget.put(
      "AS",
      nameOf(
        open,
        states.find(({ name }) => name === current),
      ),
    );
  }
}

/** Gives a button appearances for a state and for `Off`. */
function drawButton(open: OpenPdf, node: TerminalField, widget: PDFObject, state: State | undefined): void {
  const { document } = open;
  const look = readAppearanceCharacteristics(widget);
  if (!look) return;
  const { size, color } = defaultAppearance(open, node, widget);
  const given = widget.get("MK", "CA").isString() ? widget.get("MK", "CA").asString() : "";
  const mark = MARKS.has(given) ? given : node.type === "radio" ? "l" : "4";
  const fonts = { ZaDb: document.addObject({ Type: "Font", Subtype: "Type1", BaseFont: "ZapfDingbats" }) };
  const form = (operators: string, resources: Record<string, unknown>): PDFObject =>
    document.addStream(operators, { ...formEntries(look), Resources: resources });
  const frame = look.frame();
  const states = document.newDictionary();
  states.put(nameOf(open, state), form(`${frame}\n${markAt(look, mark, size, color)}`.trim(), { Font: fonts }));
  states.put("Off", form(frame, {}));
  appearancesOf(open, widget).put("N", states);
}

function markAt(
  { width, height, inset }: AppearanceCharacteristics,
  mark: string,
  wanted: number,
  color: string,
): string {
  const [advance, middle] = MARKS.get(mark) ?? [0, 0];
  const room = Math.max(Math.min(width, height) - 2 * inset, 1);
  const size = wanted > 0 ? wanted : room * (mark === "l" || mark === "n" ? 0.9 : 1.05);
  const x = width / 2 - (advance * size) / 2000;
  const y = height / 2 - (middle * size) / 1000;
  return `q ${color} BT /ZaDb ${numbers(size)} Tf ${numbers(x, y)} Td (${mark}) Tj ET Q`;
}
