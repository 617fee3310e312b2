/**
 * The rules of PDF/A about metadata: clause and test in each part of ISO 19005. The parts number the same rules differently; 3 numbers them as 2.
 * A part without the rule has no entry.
 */
export type XmpPart = 1 | 2 | 3 | 4;

interface XmpRule {
  /** What breaks it. */
  readonly message: string;
  readonly tests: { readonly 1?: string; readonly 2?: string; readonly 4?: string };
}

const rule = (message: string, part1?: string, part2?: string, part4?: string): XmpRule => ({
  message,
  tests: {
    ...(part1 !== undefined && { 1: part1 }),
    ...(part2 !== undefined && { 2: part2 }),
    ...(part4 !== undefined && { 4: part4 }),
  },
});

/** The tables of extension schemas (ISO 19005-2, 6.6.2.3.3) number their rows in their order. */
const row = (message: string, test: number): XmpRule => rule(message, `6.7.8-${test + 1}`, `6.6.2.3.3-${test}`);

const IN_SCHEMA = "of an extension schema";
const IN_PROPERTY = "of a property in an extension schema";
const IN_TYPE = "of a value type in an extension schema";
const IN_FIELD = "of a field in an extension schema";

export const XMP_RULES = {
  present: rule("The catalog has no metadata stream.", "6.7.2-1", "6.6.2.1-1", "6.7.2.1-1"),
  bytes: rule("The header of an XMP packet has a bytes attribute.", "6.7.5-1", "6.6.2.1-2", "6.7.2.1-2"),
  encoding: rule("The header of an XMP packet has an encoding attribute.", "6.7.5-2", "6.6.2.1-3", "6.7.2.1-3"),
  serialization: rule(
    "XMP is not well-formed, or not serialized according to ISO 16684-1.",
    "6.7.9-1",
    "6.6.2.1-4",
    "6.7.2.1-4",
  ),
  utf8: rule("XMP is not encoded as UTF-8.", undefined, "6.6.2.1-5", "6.7.2.1-5"),
  defined: rule(
    "A property belongs to no predefined schema, and no extension schema describes it.",
    "6.7.9-2",
    "6.6.2.3.1-1",
  ),
  type: rule("The value of a property does not have the type in its schema.", "6.7.9-3", "6.6.2.3.1-2"),
  extensionFields: rule("An extension schema has fields that are not in its tables.", "6.7.8-1", "6.6.2.3.2-1"),
  container: row("Extension schemas are not in a Bag with the prefix pdfaExtension.", 1),
  schema: row(`schema ${IN_SCHEMA} is not text with the prefix pdfaSchema.`, 2),
  namespaceUri: row(`namespaceURI ${IN_SCHEMA} is not a URI with the prefix pdfaSchema.`, 3),
  prefix: row(`prefix ${IN_SCHEMA} is not text with the prefix pdfaSchema.`, 4),
  property: row(`property ${IN_SCHEMA} is not a Seq with the prefix pdfaSchema.`, 5),
  valueType: row(`valueType ${IN_SCHEMA} is not a Seq with the prefix pdfaSchema.`, 6),
  propertyName: row(`name ${IN_PROPERTY} is not text with the prefix pdfaProperty.`, 7),
  propertyType: row(`valueType ${IN_PROPERTY} is not a known type with the prefix pdfaProperty.`, 8),
  propertyCategory: row(`category ${IN_PROPERTY} is not internal or external with the prefix pdfaProperty.`, 9),
  propertyDescription: row(`description ${IN_PROPERTY} is not text with the prefix pdfaProperty.`, 10),
  typeName: row(`type ${IN_TYPE} is not text with the prefix pdfaType.`, 11),
  typeNamespace: row(`namespaceURI ${IN_TYPE} is not a URI with the prefix pdfaType.`, 12),
  typePrefix: row(`prefix ${IN_TYPE} is not text with the prefix pdfaType.`, 13),
  typeDescription: row(`description ${IN_TYPE} is not text with the prefix pdfaType.`, 14),
  typeField: row(`field ${IN_TYPE} is not a Seq with the prefix pdfaType.`, 15),
  fieldName: row(`name ${IN_FIELD} is not text with the prefix pdfaField.`, 16),
  fieldType: row(`valueType ${IN_FIELD} is not a known type with the prefix pdfaField.`, 17),
  fieldDescription: row(`description ${IN_FIELD} is not text with the prefix pdfaField.`, 18),
  identified: rule("XMP does not have the PDF/A identification schema.", "6.7.11-1", "6.6.4-1", "6.7.3-1"),
  part: rule("pdfaid:part is not the part of ISO 19005.", "6.7.11-2", "6.6.4-2", "6.7.3-2"),
  conformance: rule("pdfaid:conformance is not the level of conformance.", "6.7.11-3", "6.6.4-3", "6.7.3-3"),
  partPrefix: rule("part does not have the prefix pdfaid.", "6.7.11-4", "6.6.4-4", "6.7.3-4"),
  conformancePrefix: rule("conformance does not have the prefix pdfaid.", "6.7.11-5", "6.6.4-5", "6.7.3-7"),
  amendmentPrefix: rule("amd does not have the prefix pdfaid.", "6.7.11-6", "6.6.4-6", "6.7.3-8"),
  corrigendumPrefix: rule("corr does not have the prefix pdfaid.", undefined, "6.6.4-7", "6.7.3-9"),
  revision: rule("pdfaid:rev is not a year of four digits.", undefined, undefined, "6.7.3-5"),
  revisionPrefix: rule("rev does not have the prefix pdfaid.", undefined, undefined, "6.7.3-6"),
  infoCreationDate: rule("CreationDate of the Info dictionary and xmp:CreateDate differ.", "6.7.3-1"),
  infoTitle: rule("Title of the Info dictionary and dc:title differ.", "6.7.3-2"),
  infoAuthor: rule("Author of the Info dictionary and the only item of dc:creator differ.", "6.7.3-3"),
  infoSubject: rule("Subject of the Info dictionary and dc:description differ.", "6.7.3-4"),
  infoKeywords: rule("Keywords of the Info dictionary and pdf:Keywords differ.", "6.7.3-5"),
  infoCreator: rule("Creator of the Info dictionary and xmp:CreatorTool differ.", "6.7.3-6"),
  infoProducer: rule("Producer of the Info dictionary and pdf:Producer differ.", "6.7.3-7"),
  infoModDate: rule("ModDate of the Info dictionary and xmp:ModifyDate differ.", "6.7.3-8"),
} as const satisfies Readonly<Record<string, XmpRule>>;

export type XmpRuleName = keyof typeof XMP_RULES;

/** Clause and test of a rule in a part, as `6.6.4-2`; undefined if the part does not have it. */
export function xmpTestOf(name: XmpRuleName, part: XmpPart): string | undefined {
  const { tests }: XmpRule = XMP_RULES[name];
  return tests[part === 3 ? 2 : part];
}

/** Clauses and tests of all rules that a part has. */
export const xmpTestsOf = (part: XmpPart): readonly string[] =>
  (Object.keys(XMP_RULES) as XmpRuleName[]).flatMap((name) => xmpTestOf(name, part) ?? []);
