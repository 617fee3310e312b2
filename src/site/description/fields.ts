import { labelOf } from "./labels.ts";
import type { Schema } from "./schema.ts";

interface Common {
  readonly name: string;
  /** The name for people. */
  readonly label: string;
  readonly required: boolean;
  /** Whether one of several is required, and this is one of them. */
  readonly isAlternative: boolean;
  readonly description: string;
  /** The values of other parameters on which it depends. */
  readonly when: Readonly<Record<string, readonly string[]>>;
}

export interface FileField extends Common {
  readonly kind: "file";
  /** Media types, separated by commas. */
  readonly accept: string;
}

/** Numbered files: `file0`, `file1`, ... */
export interface FilesField extends Common {
  readonly kind: "files";
  readonly accept: string;
  /** Minimum number of files. */
  readonly min: number;
  /** The prefix of the files' own password fields, if they can have any. */
  readonly passwords: string | undefined;
}

/** Any field sent as text. */
export interface ValueField extends Common {
  readonly kind: "value";
  readonly schema: Schema;
}

export type Field = FileField | FilesField | ValueField;

/** Formats of fields that name pages: a set, a list in its order, or parts of the document. */
const PAGES: readonly string[] = ["page-range", "page-order", "page-groups"];

/** Whether a field names pages, which can be chosen by sight. */
export const isPages = ({ schema: { format } }: ValueField): boolean => format !== undefined && PAGES.includes(format);

/** Whether a field has degrees by page number. */
export function isRotations({ schema: { contentSchema } }: ValueField): boolean {
  const inner = contentSchema?.additionalProperties;
  return typeof inner === "object" && inner.enum?.includes(90) === true && inner.enum.includes(270);
}

/** Whether a field has the values of the PDF's own form. */
export const isFormValues = ({ schema }: ValueField): boolean => schema.contentSchema?.["x-form-values"] === true;

/** Fields that matter only when an operation runs as a job. */
export const isForJobs = ({ name }: Field): boolean => ["expiresIn", "deliverTo", "onPageError"].includes(name);

/** The schema of a file, if the field takes one; it may take a reference instead. */
const fileIn = (schema: Schema): Schema | undefined =>
  [schema, ...(schema.anyOf ?? [])].find(({ format }) => format === "binary");

const numbered = (pattern: string): string | undefined => /^\^(\w+?)\(/.exec(pattern)?.[1];

/** Whether a field takes a type: one without a list takes all. A type that is not known is left to the service. */
export const takesType = ({ accept }: FileField | FilesField, type: string | undefined): boolean =>
  accept === "" || type === undefined || accept.split(/,\s*/).includes(type);

/** The fields of a form, in the schema's order; numbered files form one field. */
export function fieldsOf(schema: Schema, contentType: (name: string) => string | undefined): Field[] {
  const { properties = {}, patternProperties = {}, required = [], anyOf = [] } = schema;
  const patterns = Object.entries(patternProperties).flatMap(([pattern, inner]) => {
    const prefix = numbered(pattern);
    return prefix === undefined ? [] : [{ prefix, isFile: fileIn(inner) !== undefined }];
  });
  const lists = patterns.filter(({ isFile }) => isFile).map(({ prefix }) => prefix);
  const passwords = patterns.find(({ isFile }) => !isFile)?.prefix;
  const fields: Field[] = [];
  for (const [name, inner] of Object.entries(properties)) {
    const common = {
      name,
      label: labelOf(name, inner),
      required: required.includes(name),
      isAlternative: anyOf.some(({ required: needed = [] }) => needed.includes(name)),
      description: inner.description ?? "",
      when: inner["x-when"] ?? {},
    };
    const file = fileIn(inner);
    const accept = contentType(name) ?? file?.contentMediaType ?? "";
    const list = lists.find((prefix) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)));
    if (file === undefined) {
      fields.push({ ...common, kind: "value", schema: inner });
    } else if (list === undefined) {
      fields.push({ ...common, kind: "file", accept });
    } else if (!fields.some(({ name }) => name === list)) {
      const min = required.filter((one) => one.startsWith(list)).length;
      fields.push({ ...common, name: list, label: labelOf(`${list}s`), kind: "files", accept, min, passwords });
    }
  }
  // Files first, then required fields, what a choice needs, pages, and the rest; the rarely needed passwords of the input come last.
  const rank = (field: Field): number => {
    if (field.kind !== "value") return Object.keys(field.when).length > 0 ? 2 : 0;
    if (field.name === "password") return 4;
    const isNeeded = field.required || field.isAlternative;
    if (isPages(field)) return isNeeded ? 1 : 2.5;
    if (field.name === "languages") return 2;
    return isNeeded ? 1 : Object.keys(field.when).length > 0 && field.schema.default === undefined ? 2 : 3;
  };
  return fields.toSorted((a, b) => rank(a) - rank(b));
}
