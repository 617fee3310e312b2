/** Checks the metadata of a document against PDF/A (ISO 19005-1, 6.7; ISO 19005-2 and 3, 6.6; ISO 19005-4, 6.7). */
import type { Work } from "../../../work.ts";
import { pdfDateOf } from "../../objects/dates.ts";
import { type Described, isExtensionContainer, readExtensionSchemas } from "./extension-schemas.ts";
import { readXmpPacket, type XmpNode, type XmpPacket } from "./rdf.ts";
import { XMP_RULES, type XmpPart, type XmpRuleName, xmpTestOf } from "./rules.ts";
import { key, PDFA_IDENTIFICATION, PREDEFINED } from "./schemas.ts";
import { ValueTypes } from "./value-types.ts";

/** A metadata stream, decoded. */
export interface MetadataStream {
  readonly bytes: Uint8Array;
  /** The number of its object. */
  readonly object: number;
}

export interface DocumentMetadata {
  /** That of the catalog. */
  readonly main: MetadataStream | undefined;
  /** Those of other objects: of pages, fonts, images, and the like. */
  readonly others: readonly MetadataStream[];
  /** The standard entries of the Info dictionary that are strings. */
  readonly info: ReadonlyMap<string, string>;
}

export interface XmpFailure {
  readonly clause: string;
  readonly test: number;
  readonly message: string;
  /** The object of the metadata stream; undefined if the document has none. */
  readonly object: number | undefined;
  /** The property, attribute, or entry that fails. */
  readonly context: string;
}

/** What a document claims: `pdfaid:part` and `pdfaid:conformance`. Undefined if it claims nothing. */
export interface XmpClaim {
  readonly part: string;
  readonly conformance: string;
}

export interface XmpReport {
  readonly claim: XmpClaim | undefined;
  readonly failures: readonly XmpFailure[];
}

/** The levels that a file may claim so that it conforms to a level: a higher one includes the lower ones. */
const LEVELS: Readonly<Record<string, string>> = { A: "A", B: "BUA", U: "UA" };

/**
 * @param level `A`, `B`, or `U`; `E`, `F`, or nothing in part 4
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.xmpTags`, or elements too deep
 */
export async function checkXmp(
  work: Work,
  { main, others, info }: DocumentMetadata,
  part: XmpPart,
  level: string,
): Promise<XmpReport> {
  const failures: XmpFailure[] = [];
  const reporter = (object: number | undefined) => (rule: XmpRuleName, context: string) => {
    const at = xmpTestOf(rule, part)?.split("-");
    if (at === undefined) return;
    const [clause = "", test] = at;
    failures.push({ clause, test: Number(test), message: XMP_RULES[rule].message, object, context });
  };
  const packet = main && (await readXmpPacket(work, main.bytes));
  const report = reporter(main?.object);
  const described =
    packet === undefined ? new Map<string, Described>() : readExtensionSchemas(packet.properties, report);
  if (main === undefined) report("present", "Metadata");
  else {
    checkSerialization(packet, report);
    await checkProperties(work, packet, part, [described], report);
    checkIdentification(packet, part, level, report);
  }
  if (packet !== undefined) checkInfo(packet, info, report);
  for (const other of others) {
    const reportOther = reporter(other.object);
    const read = await readXmpPacket(work, other.bytes);
    checkSerialization(read, reportOther);
    if (read === undefined) continue;
    const own = readExtensionSchemas(read.properties, reportOther);
    await checkProperties(work, read, part, [described, own], reportOther);
  }
  return { claim: packet && claimIn(packet), failures };
}

type Report = (rule: XmpRuleName, context: string) => void;

function checkSerialization(packet: XmpPacket | undefined, report: Report): void {
  if (packet === undefined) report("serialization", "Metadata");
  if (packet?.encoding !== "UTF-8") report("utf8", packet?.encoding ?? "Metadata");
  if (packet?.header.has("bytes") === true) report("bytes", "xpacket");
  if (packet?.header.has("encoding") === true) report("encoding", "xpacket");
}

/** Fuel for the check of a property. */
const PROPERTY = 500;

async function checkProperties(
  work: Work,
  packet: XmpPacket | undefined,
  part: XmpPart,
  described: readonly ReadonlyMap<string, Described>[],
  report: Report,
): Promise<void> {
  // Part 4 asks for no schemas.
  if (part === 4 || packet === undefined) return;
  const types = new ValueTypes();
  for (const property of packet.properties) {
    work.spend(PROPERTY);
    await work.pause();
    if (isExtensionContainer(property)) continue;
    const at = key(property.namespace, property.local);
    const predefined = PREDEFINED[part].get(at);
    const definition =
      predefined === undefined ? described.map((each) => each.get(at)).find((one) => one) : { type: predefined, types };
    const name = `${property.prefix}:${property.local}`;
    if (definition === undefined) report("defined", name);
    if (definition?.types.has(property.value, definition.type) !== true) report("type", name);
  }
}

const find = (packet: XmpPacket, namespace: string, local: string): XmpNode | undefined =>
  packet.properties.find((property) => property.namespace === namespace && property.local === local);

const textOf = (node: XmpNode | undefined): string | undefined =>
  node?.value.form === "simple" ? node.value.text : undefined;

/** What a packet claims; undefined if it claims nothing. */
function claimIn(packet: XmpPacket): XmpClaim | undefined {
  const part = textOf(find(packet, PDFA_IDENTIFICATION, "part"))?.trim();
  if (part === undefined) return undefined;
  return { part, conformance: textOf(find(packet, PDFA_IDENTIFICATION, "conformance"))?.trim() ?? "" };
}

/**
 * The profile that a packet claims, such as `2b`; null if it claims none.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.xmpTags`, or elements too deep
 */
export async function claimOf(work: Work, bytes: Uint8Array): Promise<string | null> {
  const packet = await readXmpPacket(work, bytes);
  const claim = packet && claimIn(packet);
  return claim === undefined ? null : claim.part + claim.conformance.toLowerCase();
}

function checkIdentification(packet: XmpPacket | undefined, part: XmpPart, level: string, report: Report): void {
  const own = packet?.properties.filter(({ namespace }) => namespace === PDFA_IDENTIFICATION) ?? [];
  if (own.length === 0) {
    report("identified", "pdfaid");
    return;
  }
  const node = (local: string): XmpNode | undefined => own.find((property) => property.local === local);
  const value = (local: string): string | undefined => textOf(node(local));
  const said = (local: string): string => `pdfaid:${local}: ${value(local) ?? "none"}`;
  if (!/^[+-]?\d+$/.test(value("part") ?? "") || Number(value("part")) !== part) report("part", said("part"));
  const conformance = value("conformance");
  const isRight =
    part === 4
      ? level === ""
        ? conformance === undefined || /^[EF]$/.test(conformance)
        : conformance === level
      : conformance !== undefined && conformance.length === 1 && LEVELS[level]?.includes(conformance) === true;
  if (!isRight) report("conformance", said("conformance"));
  if (!/^\d{4}$/.test(value("rev") ?? "")) report("revision", said("rev"));
  const prefixed = {
    part: "partPrefix",
    conformance: "conformancePrefix",
    amd: "amendmentPrefix",
    corr: "corrigendumPrefix",
    rev: "revisionPrefix",
  } as const;
  for (const [local, rule] of Object.entries(prefixed)) {
    const prefix = node(local)?.prefix;
    if (prefix !== undefined && prefix !== "pdfaid") report(rule, `${prefix}:${local}`);
  }
}

const DC = "http://purl.org/dc/elements/1.1/";
const PDF = "http://ns.adobe.com/pdf/1.3/";
const XMP = "http://ns.adobe.com/xap/1.0/";
/** ISO 19005-1, 6.7.3, table 1. */
const INFO: readonly (readonly [entry: string, namespace: string, local: string, rule: XmpRuleName])[] = [
  ["CreationDate", XMP, "CreateDate", "infoCreationDate"],
  ["Title", DC, "title", "infoTitle"],
  ["Author", DC, "creator", "infoAuthor"],
  ["Subject", DC, "description", "infoSubject"],
  ["Keywords", PDF, "Keywords", "infoKeywords"],
  ["Creator", XMP, "CreatorTool", "infoCreator"],
  ["Producer", PDF, "Producer", "infoProducer"],
  ["ModDate", XMP, "ModifyDate", "infoModDate"],
];

function checkInfo(packet: XmpPacket, info: ReadonlyMap<string, string>, report: Report): void {
  for (const [entry, namespace, local, rule] of INFO) {
    const text = info.get(entry);
    if (text === undefined) continue;
    const other = valueOf(find(packet, namespace, local));
    const isEqual = entry.endsWith("Date") ? instant(text) === instant(other ?? "") : text === other;
    if (!isEqual) report(rule, entry);
  }
}

/** A text, the only item of a list, or the item of a language alternative that is for all languages. */
function valueOf(node: XmpNode | undefined): string | undefined {
  if (node === undefined || node.value.form === "structure") return undefined;
  if (node.value.form === "simple") return node.value.text;
  const { form, nodes } = node.value;
  if (form === "Alt") return textOf(nodes.find(({ language }) => language === "x-default"));
  return nodes.length === 1 ? textOf(nodes[0]) : undefined;
}

/** A moment, or the text if it is no date. */
function instant(text: string): number | string {
  const [, year, month, day, hour, minute, second, sign, hours, minutes] =
    /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(pdfDateOf(text) ?? "") ?? [];
  if (year === undefined) return text;
  const zone = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -1 : 1);
  const [m = 1, d = 1, h = 0, min = 0, s = 0] = [month, day, hour, minute, second].map((part) =>
    part === undefined ? undefined : Number(part),
  );
  return Date.UTC(Number(year), m - 1, d, h, min, s) - zone * 60_000;
}
