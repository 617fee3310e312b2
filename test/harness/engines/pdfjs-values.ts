/** Values as pdf.js gives them, made comparable: no object numbers, no typed arrays, numbers rounded. */
export type Json = null | boolean | number | string | readonly Json[] | Plain;
export interface Plain {
  readonly [key: string]: Json;
}

/** An object's entries without knowing its type; an empty one for anything else. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** A copy as JSON: maps as objects, typed arrays as arrays, numbers to a thousandth, undefined left out. */
export function plain(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Math.round(value * 1000) / 1000;
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array, plain);
  if (value instanceof Set) return [...(value as Set<unknown>)].map(plain);
  if (typeof value !== "object") return null;
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  return Object.fromEntries(
    entries.filter(([, entry]) => entry !== undefined).map(([key, entry]) => [key, plain(entry)]),
  );
}

/** `plain` of an object; an empty one for anything else. */
export function plainRecord(value: unknown): Plain {
  return record(plain(value)) as Plain;
}

/** A structure element on one page; `children` holds elements and leaves: `content 3`, `annotation 0`, `object`. */
export interface StructureNode {
  readonly role: string;
  /** Language, alternative text, table attributes, ... */
  readonly attributes: Plain;
  readonly children: readonly (StructureNode | string)[];
}

/**
 * The structure tree of a page as pdf.js gives it. `annotations` maps pdf.js' annotation ids to their place on the page,
 * which is what a structure element can refer to without an object number.
 */
export function structureOf(tree: unknown, annotations: ReadonlyMap<string, number>): StructureNode | undefined {
  const { role, children, ...attributes } = record(tree);
  if (typeof role !== "string") return undefined;
  const kids = Array.isArray(children) ? (children as unknown[]) : [];
  return {
    role,
    attributes: plainRecord(attributes),
    children: kids.map((kid) => structureOf(kid, annotations) ?? leafOf(record(kid), annotations)),
  };
}

function leafOf(leaf: Readonly<Record<string, unknown>>, annotations: ReadonlyMap<string, number>): string {
  const id = String(leaf["id"]);
  if (leaf["type"] === "content") return `content ${id.replace(/^.*_mc/, "")}`;
  // Which of `object` and `annotation` pdf.js says depends on the order of the parent tree.
  const place = annotations.get(id.replace("pdfjs_internal_id_", ""));
  return place === undefined ? "object" : `annotation ${place}`;
}
