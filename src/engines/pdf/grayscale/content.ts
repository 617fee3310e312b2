/** The colours of a content stream turned grey (ISO 32000-2, 8.6.8). */
import type { PDFObject } from "mupdf";
import { ContentOperators } from "../content/operators.ts";
import { type GreyColours, greyText, isGreySpace } from "./colors.ts";
import { greyOfDevice } from "../objects/color-space.ts";
import { latin1, bytesOf } from "../../bytes/latin1.ts";
import { concat } from "../../bytes/concat.ts";

/** A current colour space: one that stays, one whose colours are turned, or patterns, perhaps with colours under them. */
type Space = { readonly kind: "stays" } | { readonly kind: "turned" | "pattern"; readonly space: PDFObject };

const STAYS: Space = { kind: "stays" };

export interface GreyNames {
  readonly resources: PDFObject;
  /** The name, in the resources, of patterns over grey; made when it is first asked for. */
  patternOverGrey(): string;
}

/** The content with grey colours; undefined where nothing is to change. */
export function greyContent(bytes: Uint8Array, colours: GreyColours, names: GreyNames): Uint8Array | undefined {
  const pieces: Uint8Array[] = [];
  let copied = 0;
  const tokens = new ContentOperators(bytes);
  const replace = (text: string): void => {
    pieces.push(bytes.slice(copied, tokens.start), bytesOf(text));
    copied = tokens.end;
  };
  let [fill, stroke]: [Space, Space] = [STAYS, STAYS];
  const stack: [Space, Space][] = [];
  while (tokens.next()) {
    const { operator } = tokens;
    const strokes = operator < "a";
    const grey = strokes ? "G" : "g";
    const set = (space: Space): void => void (strokes ? (stroke = space) : (fill = space));
    switch (operator) {
      case "q":
        stack.push([fill, stroke]);
        break;
      case "Q":
        [fill, stroke] = stack.pop() ?? [fill, stroke];
        break;
      case "g":
      case "G":
        set(STAYS);
        break;
      case "rg":
      case "RG":
      case "k":
      case "K":
        set(STAYS);
        replace(`${greyText(greyOfDevice(tokens.numbers()))} ${grey}`);
        break;
      case "cs":
      case "CS": {
        const { space, text } = chosen(tokens.name(0) ?? "", operator, grey);
        set(space);
        if (text !== undefined) replace(text);
        break;
      }
      case "sc":
      case "scn":
      case "SC":
      case "SCN": {
        const space = strokes ? stroke : fill;
        if (space.kind === "stays") break;
        const values = tokens.numbers();
        if (values.length === 0) break;
        const value = greyText(colours.of(space.space, values));
        const pattern = tokens.text(tokens.count - 1);
        replace(space.kind === "pattern" ? `${value} ${pattern} ${operator}` : `${value} ${grey}`);
        break;
      }
      default:
    }
  }
  if (pieces.length === 0) return undefined;
  pieces.push(bytes.slice(copied));
  return concat(pieces);

  /** What becomes of a colour space that is chosen, and what stands in its place. */
  function chosen(name: string, operator: string, grey: string): { space: Space; text?: string } {
    if (name === "Pattern" || name === "DeviceGray" || name === "G") return { space: STAYS };
    if (/^(Device)?(RGB|CMYK)$/.test(name)) {
      const device = names.resources._doc.newName(name);
      return { space: { kind: "turned", space: device }, text: `0 ${grey}` };
    }
    const space = names.resources.get("ColorSpace", name);
    if (space.isArray() && space.get(0).isName() && space.get(0).asName() === "Pattern") {
      const under = space.get(1);
      if (under.isNull() || isGreySpace(under)) return { space: STAYS };
      return { space: { kind: "pattern", space: under }, text: `/${names.patternOverGrey()} ${operator}` };
    }
    if (space.isNull() || isGreySpace(space) || (space.isName() && space.asName() === "Pattern"))
      return { space: STAYS };
    return { space: { kind: "turned", space }, text: `${greyText(colours.initial(space))} ${grey}` };
  }
}

/** The colour in a default appearance string (12.7.4.3), such as `/Helv 12 Tf 1 0 0 rg`. */
export function greyAppearance(text: string, colours: GreyColours, names: GreyNames): string | undefined {
  const changed = greyContent(bytesOf(text), colours, names);
  return changed && latin1(changed);
}
