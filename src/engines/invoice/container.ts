/** The PDF around an invoice, as Factur-X 1.0 and ZUGFeRD want it: PDF/A-3, the attached file, and XMP that agrees with it. */
import {
  type Attachment,
  type AttachmentFacts,
  decryptAll,
  describeAttachments,
  readAttachment,
} from "../pdf/attachments/attachments.ts";
import type { Profile } from "../pdf/conformance/model/profiles.ts";
import { claimedProfile, validate } from "../pdf/conformance/validate.ts";
import { readXmpPacket, type XmpNode } from "../pdf/conformance/xmp/rdf.ts";
import type { OpenPdf } from "../pdf/document/document.ts";
import { readPacket } from "../pdf/metadata/metadata.ts";
import { eachItem, objectNumber } from "../pdf/objects/objects.ts";
import type { InvoiceFailure } from "./check.ts";
import type { InvoiceProfile } from "./profiles.ts";
import { type NotInvoice, readInvoice, type ReadInvoice } from "./read-invoice.ts";

/** Names of attached invoices, and the XMP properties that go with them: those of Factur-X, of ZUGFeRD 2.0, and of ZUGFeRD 1. */
export const FACTUR_X = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";
const ZUGFERD_2 = "urn:zugferd:pdfa:CrossIndustryDocument:invoice:2p0#";
const ZUGFERD_1 = "urn:ferd:pdfa:CrossIndustryDocument:invoice:1p0#";
const NAMES: ReadonlyMap<string, string> = new Map([
  ["factur-x.xml", FACTUR_X],
  ["xrechnung.xml", FACTUR_X],
  ["zugferd-invoice.xml", ZUGFERD_2],
  ["ZUGFeRD-invoice.xml", ZUGFERD_1],
]);
const KNOWN = new Set([...NAMES.keys()].map((name) => name.toLowerCase()));

/** Attached XML files that are read to find one that is an invoice by another name. */
const MOST_READ = 10;

/** The attachments that are an invoice: by their names, else by their content. */
export async function findInvoices(open: OpenPdf, attachments: readonly Attachment[]): Promise<readonly Attachment[]> {
  const named = attachments.filter(({ name }) => KNOWN.has(name.toLowerCase()));
  if (named.length > 0) return named;
  for (const one of attachments.filter(({ name }) => /\.xml$/i.test(name)).slice(0, MOST_READ)) {
    if (typeof (await readInvoice(open.engine.work, await bytesOfAttachment(open, one))) !== "string") return [one];
  }
  return [];
}

export async function bytesOfAttachment(open: OpenPdf, attachment: Attachment): Promise<Uint8Array> {
  await decryptAll(open, [attachment]);
  const bytes = await readAttachment(open, attachment);
  open.engine.claim(bytes.length);
  const copy = bytes.view(0, bytes.length).slice();
  bytes.free();
  return copy;
}

export interface Container {
  readonly attachment: Pick<AttachmentFacts, "name" | "relationship" | "contentType">;
  readonly pdfa: { readonly profile: Profile; readonly claimed: string | null; readonly conforms: boolean | null };
  /** Null if the metadata has none of the properties. */
  readonly xmp: XmpFacts | null;
  readonly failures: InvoiceFailure[];
}

interface XmpFacts {
  readonly namespace: string;
  readonly documentType: string | null;
  readonly documentFileName: string | null;
  readonly version: string | null;
  readonly conformanceLevel: string | null;
}

/**
 * @param bytes of the stored PDF
 * @throws Refusal `limit_exceeded`, `overloaded`
 */
export async function checkContainer(
  open: OpenPdf,
  bytes: Uint8Array,
  attachment: Attachment,
  invoice: ReadInvoice | NotInvoice,
): Promise<Container> {
  const read = typeof invoice === "string" ? undefined : invoice;
  const { engine } = open;
  const failures: InvoiceFailure[] = [];
  const fail = (rule: string, message: string, path: string): void => {
    failures.push({ rule, message, path, count: 1 });
  };
  const claimed = await claimedProfile(open);
  const profile = claimed?.startsWith("3") === true ? claimed : "3b";
  const report = await validate(open, bytes, profile, engine.work);
  if (report.conforms === false) {
    const [first] = report.failures;
    const rules = `${report.failures.length} ${report.failures.length === 1 ? "rule" : "rules"}`;
    const example = first ? `, such as ${first.clause}-${first.test}: ${first.message}` : "";
    fail("PDFA-3", `The PDF breaks ${rules} of PDF/A-${profile}${example}`, "Catalog");
  }
  const [facts] = await describeAttachments(open, [attachment]);
  if (facts === undefined) throw new Error("one attachment has been described");
  const { name, relationship, contentType } = facts;
  const nodes = await propertiesOf(open);
  const xmp = xmpFacts(nodes, NAMES.get(name));
  for (const [id, message] of attachmentProblems(facts, read)) fail(id, message, name);
  if (!(await isAssociated(open, attachment))) {
    fail("AF-CATALOG", "The attached invoice is not among the associated files (AF) of the document.", "Catalog");
  }
  // Only these formats have properties of their own.
  if (read?.invoice.syntax !== "UBL") {
    for (const [id, message] of xmpProblems(nodes, xmp, name, read)) fail(id, message, "Metadata");
  }
  return {
    attachment: { name, relationship, contentType },
    pdfa: { profile, claimed: report.claimed, conforms: report.conforms },
    xmp,
    failures,
  };
}

type Problem = readonly [id: string, message: string];

/** How the attached file may relate to the document. Without lines, the XML is only data. */
const allowedRelationships = (profile: InvoiceProfile | undefined): readonly string[] =>
  profile === "MINIMUM" || profile === "BASIC WL" ? ["Data"] : ["Alternative", "Data", "Source"];

function* attachmentProblems(
  { name, relationship, contentType }: AttachmentFacts,
  read: ReadInvoice | undefined,
): Generator<Problem> {
  const isOld = read?.invoice.syntax === "ZUGFeRD 1";
  const names = [...NAMES.keys()].filter((one) => (NAMES.get(one) === ZUGFERD_1) === isOld);
  if (read && read.invoice.syntax !== "UBL" && !names.includes(name)) {
    yield ["AF-NAME", `The attached invoice is named ${name}, but must be named ${names.join(", ")}.`];
  }
  const allowed = allowedRelationships(read?.profile);
  if (!isOld && (relationship === null || !allowed.includes(relationship))) {
    const actual = relationship ?? "missing";
    yield [
      "AF-RELATIONSHIP",
      `The relationship of the attached invoice is ${actual}, but must be ${allowed.join(", ")}.`,
    ];
  }
  if (contentType !== "text/xml" && contentType !== "application/xml") {
    yield ["AF-TYPE", `The media type of the attached invoice is ${contentType ?? "missing"}, but must be text/xml.`];
  }
}

/** Whether the catalog's `AF` has the file. */
async function isAssociated({ engine, document }: OpenPdf, { stream }: Attachment): Promise<boolean> {
  const own = objectNumber(stream);
  for await (const one of eachItem(engine, document.getTrailer().get("Root", "AF"))) {
    if (["UF", "F"].some((name) => objectNumber(one.get("EF", name)) === own)) return true;
  }
  return false;
}

/** The properties about the invoice. */
async function propertiesOf({ engine, document }: OpenPdf): Promise<readonly XmpNode[]> {
  const stream = document.getTrailer().get("Root", "Metadata");
  if (!stream.isStream()) return [];
  const packet = await readXmpPacket(engine.work, readPacket(engine, stream));
  const namespaces = new Set(NAMES.values());
  return packet?.properties.filter(({ namespace }) => namespaces.has(namespace)) ?? [];
}

/** Those that go with the name of the attached file, if the metadata has several. */
function xmpFacts(nodes: readonly XmpNode[], expected: string | undefined): XmpFacts | null {
  const first = nodes.find(({ namespace }) => namespace === expected) ?? nodes[0];
  if (first === undefined) return null;
  const { namespace } = first;
  const value = (name: string): string | null => {
    const node = nodes.find((one) => one.namespace === namespace && one.local === name);
    return node?.value.form === "simple" ? node.value.text.trim() : null;
  };
  return {
    namespace,
    documentType: value("DocumentType"),
    documentFileName: value("DocumentFileName"),
    version: value("Version"),
    conformanceLevel: value("ConformanceLevel"),
  };
}

function* xmpProblems(
  nodes: readonly XmpNode[],
  xmp: XmpFacts | null,
  name: string,
  read: ReadInvoice | undefined,
): Generator<Problem> {
  const expected = NAMES.get(name) ?? FACTUR_X;
  if (xmp === null) {
    yield [
      "XMP-SCHEMA",
      "The metadata has no properties of the invoice (DocumentType, DocumentFileName, Version, ConformanceLevel).",
    ];
    return;
  }
  if (xmp.namespace !== expected) {
    yield [
      "XMP-SCHEMA",
      `The properties of the invoice are in the namespace ${xmp.namespace}, but those of ${name} are in ${expected}.`,
    ];
  }
  const wrong = nodes.find(({ namespace, prefix }) => namespace === FACTUR_X && prefix !== "fx");
  if (wrong) yield ["XMP-PREFIX", `The properties of the invoice have the prefix ${wrong.prefix}, but must have fx.`];
  if (xmp.documentType !== "INVOICE") {
    yield ["XMP-TYPE", `DocumentType is ${xmp.documentType ?? "missing"}, but must be INVOICE.`];
  }
  if (xmp.documentFileName !== name) {
    yield [
      "XMP-NAME",
      `DocumentFileName is ${xmp.documentFileName ?? "missing"}, but the attached invoice is named ${name}.`,
    ];
  }
  if (xmp.version === null || xmp.version === "") yield ["XMP-VERSION", "Version is missing."];
  if (read?.profile !== undefined && xmp.conformanceLevel !== read.profile) {
    yield [
      "XMP-LEVEL",
      `ConformanceLevel is ${xmp.conformanceLevel ?? "missing"}, but the profile of the invoice is ${read.profile}.`,
    ];
  }
}
