/** Converts the colors of a content stream to gray (ISO 32000-2, 8.6.8). */
import type { PDFObject } from "mupdf";
import type { Work } from "../../work.ts";
import { ContentWriter } from "../content/content-writer.ts";
import { setsStroke } from "../content/operator-table.ts";
import type { Paint } from "../content/graphics-state.ts";
import type { ContentOperators } from "../content/operators.ts";
import { process, type Visitor } from "../content/processor.ts";
import { type GrayColors, grayText, isGraySpace } from "./colors.ts";
import { grayOfDevice } from "../objects/color-space.ts";
import { latin1, bytesOf } from "../../../bytes/latin1.ts";

/** The treatment of the colors of a space: they stay, turn gray, or are patterns, possibly over colors of a space. `text` selects the replacement. */
type Space =
  | { readonly kind: "stays" }
  | { readonly kind: "turned" | "pattern"; readonly space: PDFObject; readonly text: string };

const STAYS: Space = { kind: "stays" };

/** Color spaces that are remembered. Content that uses more reads them again. */
const MOST_SPACES = 1_000;

export interface GrayNames {
  readonly resources: PDFObject;
  /** The resource name of patterns over gray; created on first use. */
  patternOverGray(): string;
}

/** The content with gray colors; undefined if nothing changes. */
export async function grayContent(
  bytes: Uint8Array,
  colors: GrayColors,
  names: GrayNames,
  work: Work,
): Promise<Uint8Array | undefined> {
  const writer = new ContentWriter(bytes);
  const known = new Map<string, Space>();
  const visitor: Visitor = {
    keeps: ["color"],
    color: ({ operators, state }) => {
      const isStroke = setsStroke(operators.operator);
      const text = replacement(operators, isStroke ? state.stroke : state.fill, isStroke ? "G" : "g");
      if (text !== undefined) writer.replace(operators.start, operators.end, text);
    },
  };
  await process(bytes, visitor, work);
  return writer.result();

  /** The replacement of an operator that sets a color. */
  function replacement(operators: ContentOperators, { space: name }: Paint, gray: string): string | undefined {
    const { operator } = operators;
    switch (operator) {
      case "g":
      case "G":
        return undefined;
      case "rg":
      case "RG":
      case "k":
      case "K":
        return `${grayText(grayOfDevice(operators.numbers()))} ${gray}`;
      default: {
        const space = spaceOf(name);
        if (space.kind === "stays") return undefined;
        const isPattern = space.kind === "pattern";
        if (operator === "cs" || operator === "CS") return `${space.text} ${isPattern ? operator : gray}`;
        const values = operators.numbers();
        if (values.length === 0) return undefined;
        const value = grayText(colors.of(space.space, values));
        return isPattern ? `${value} ${operators.text(operators.count - 1)} ${operator}` : `${value} ${gray}`;
      }
    }
  }

  function spaceOf(name: string): Space {
    const before = known.get(name);
    if (before) return before;
    if (known.size >= MOST_SPACES) known.clear();
    const space = readSpace(name);
    known.set(name, space);
    return space;
  }

  function readSpace(name: string): Space {
    if (name === "Pattern" || name === "DeviceGray" || name === "G") return STAYS;
    if (/^(Device)?(RGB|CMYK)$/.test(name)) {
      return { kind: "turned", space: names.resources._doc.newName(name), text: "0" };
    }
    const space = names.resources.get("ColorSpace", name);
    if (space.isArray() && space.get(0).isName() && space.get(0).asName() === "Pattern") {
      const under = space.get(1);
      if (under.isNull() || isGraySpace(under)) return STAYS;
      return { kind: "pattern", space: under, text: `/${names.patternOverGray()}` };
    }
    if (space.isNull() || isGraySpace(space) || (space.isName() && space.asName() === "Pattern")) return STAYS;
    return { kind: "turned", space, text: grayText(colors.initial(space)) };
  }
}

/** Converts the color in a default appearance string (12.7.4.3), such as `/Helv 12 Tf 1 0 0 rg`. */
export async function grayAppearance(
  text: string,
  colors: GrayColors,
  names: GrayNames,
  work: Work,
): Promise<string | undefined> {
  const changed = await grayContent(bytesOf(text), colors, names, work);
  return changed && latin1(changed);
}
