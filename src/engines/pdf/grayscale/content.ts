/** Converts the colors of a content stream to gray (ISO 32000-2, 8.6.8). */
import type { PDFObject } from "mupdf";
import type { Work } from "../../work.ts";
import { ContentOperators } from "../content/operators.ts";
import { type GrayColors, grayText, isGraySpace } from "./colors.ts";
import { grayOfDevice } from "../objects/color-space.ts";
import { latin1, bytesOf } from "../../bytes/latin1.ts";
import { concat } from "../../bytes/concat.ts";

/** The current color space: kept, converted, or patterns, possibly with an underlying color space. */
type Space = { readonly kind: "stays" } | { readonly kind: "turned" | "pattern"; readonly space: PDFObject };

const STAYS: Space = { kind: "stays" };

/** Pieces of content that are held before they are joined. */
const MOST_PIECES = 2_000;

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
  /** What was written, in large pieces, and what follows it, in small ones: millions of those would take ten times their bytes. */
  const written: Uint8Array[] = [];
  let pieces: Uint8Array[] = [];
  let copied = 0;
  const tokens = new ContentOperators(bytes);
  const replace = (text: string): void => {
    pieces.push(bytes.subarray(copied, tokens.start), bytesOf(text));
    copied = tokens.end;
    if (pieces.length < MOST_PIECES) return;
    written.push(concat(pieces));
    pieces = [];
  };
  let [fill, stroke]: [Space, Space] = [STAYS, STAYS];
  const stack: [Space, Space][] = [];
  while (tokens.next()) {
    if (tokens.isDue) await work.rest();
    const { operator } = tokens;
    const strokes = operator < "a";
    const gray = strokes ? "G" : "g";
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
        replace(`${grayText(grayOfDevice(tokens.numbers()))} ${gray}`);
        break;
      case "cs":
      case "CS": {
        const { space, text } = chosen(tokens.name(0) ?? "", operator, gray);
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
        const value = grayText(colors.of(space.space, values));
        const pattern = tokens.text(tokens.count - 1);
        replace(space.kind === "pattern" ? `${value} ${pattern} ${operator}` : `${value} ${gray}`);
        break;
      }
      default:
    }
  }
  if (copied === 0) return undefined;
  return concat([...written, ...pieces, bytes.subarray(copied)]);

  /** The result for a selected color space, and its replacement. */
  function chosen(name: string, operator: string, gray: string): { space: Space; text?: string } {
    if (name === "Pattern" || name === "DeviceGray" || name === "G") return { space: STAYS };
    if (/^(Device)?(RGB|CMYK)$/.test(name)) {
      const device = names.resources._doc.newName(name);
      return { space: { kind: "turned", space: device }, text: `0 ${gray}` };
    }
    const space = names.resources.get("ColorSpace", name);
    if (space.isArray() && space.get(0).isName() && space.get(0).asName() === "Pattern") {
      const under = space.get(1);
      if (under.isNull() || isGraySpace(under)) return { space: STAYS };
      return { space: { kind: "pattern", space: under }, text: `/${names.patternOverGray()} ${operator}` };
    }
    if (space.isNull() || isGraySpace(space) || (space.isName() && space.asName() === "Pattern"))
      return { space: STAYS };
    return { space: { kind: "turned", space }, text: `${grayText(colors.initial(space))} ${gray}` };
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
