/**
 * The metadata of a PDF/A (ISO 19005-2, 6.6): a packet that is written anew, with the properties of the document's that are valid, the entries of its
 * Info dictionary, and the identification. Both then agree.
 */
import type { Work } from "../../work.ts";
import { checkXmp } from "../conformance/xmp/check.ts";
import { type Described, isExtensionContainer, readExtensionSchemas } from "../conformance/xmp/extension-schemas.ts";
import { readXmpPacket, type XmpNode, type XmpValue } from "../conformance/xmp/rdf.ts";
import { key, PDFA_IDENTIFICATION, PREDEFINED } from "../conformance/xmp/schemas.ts";
import { ValueTypes } from "../conformance/xmp/value-types.ts";
import { MOST_STRING } from "../conformance/rules/file-structure.ts";
import { INFO_KEYS } from "../metadata/info.ts";
import { readPacket } from "../metadata/metadata.ts";
import { RDF } from "../metadata/xmp.ts";
import { isoOfPdfDate, pdfDateOf } from "../objects/dates.ts";
import { decodeText, textString } from "../objects/text-string.ts";
import { eachContainer } from "./containers.ts";
import type { ArchiveTarget, SurveyedTarget, XmpSchema } from "./target.ts";

const DC = "http://purl.org/dc/elements/1.1/";
const PDF = "http://ns.adobe.com/pdf/1.3/";
const XMP = "http://ns.adobe.com/xap/1.0/";
const EXTENSION = "http://www.aiim.org/pdfa/ns/extension/";
const SCHEMA = "http://www.aiim.org/pdfa/ns/schema#";
const PROPERTY = "http://www.aiim.org/pdfa/ns/property#";
const PDFUA = "http://www.aiim.org/pdfua/ns/id/";

/** Prefixes that rules ask for, or readers know. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  [RDF, "rdf"],
  [DC, "dc"],
  [PDF, "pdf"],
  [XMP, "xmp"],
  [PDFA_IDENTIFICATION, "pdfaid"],
  [EXTENSION, "pdfaExtension"],
  [SCHEMA, "pdfaSchema"],
  [PROPERTY, "pdfaProperty"],
  ["http://www.aiim.org/pdfa/ns/type#", "pdfaType"],
  ["http://www.aiim.org/pdfa/ns/field#", "pdfaField"],
  [PDFUA, "pdfuaid"],
]);

/** The property of each entry of the Info dictionary (ISO 19005-1, 6.7.3), and its form. */
const OF_INFO: ReadonlyMap<string, readonly [namespace: string, local: string, form: "Alt" | "Seq" | "simple"]> =
  new Map([
    ["Title", [DC, "title", "Alt"]],
    ["Author", [DC, "creator", "Seq"]],
    ["Subject", [DC, "description", "Alt"]],
    ["Keywords", [PDF, "Keywords", "simple"]],
    ["Creator", [XMP, "CreatorTool", "simple"]],
    ["Producer", [PDF, "Producer", "simple"]],
    ["CreationDate", [XMP, "CreateDate", "simple"]],
    ["ModDate", [XMP, "ModifyDate", "simple"]],
  ]);

const text = (value: string): XmpValue => ({ form: "simple", text: value });
const named = (namespace: string, local: string, value: XmpValue, language?: string): XmpNode => ({
  namespace,
  local,
  prefix: PREFIXES.get(namespace) ?? "",
  value,
  language,
});
const item = (value: XmpValue, language?: string): XmpNode => named(RDF, "li", value, language);

export async function archiveMetadata(target: SurveyedTarget): Promise<void> {
  const { open, changes, profile, part, schemas } = target;
  const { document, engine } = open;
  const root = document.getTrailer().get("Root");
  const stream = root.get("Metadata");
  const packet = stream.isStream() ? readPacket(engine, stream) : new Uint8Array();
  const read = packet.length === 0 ? undefined : await readXmpPacket(engine.work, packet);
  const kept = keptProperties(read?.properties ?? [], part, schemas);
  if (kept.dropped.length > 0) changes.add("metadata_properties_removed", kept.dropped.length);
  const properties = new Map(kept.properties.map((node) => [key(node.namespace, node.local), node]));
  for (const [entry, value] of infoTexts(target)) {
    const [namespace, local, form] = OF_INFO.get(entry) ?? [XMP, entry, "simple"];
    const same = properties.get(key(namespace, local));
    if (same && saysSame(same, value)) continue;
    const node =
      form === "simple" ? text(value) : { form, nodes: [item(text(value), form === "Alt" ? "x-default" : undefined)] };
    properties.set(key(namespace, local), named(namespace, local, node));
  }
  properties.set(key(PDFA_IDENTIFICATION, "part"), named(PDFA_IDENTIFICATION, "part", text(String(part))));
  const level = named(PDFA_IDENTIFICATION, "conformance", text(profile.endsWith("u") ? "U" : "B"));
  properties.set(key(PDFA_IDENTIFICATION, "conformance"), level);
  for (const { namespace, prefix, properties: described } of schemas) {
    for (const { name, value } of described)
      properties.set(key(namespace, name), { ...named(namespace, name, text(value)), prefix });
  }
  const described = [...kept.schemas, ...schemas.map(descriptionOf)];
  if (described.length > 0)
    properties.set(key(EXTENSION, "schemas"), named(EXTENSION, "schemas", { form: "Bag", nodes: described }));
  const written = new TextEncoder().encode(packetOf([...properties.values()]));
  root.put("Metadata", document.addStream(written, { Type: "Metadata", Subtype: "XML" }));
  changes.add("metadata_written");
  await archiveOtherPackets(target, written);
}

/** The properties of a packet that PDF/A accepts, the extension schemas that describe them, and the names of all others. */
function keptProperties(
  properties: readonly XmpNode[],
  part: 2 | 3,
  added: readonly XmpSchema[],
): { readonly properties: XmpNode[]; readonly schemas: XmpNode[]; readonly dropped: string[] } {
  let isSound = true;
  const described = readExtensionSchemas(properties, () => (isSound = false));
  const own: ReadonlyMap<string, Described> = isSound ? described : new Map();
  const replaced = new Set(added.map(({ namespace }) => namespace));
  const types = new ValueTypes();
  const kept: XmpNode[] = [];
  const dropped: string[] = [];
  for (const node of properties) {
    const { namespace, local } = node;
    if (isExtensionContainer(node) || namespace === PDFA_IDENTIFICATION || replaced.has(namespace)) continue;
    const at = key(namespace, local);
    const type = PREDEFINED[part].get(at);
    const definition = type === undefined ? own.get(at) : { type, types };
    if (definition?.types.has(node.value, definition.type) === true) kept.push(node);
    else dropped.push(`${node.prefix}:${local}`);
  }
  const containers = isSound ? properties.filter(isExtensionContainer) : [];
  const schemas = containers
    .flatMap(({ value }) => (value.form === "simple" ? [] : value.nodes))
    .filter((schema) => !replaced.has(namespaceOf(schema) ?? "") && namespaceOf(schema) !== PDFA_IDENTIFICATION);
  return { properties: kept, schemas, dropped };
}

/** The namespace that an extension schema describes. */
function namespaceOf({ value }: XmpNode): string | undefined {
  const uri = value.form === "structure" ? value.nodes.find(({ local }) => local === "namespaceURI") : undefined;
  return uri?.value.form === "simple" ? uri.value.text : undefined;
}

/** An extension schema, as a packet describes it. */
function descriptionOf({ namespace, prefix, name, properties }: XmpSchema): XmpNode {
  const field = (space: string, local: string, value: string): XmpNode => named(space, local, text(value));
  const rows = properties.map((property) =>
    item({
      form: "structure",
      nodes: [
        field(PROPERTY, "name", property.name),
        field(PROPERTY, "valueType", "Text"),
        field(PROPERTY, "category", "external"),
        field(PROPERTY, "description", property.description),
      ],
    }),
  );
  return item({
    form: "structure",
    nodes: [
      field(SCHEMA, "schema", name),
      field(SCHEMA, "namespaceURI", namespace),
      field(SCHEMA, "prefix", prefix),
      named(SCHEMA, "property", { form: "Seq", nodes: rows }),
    ],
  });
}

/**
 * The standard entries of the Info dictionary, as the packet has them. Corrects entries that XML or XMP cannot express: control characters, and dates
 * that are none.
 */
function infoTexts({ open, changes }: ArchiveTarget): ReadonlyMap<string, string> {
  const { document } = open;
  const info = document.getTrailer().get("Info");
  const texts = new Map<string, string>();
  if (!info.isDictionary()) return texts;
  for (const entry of INFO_KEYS) {
    const value = info.get(entry);
    if (!value.isString()) continue;
    const bytes = value.asByteString();
    const found = decodeText(bytes);
    const isDate = entry.endsWith("Date");
    const date = isDate ? isoOfPdfDate(found) : undefined;
    if (isDate && date === undefined) {
      info.delete(entry);
      changes.add("info_entries_corrected");
      continue;
    }
    if (bytes.length > MOST_STRING) {
      // XMP has it completely.
      info.delete(entry);
      changes.add("info_entries_corrected");
      texts.set(entry, plainText(found));
      continue;
    }
    const sound = isDate ? (pdfDateOf(found) === undefined ? pdfDateOf(date ?? "") : found) : plainText(found);
    if (sound !== undefined && sound !== found) {
      info.put(entry, textString(info, sound));
      changes.add("info_entries_corrected");
    }
    texts.set(entry, date ?? plainText(found));
  }
  return texts;
}

/** Text that XML can express, and that readers do not change (XML 1.0, 2.2 and 2.11). */
const plainText = (value: string): string =>
  value
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\t\n\u007f-\u009f]/gu, " ")
    .replaceAll(/[\ufffe\uffff]/g, "\ufffd");

function saysSame({ value }: XmpNode, wanted: string): boolean {
  if (value.form === "simple") return value.text === wanted;
  if (value.form === "structure") return false;
  const [first] = value.nodes;
  const one = value.form === "Alt" ? value.nodes.find(({ language }) => language === "x-default") : first;
  if (value.form !== "Alt" && value.nodes.length !== 1) return false;
  return one?.value.form === "simple" && one.value.text === wanted;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};
const escaped = (value: string): string =>
  value.replaceAll(/[&<>"\r]/g, (character) => ESCAPES[character] ?? character);

function packetOf(properties: readonly XmpNode[]): string {
  const prefixes = new Map<string, string>();
  const used = new Set<string>();
  let number = 1;
  const prefixFor = ({ namespace, prefix }: XmpNode): string => {
    const known = prefixes.get(namespace);
    if (known !== undefined) return known;
    let chosen = PREFIXES.get(namespace) ?? (/^[A-Za-z_][\w.-]*$/.test(prefix) ? prefix : "ns");
    const isTaken = (name: string): boolean =>
      used.has(name) ||
      (PREFIXES.get(namespace) !== name && [...PREFIXES.values()].includes(name)) ||
      /^xml/i.test(name) ||
      name === "x";
    for (; isTaken(chosen); number++) chosen = `ns${number}`;
    used.add(chosen);
    prefixes.set(namespace, chosen);
    return chosen;
  };
  const elementOf = (node: XmpNode): string => {
    const name = `${prefixFor(node)}:${node.local}`;
    const language = node.language === undefined ? "" : ` xml:lang="${escaped(node.language)}"`;
    const { value } = node;
    if (value.form === "simple") return `<${name}${language}>${escaped(value.text)}</${name}>`;
    const inside = value.nodes.map(elementOf).join("");
    if (value.form === "structure") return `<${name}${language} rdf:parseType="Resource">${inside}</${name}>`;
    return `<${name}${language}><rdf:${value.form}>${inside}</rdf:${value.form}></${name}>`;
  };
  prefixFor(named(RDF, "li", text("")));
  const elements = properties.map(elementOf).join("\n");
  const declared = [...prefixes].map(([namespace, prefix]) =>
    prefix === "rdf" ? "" : ` xmlns:${prefix}="${escaped(namespace)}"`,
  );
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">\n' +
    `<rdf:RDF xmlns:rdf="${RDF}">\n<rdf:Description rdf:about=""${declared.join("")}>\n${elements}\n` +
    '</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end="w"?>'
  );
}

/** Removes the packets of other objects that break rules, such as those of images and of marked content. */
async function archiveOtherPackets(target: SurveyedTarget, written: Uint8Array): Promise<void> {
  const { open, changes, part, model } = target;
  const { engine, document } = open;
  const main = model.stream(model.root, "Metadata");
  const verdicts = new Map<number, boolean>();
  await eachContainer(target, ({ plain }) => {
    const stream = model.stream(plain, "Metadata");
    if (stream && stream !== main) verdicts.set(stream.object, true);
  });
  for (const number of verdicts.keys()) {
    const packet = engine.scope(() => readPacket(engine, document.newIndirect(number)));
    verdicts.set(number, await isSoundPacket(engine.work, written, packet, part));
  }
  if ([...verdicts.values()].every(Boolean)) return;
  await eachContainer(target, ({ plain, handle }) => {
    const stream = model.stream(plain, "Metadata");
    if (!stream || stream === main || verdicts.get(stream.object) !== false) return;
    const holder = handle();
    if (!holder.isDictionary() || holder.get("Metadata").isNull()) return;
    holder.delete("Metadata");
    changes.add("object_metadata_removed");
  });
}

async function isSoundPacket(work: Work, main: Uint8Array, bytes: Uint8Array, part: 2 | 3): Promise<boolean> {
  const packets = { main: { bytes: main, object: 0 }, others: [{ bytes, object: 1 }], info: new Map<string, string>() };
  const { failures } = await checkXmp(work, packets, part, "B");
  return failures.every(({ object }) => object === 0);
}
