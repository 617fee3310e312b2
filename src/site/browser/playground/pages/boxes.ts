import { allows, type Schema } from "../../../description/schema.ts";
import { readMembers, writeMembers } from "../json-input.tsx";
import { type Box, boxFrom } from "./box.ts";

/** What a field with boxes has: one on a page, any number on pages, or one that is the same on all pages. */
export type BoxKind = "one" | "list" | "area";

/** A box, and its page where it is on one. */
export interface PlacedBox extends Box {
  readonly page: number | undefined;
}

const hasNumbers = ({ properties }: Schema, names: readonly string[]): boolean =>
  names.every((name) => {
    const member = properties?.[name];
    return member !== undefined && (allows(member, "number") || allows(member, "integer"));
  });

const AREA = ["x", "y", "width", "height"];

/** Undefined if the field has no boxes that can be drawn. */
export function boxKindOf({ contentSchema }: Schema): BoxKind | undefined {
  if (contentSchema === undefined) return undefined;
  if (contentSchema.items && hasNumbers(contentSchema.items, ["page", ...AREA])) return "list";
  if (!hasNumbers(contentSchema, AREA)) return undefined;
  return hasNumbers(contentSchema, ["page"]) ? "one" : "area";
}

function placed(members: Readonly<Record<string, unknown>>, pageHeight: number): PlacedBox[] {
  const box = boxFrom(members, pageHeight);
  const { page } = members;
  return box ? [{ ...box, page: typeof page === "number" ? page : undefined }] : [];
}

/** The boxes in the text of a field. `pageHeight` is that of the page in points, for boxes that are measured from its bottom. */
export function boxesIn(kind: BoxKind, text: string, pageHeight: number): PlacedBox[] {
  if (kind !== "list") return placed(readMembers(text) ?? {}, pageHeight);
  try {
    const list: unknown = JSON.parse(text || "[]");
    return Array.isArray(list)
      ? list.flatMap((one: unknown) => placed(Object(one) as Record<string, unknown>, pageHeight))
      : [];
  } catch {
    return [];
  }
}

export function textOfBoxes(kind: BoxKind, boxes: readonly PlacedBox[]): string {
  const plain = boxes.map(({ page, x, y, width, height }) =>
    kind === "area" ? { x, y, width, height } : { page, x, y, width, height },
  );
  if (kind === "list") return plain.length === 0 ? "" : JSON.stringify(plain);
  return writeMembers(plain[0] ?? {});
}
