/** Draws the fields of a form to match their values (ISO 32000-2, 12.7.4.3). */
import type { PDFObject } from "mupdf";
import { Refusal } from "../../errors.ts";
import type { OwnColors } from "../conformance/own-colors.ts";
import type { LoadFont } from "../../fonts.ts";
import type { OpenPdf } from "../document/document.ts";
import { defaultAppearance, putAppearance } from "./appearance.ts";
import { drawPresent } from "./buttons.ts";
import { layOutList } from "./choice.ts";
import { FieldFonts } from "./field-fonts.ts";
import { readAppearanceCharacteristics } from "./appearance-characteristics.ts";
import { buttonsOf, type FormTexts } from "./options.ts";
import { maxLengthOf } from "./schema.ts";
import { layOutText } from "./text.ts";
import { appearanceOf } from "../content/streams.ts";
import { isWidget } from "../document/fields.ts";
import type { TerminalField } from "./tree.ts";
import type { FieldValue } from "./values.ts";
import { items } from "../objects/objects.ts";

/** Fuel for laying out a widget, in addition to MuPDF's own. */
const WIDGET_WORK = 2_000;

/** The `TP` of push buttons without a caption. */
const ICON_ONLY = 1;

export class FieldDrawer {
  readonly faces: FieldFonts;
  readonly #open: OpenPdf;
  readonly #texts: FormTexts;

  readonly #colors: OwnColors;

  constructor(open: OpenPdf, loadFont: LoadFont, texts: FormTexts, colors: OwnColors) {
    this.faces = new FieldFonts(open, loadFont, { embedsAll: colors.isArchival });
    this.#colors = colors;
    this.#open = open;
    this.#texts = texts;
  }

  /** Draws the widgets of a field, or those for which `which` returns true. */
  async draw(
    node: TerminalField,
    value: FieldValue,
    which: (widget: PDFObject) => boolean = () => true,
  ): Promise<void> {
    if (value.kind === "button") return;
    for (const widget of node.widgets) {
      await this.#pause();
      if (!isWidget(widget) || !which(widget)) continue;
      if (value.kind === "choice" && node.type === "list") await this.#drawList(node, widget, value.values);
      else await this.#drawText(node, widget, this.#shown(node, value).normalize("NFC"));
    }
  }

  /**
   * Redraws a field with its current value, either completely or only widgets without an appearance. A field with characters
   * that no font has keeps its look.
   * @param mustShow whether it is an error if a widget is left without an appearance, because nothing else will show the value
   * @throws Refusal `unsupported_text`
   */
  async redraw(node: TerminalField, what: "whole" | "lacking", mustShow: boolean): Promise<void> {
    if (node.type === "checkbox" || node.type === "radio") {
      const buttons = buttonsOf(node, this.#open.engine, this.#texts);
      const lacking = buttons.filter(({ widget, drawn }) => !drawn && isWidget(widget));
      for (const button of lacking) {
        await this.#pause();
        drawPresent(this.#open, node, button, this.#texts.name(node.own.V));
      }
      return;
    }
    if (node.type === "signature") return;
    const isLacking = (widget: PDFObject): boolean => appearanceOf(widget) === undefined;
    try {
      if (node.type === "button") await this.#drawPushButtons(node, isLacking);
      else await this.draw(node, this.#present(node), (widget) => what === "whole" || isLacking(widget));
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "unsupported_text") throw error;
      if (mustShow && node.widgets.some(isLacking)) throw error;
    }
  }

  /** Push buttons have no value, but a caption (table 192). */
  async #drawPushButtons(node: TerminalField, which: (widget: PDFObject) => boolean): Promise<void> {
    for (const widget of node.widgets) {
      await this.#pause();
      if (!isWidget(widget) || !which(widget)) continue;
      const isCaptioned = widget.get("MK", "TP").asNumber() !== ICON_ONLY;
      const caption = (isCaptioned && this.#texts.text(widget.get("MK", "CA"))) || "";
      await this.#drawText(node, widget, caption.replace(/\p{Cc}+/gu, " ").normalize("NFC"));
    }
  }

  /** A form can have thousands of widgets. */
  async #pause(): Promise<void> {
    const { work } = this.#open.engine;
    work.spend(WIDGET_WORK);
    await work.pause();
  }

  #present(node: TerminalField): FieldValue {
    const value = node.own.V;
    const read = (object: PDFObject): string | undefined =>
      this.#texts.textOrStream(object) ?? this.#texts.name(object);
    if (node.type === "text") {
      const text = (read(value) ?? "").replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "");
      return { kind: "text", text: node.has("multiline") ? text : text.replaceAll("\n", " ") };
    }
    const values = (value.isArray() ? items(value) : [value]).flatMap((item) => read(item) ?? []);
    return { kind: "choice", options: this.#texts.optionsOf(node), values };
  }

  #shown(node: TerminalField, value: Exclude<FieldValue, { kind: "button" }>): string {
    if (value.kind === "text") {
      const text = value.text ?? "";
      return node.has("password") ? "*".repeat(Array.from(text).length) : text;
    }
    const [first = ""] = value.values;
    const label = value.options.list[value.options.placeOf(first)]?.label ?? first;
    return label.replace(/\p{Cc}/gu, " ");
  }

  async #drawText(node: TerminalField, widget: PDFObject, text: string): Promise<void> {
    const look = readAppearanceCharacteristics(widget);
    if (!look) return;
    const appearance = defaultAppearance(this.#open, node, widget);
    const isText = node.type === "text";
    const cells = isText && isComb(node) ? (maxLengthOf(node) ?? undefined) : undefined;
    const draw = await layOutText(this.faces.faceFor(text.replaceAll("\t", " "), appearance.font), text, {
      width: look.width,
      height: look.height,
      inset: look.inset,
      size: appearance.size,
      align: this.#alignmentOf(node, widget),
      multiline: isText && node.has("multiline"),
      cells,
    });
    const withColor: typeof draw = (name) => {
      const operators = draw(name);
      return operators === "" ? "" : `${appearance.color} ${operators}`;
    };
    putAppearance(this.#open, widget, look, withColor, { colors: this.#colors, cells });
  }

  async #drawList(node: TerminalField, widget: PDFObject, values: readonly string[]): Promise<void> {
    const look = readAppearanceCharacteristics(widget);
    if (!look) return;
    const options = this.#texts.optionsOf(node);
    const appearance = defaultAppearance(this.#open, node, widget);
    const before = node.objects[0]?.get("TI").asNumber() ?? 0;
    const { top, draw } = await layOutList(this.faces, options, values, look, appearance, before);
    if (top !== before) for (const object of node.objects) object.put("TI", top);
    putAppearance(this.#open, widget, look, draw, { colors: this.#colors });
  }

  #alignmentOf(node: TerminalField, widget: PDFObject): "left" | "center" | "right" {
    if (node.type === "button") return "center";
    const form = this.#open.document.getTrailer().get("Root", "AcroForm", "Q");
    const quadding = [widget.get("Q"), node.own.Q, form].find((object) => object.isNumber());
    return (["left", "center", "right"] as const)[quadding?.asNumber() ?? 0] ?? "left";
  }
}

/** Comb applies only to single-line fields that are neither passwords nor file paths (table 231). */
const isComb = (node: TerminalField): boolean =>
  node.has("comb") && !node.has("multiline") && !node.has("password") && !node.has("fileSelect");
