/** Fills in a form (ISO 32000-2, 12.7): writes values, and the appearances that show them. */
import type { PDFObject } from "mupdf";
import type { LoadFont } from "../../fonts.ts";
import { OwnColors } from "../conformance/own-colors.ts";
import type { OpenPdf } from "../document/document.ts";
import { switchButtons } from "./buttons.ts";
import { FieldDrawer } from "./draw.ts";
import type { Filling } from "./resolve-values.ts";
import type { TerminalField } from "./tree.ts";
import type { FieldValue } from "./values.ts";
import { objectNumber } from "../objects/objects.ts";
import { textString } from "../objects/text-string.ts";

/**
 * Writes the values and draws them. A form that leaves drawing to its viewer is drawn completely; a form about to be
 * flattened, where it has no appearances, since some viewers generate them. Removes XFA, which would show the old values.
 * @throws Refusal `unsupported_text`, `limit_exceeded`
 */
export async function fillForm(open: OpenPdf, loadFont: LoadFont, filling: Filling, flatten: boolean): Promise<void> {
  const root = open.document.getTrailer().get("Root");
  const form = root.get("AcroForm");
  const drawer = new FieldDrawer(open, loadFont, filling.texts, await OwnColors.of(open));
  const given = new Set(filling.fields.map(({ node }) => node));
  for (const { node, value } of filling.fields) {
    await writeValue(open, node, value);
    await drawer.draw(node, value);
  }
  const asked = form.get("NeedAppearances").asBoolean();
  for (const node of asked || flatten ? filling.nodes : []) {
    if (!given.has(node)) await drawer.redraw(node, asked ? "whole" : "lacking", flatten);
  }
  await drawer.faces.write();
  for (const key of ["NeedAppearances", "XFA"]) if (!form.get(key).isNull()) form.delete(key);
  // Usage rights are a signature for a viewer that is invalid once the file changes (12.8.2.3).
  for (const key of ["UR", "UR3"]) if (!root.get("Perms", key).isNull()) root.get("Perms").delete(key);
  if (!root.get("NeedsRendering").isNull()) root.delete("NeedsRendering");
}

/** Fuel per value written. */
const VALUE_WORK = 100;

async function writeValue(open: OpenPdf, node: TerminalField, value: FieldValue): Promise<void> {
  const { work } = open.engine;
  if (value.kind === "button") {
    switchButtons(open, node, value);
    return;
  }
  for (const object of node.objects) {
    work.spend(value.kind === "choice" ? VALUE_WORK * (1 + value.values.length) : VALUE_WORK);
    await work.pause();
    const text = (string: string): PDFObject => textString(object, string);
    if (value.kind === "text") {
      if (value.text === null) object.delete("V");
      else object.put("V", text(value.text));
      // Rich text would be shown instead of the value.
      object.delete("RV");
      continue;
    }
    const { options, values } = value;
    const [first] = values;
    if (first === undefined) object.delete("V");
    else if (values.length === 1) object.put("V", text(first));
    else object.put("V", values.map(text));
    const indices = values.map((one) => options.placeOf(one));
    if (node.type === "list" && values.length > 0)
      object.put(
        "I",
        indices.toSorted((a, b) => a - b),
      );
    else object.delete("I");
  }
  // Some viewers would prefer a widget's own value.
  const fields = new Set(node.objects.map(objectNumber));
  for (const widget of node.widgets) {
    work.spend(VALUE_WORK);
    await work.pause();
    if (!fields.has(objectNumber(widget))) for (const key of ["V", "I", "RV"]) widget.delete(key);
  }
}
