/** Extension schemas: descriptions, in a packet, of properties that PDF/A has not predefined (ISO 19005-1, 6.7.8; ISO 19005-2, 6.6.2.3). */
import type { XmpNode } from "./rdf.ts";
import type { XmpRuleName } from "./rules.ts";
import { key } from "./schemas.ts";
import { ValueTypes } from "./value-types.ts";

const EXTENSION = "http://www.aiim.org/pdfa/ns/extension/";
const NAMESPACES = {
  pdfaSchema: "http://www.aiim.org/pdfa/ns/schema#",
  pdfaProperty: "http://www.aiim.org/pdfa/ns/property#",
  pdfaType: "http://www.aiim.org/pdfa/ns/type#",
  pdfaField: "http://www.aiim.org/pdfa/ns/field#",
};

/** A property that an extension schema describes. */
export interface Described {
  readonly type: string;
  readonly types: ValueTypes;
}

/** @param context the field that fails, and its value */
export type Report = (rule: XmpRuleName, context: string) => void;

export const isExtensionContainer = ({ namespace, local }: XmpNode): boolean =>
  namespace === EXTENSION && local === "schemas";

/** Checks the extension schemas of a packet, and returns the properties that they describe, by `key`. */
export function readExtensionSchemas(properties: readonly XmpNode[], report: Report): ReadonlyMap<string, Described> {
  const described = new Map<string, Described>();
  for (const container of properties.filter(isExtensionContainer)) {
    if (container.value.form !== "Bag" || container.prefix !== "pdfaExtension") report("container", "schemas");
    for (const schema of itemsOf(container)) readSchema(new Row(schema, "pdfaSchema", report), described);
  }
  return described;
}

const itemsOf = ({ value }: XmpNode): readonly XmpNode[] =>
  value.form === "Bag" || value.form === "Seq" || value.form === "Alt" ? value.nodes : [];

/** A structure of one of the tables. */
class Row {
  readonly #fields = new Map<string, XmpNode>();
  readonly #namespace: string;
  readonly #prefix: string;
  readonly #report: Report;
  readonly #strange: readonly XmpNode[];

  constructor({ value }: XmpNode, prefix: keyof typeof NAMESPACES, report: Report) {
    this.#namespace = NAMESPACES[prefix];
    this.#prefix = prefix;
    this.#report = report;
    const nodes = value.form === "structure" ? value.nodes : [];
    for (const node of nodes) if (node.namespace === this.#namespace) this.#fields.set(node.local, node);
    this.#strange = nodes;
  }

  get report(): Report {
    return this.#report;
  }

  /** The rows have these fields only. */
  allow(names: string, context: string): void {
    const allowed = names.split(" ");
    const strange = this.#strange.find(
      ({ namespace, local }) => namespace !== this.#namespace || !allowed.includes(local),
    );
    if (strange) this.#report("extensionFields", `${strange.prefix}:${strange.local} in ${context}`);
  }

  /** The text of a field, or undefined if it has none. */
  text(name: string, rule: XmpRuleName, isRight: (text: string) => boolean = () => true): string | undefined {
    const field = this.#fields.get(name);
    const text = field?.value.form === "simple" ? field.value.text : undefined;
    if (text === undefined || field?.prefix !== this.#prefix || !isRight(text)) {
      this.#report(rule, text === undefined ? `no ${name}` : `${field?.prefix}:${name}: ${text}`);
    }
    return text;
  }

  /** The items of a field that may be absent. */
  items(name: string, rule: XmpRuleName): readonly XmpNode[] {
    const field = this.#fields.get(name);
    if (field === undefined) return [];
    if (field.value.form !== "Seq" || field.prefix !== this.#prefix) this.#report(rule, `${field.prefix}:${name}`);
    return itemsOf(field);
  }
}

function readSchema(row: Row, described: Map<string, Described>): void {
  row.allow("schema namespaceURI prefix property valueType", "a schema");
  row.text("schema", "schema");
  const namespace = row.text("namespaceURI", "namespaceUri");
  row.text("prefix", "prefix");
  const properties = row.items("property", "property").map((item) => new Row(item, "pdfaProperty", row.report));
  const types = new ValueTypes();
  const valueTypes = row.items("valueType", "valueType").map((item) => new Row(item, "pdfaType", row.report));
  // Types are known before fields and properties that have them.
  const readers = valueTypes.map((one) => readValueType(one, types, namespace !== undefined));
  for (const checkFields of readers) checkFields();
  for (const property of properties) {
    property.allow("name valueType category description", "a property");
    const name = property.text("name", "propertyName");
    const type = property.text("valueType", "propertyType", (text) => types.isDefined(text));
    property.text("category", "propertyCategory", (text) => text === "internal" || text === "external");
    property.text("description", "propertyDescription");
    if (namespace === undefined || name === undefined || type === undefined || !types.isDefined(type)) continue;
    described.set(key(namespace, name), { type, types });
  }
}

/** Defines the type. Returns a check of its fields. */
function readValueType(row: Row, types: ValueTypes, isUsable: boolean): () => void {
  row.allow("type namespaceURI prefix description field", "a value type");
  const type = row.text("type", "typeName");
  const namespace = row.text("namespaceURI", "typeNamespace");
  row.text("prefix", "typePrefix");
  row.text("description", "typeDescription");
  const rows = row.items("field", "typeField").map((item) => new Row(item, "pdfaField", row.report));
  const fields = new Map<string, string>();
  if (isUsable && type !== undefined && namespace !== undefined) types.define(type, { namespace, fields });
  return () => {
    for (const field of rows) {
      field.allow("name valueType description", "a field");
      const name = field.text("name", "fieldName");
      const fieldType = field.text("valueType", "fieldType", (text) => types.isDefined(text));
      field.text("description", "fieldDescription");
      if (name !== undefined && fieldType !== undefined && types.isDefined(fieldType)) fields.set(name, fieldType);
    }
  };
}
