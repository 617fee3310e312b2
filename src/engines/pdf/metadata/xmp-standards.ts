/** Standards that XMP declares: PDF/A (ISO 19005) and PDF/UA (ISO 14289). */
import type { Work } from "../../work.ts";
import { elementsOf, type XmpName, parseXmp, RDF, textWithin } from "./xmp.ts";

const STANDARDS: Readonly<Record<string, string>> = {
  "http://www.aiim.org/pdfa/ns/id/": "pdfaid",
  "http://www.aiim.org/pdfua/ns/id/": "pdfuaid",
};

/** PDF/A accepts the properties of PDF/UA only if the packet describes them (ISO 19005-2, 6.6.2.3). */
const PDFUA_SCHEMA =
  '<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" ' +
  'xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">' +
  '<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>' +
  "<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>" +
  "<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>" +
  ["part", "amd", "corr", "rev"]
    .map(
      (name) =>
        `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name>` +
        `<pdfaProperty:valueType>${name === "part" || name === "rev" ? "Integer" : "Text"}</pdfaProperty:valueType>` +
        "<pdfaProperty:category>internal</pdfaProperty:category>" +
        `<pdfaProperty:description>PDF/UA ${name}</pdfaProperty:description></rdf:li>`,
    )
    .join("") +
  "</rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>";

/**
 * A packet with only the standards that the document declares, or undefined if there are none.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.xmpTags`
 */
export async function standardsOf(work: Work, packet: Uint8Array): Promise<Uint8Array | undefined> {
  const properties = new Map<string, string>();
  const add = ({ namespace, local }: XmpName, value: () => string): void => {
    const prefix = STANDARDS[namespace];
    // Only parts, levels, and years, so that nothing else can pass.
    if (prefix === undefined || !/^(part|conformance|rev|amd|corr)$/.test(local)) return;
    const text = value().trim();
    if (/^[\w:-]{1,16}$/.test(text)) properties.set(`${prefix}:${local}`, text);
  };
  for (const description of (await parseXmp(work, packet))?.roots.flatMap(elementsOf) ?? []) {
    for (const attribute of description.attributes) add(attribute, () => attribute.value);
    for (const child of elementsOf(description)) add(child, () => textWithin(child));
  }
  if (properties.size === 0) return undefined;
  const names = [...properties.keys()];
  const hasBoth = Object.values(STANDARDS).every((prefix) => names.some((name) => name.startsWith(`${prefix}:`)));
  const namespaces = Object.entries(STANDARDS).map(([namespace, prefix]) => ` xmlns:${prefix}="${namespace}"`);
  const elements = [...properties].map(([name, value]) => `<${name}>${value}</${name}>`);
  return new TextEncoder().encode(
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
      `<rdf:RDF xmlns:rdf="${RDF}"><rdf:Description rdf:about=""${namespaces.join("")}>${elements.join("")}` +
      `</rdf:Description>${hasBoth ? PDFUA_SCHEMA : ""}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`,
  );
}
