import { describe, expect, it } from "vitest";
import { checkXmp, type DocumentMetadata } from "../../../src/engines/pdf/conformance/xmp/check.ts";
import type { XmpPart } from "../../../src/engines/pdf/conformance/xmp/rules.ts";
import { Work } from "../../../src/engines/work.ts";

const NAMESPACES = {
  dc: "http://purl.org/dc/elements/1.1/",
  pdf: "http://ns.adobe.com/pdf/1.3/",
  pdfaExtension: "http://www.aiim.org/pdfa/ns/extension/",
  pdfaField: "http://www.aiim.org/pdfa/ns/field#",
  pdfaProperty: "http://www.aiim.org/pdfa/ns/property#",
  pdfaSchema: "http://www.aiim.org/pdfa/ns/schema#",
  pdfaType: "http://www.aiim.org/pdfa/ns/type#",
  pdfaid: "http://www.aiim.org/pdfa/ns/id/",
  p: "http://www.aiim.org/pdfa/ns/id/",
  stRef: "http://ns.adobe.com/xap/1.0/sType/ResourceRef#",
  xmp: "http://ns.adobe.com/xap/1.0/",
  xmpDM: "http://ns.adobe.com/xmp/1.0/DynamicMedia/",
  xmpMM: "http://ns.adobe.com/xap/1.0/mm/",
  c: "https://example.com/machines/",
  v: "https://example.com/values/",
};
const DECLARED = Object.entries(NAMESPACES).map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`);
const IDENTIFIED = '<rdf:Description rdf:about="" pdfaid:part="2" pdfaid:conformance="B"/>';

const packetOf = (content: string, header = "begin='' id='W5M0MpCehiHzreSzNTczkc9d'"): string =>
  `<?xpacket ${header}?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"` +
  `${DECLARED.join("")}>${content}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
const described = (properties: string): string =>
  packetOf(`${IDENTIFIED}<rdf:Description rdf:about="">${properties}</rdf:Description>`);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Given {
  readonly part?: XmpPart;
  readonly level?: string;
  readonly info?: Readonly<Record<string, string>>;
  readonly others?: readonly string[];
}

/** The tests that fail, each with the property, attribute, or entry. */
async function failures(packet: string | Uint8Array | undefined, given: Given = {}): Promise<string[]> {
  const { part = 2, level = "B", info = {}, others = [] } = given;
  const stream = (each: string | Uint8Array, object: number) => ({
    bytes: typeof each === "string" ? bytesOf(each) : each,
    object,
  });
  const metadata: DocumentMetadata = {
    main: packet === undefined ? undefined : stream(packet, 1),
    others: others.map((each, index) => stream(each, index + 2)),
    info: new Map(Object.entries(info)),
  };
  const report = await checkXmp(new Work(Infinity), metadata, part, level);
  return report.failures.map(({ clause, test, context }) => `${clause}-${test} ${context}`);
}

const extension = (fields: { readonly schema?: string; readonly property?: string; readonly type?: string }): string =>
  '<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">' +
  `${fields.schema ?? "<pdfaSchema:schema>Machines</pdfaSchema:schema>"}<pdfaSchema:namespaceURI>${NAMESPACES.c}</pdfaSchema:namespaceURI>` +
  '<pdfaSchema:prefix>c</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">' +
  "<pdfaProperty:name>size</pdfaProperty:name>" +
  (fields.property ?? "<pdfaProperty:valueType>Size</pdfaProperty:valueType>") +
  "<pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>Its size</pdfaProperty:description>" +
  '</rdf:li></rdf:Seq></pdfaSchema:property><pdfaSchema:valueType><rdf:Seq><rdf:li rdf:parseType="Resource">' +
  `<pdfaType:type>Size</pdfaType:type><pdfaType:namespaceURI>${NAMESPACES.v}</pdfaType:namespaceURI>` +
  `${fields.type ?? "<pdfaType:prefix>v</pdfaType:prefix>"}<pdfaType:description>A size</pdfaType:description>` +
  '<pdfaType:field><rdf:Seq><rdf:li rdf:parseType="Resource"><pdfaField:name>width</pdfaField:name>' +
  "<pdfaField:valueType>Integer</pdfaField:valueType><pdfaField:description>In meters</pdfaField:description>" +
  "</rdf:li></rdf:Seq></pdfaType:field></rdf:li></rdf:Seq></pdfaSchema:valueType></rdf:li></rdf:Bag></pdfaExtension:schemas>";
const size = (width: string): string => `<c:size rdf:parseType="Resource"><v:width>${width}</v:width></c:size>`;

describe("XMP of PDF/A", () => {
  it("conforms with properties of the predefined schemas", async () => {
    const content =
      "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Ä</rdf:li></rdf:Alt></dc:title><dc:creator><rdf:Seq><rdf:li>A</rdf:li></rdf:Seq></dc:creator>" +
      "<xmp:CreateDate>2026-11-28T10:00:00+01:00</xmp:CreateDate>" +
      "<xmpMM:DerivedFrom rdf:parseType='Resource'><stRef:documentID>uuid:1</stRef:documentID></xmpMM:DerivedFrom>" +
      "<xmpDM:trackNumber>3</xmpDM:trackNumber>";
    expect(await failures(described(content))).toEqual([]);
    // XMP of 2004 has no schema for media.
    expect(await failures(described(content), { part: 1 })).toEqual([
      "6.7.9-2 xmpDM:trackNumber",
      "6.7.9-3 xmpDM:trackNumber",
      "6.7.11-2 pdfaid:part: 2",
    ]);
  });

  it.each([
    ["dc:title", "<dc:title>text</dc:title>"],
    ["dc:title", "<dc:title><rdf:Alt><rdf:li>without a language</rdf:li></rdf:Alt></dc:title>"],
    ["dc:subject", "<dc:subject><rdf:Seq><rdf:li>a list in order</rdf:li></rdf:Seq></dc:subject>"],
    ["xmp:CreateDate", "<xmp:CreateDate>2026-11-31</xmp:CreateDate>"],
    ["xmp:CreateDate", "<xmp:CreateDate>2026-11-28T10:00:00Z+01:00</xmp:CreateDate>"],
    ["xmp:CreateDate", "<xmp:CreateDate>D:20261128</xmp:CreateDate>"],
    ["xmpMM:SaveID", "<xmpMM:SaveID>2.0</xmpMM:SaveID>"],
    ["xmpDM:loop", "<xmpDM:loop>true</xmpDM:loop>"],
    [
      "xmpMM:DerivedFrom",
      "<xmpMM:DerivedFrom rdf:parseType='Resource'><stRef:originalDocumentID>1</stRef:originalDocumentID></xmpMM:DerivedFrom>",
    ],
  ])("reports that %s has another type in %s", async (name, content) => {
    expect(await failures(described(content))).toEqual([`6.6.2.3.1-2 ${name}`]);
  });

  it("reports a property that no schema has", async () => {
    const undefinedToo = ["6.6.2.3.1-1 pdf:Trapped", "6.6.2.3.1-2 pdf:Trapped"];
    expect(await failures(described("<pdf:Trapped>False</pdf:Trapped>"))).toEqual(undefinedToo);
    expect(await failures(described("<pdf:Trapped>False</pdf:Trapped>"), { part: 4, level: "" })).toEqual([
      "6.7.3-2 pdfaid:part: 2",
      "6.7.3-3 pdfaid:conformance: B",
      "6.7.3-5 pdfaid:rev: none",
    ]);
  });

  it("takes properties that an extension schema describes, with types of its own", async () => {
    expect(await failures(described(extension({}) + size("4")))).toEqual([]);
    expect(await failures(described(extension({}) + size("4 m")))).toEqual(["6.6.2.3.1-2 c:size"]);
    // Metadata of another object may use the schemas of the catalog's.
    const other = packetOf(`<rdf:Description rdf:about="">${size("x")}</rdf:Description>`);
    expect(await failures(described(extension({})), { others: [other] })).toEqual(["6.6.2.3.1-2 c:size"]);
    expect(await failures(described(""), { others: [other] })).toEqual(["6.6.2.3.1-1 c:size", "6.6.2.3.1-2 c:size"]);
  });

  it("checks metadata of other objects in a document whose catalog has none", async () => {
    const other = packetOf(`<rdf:Description rdf:about="">${size("x")}</rdf:Description>`);
    expect(await failures(undefined, { others: [other] })).toEqual([
      "6.6.2.1-1 Metadata",
      "6.6.2.3.1-1 c:size",
      "6.6.2.3.1-2 c:size",
    ]);
  });

  it.each([
    [{ schema: "" }, ["6.6.2.3.3-2 no schema"]],
    [{ type: "" }, ["6.6.2.3.3-13 no prefix"]],
    [{ type: "<p:prefix>v</p:prefix>" }, ["6.6.2.3.2-1 p:prefix in a value type", "6.6.2.3.3-13 no prefix"]],
    [{ property: "" }, ["6.6.2.3.3-8 no valueType", "6.6.2.3.1-1 c:size", "6.6.2.3.1-2 c:size"]],
    [
      { property: "<pdfaProperty:valueType>bag Length</pdfaProperty:valueType>" },
      ["6.6.2.3.3-8 pdfaProperty:valueType: bag Length", "6.6.2.3.1-1 c:size", "6.6.2.3.1-2 c:size"],
    ],
  ])("reports an extension schema with %o", async (fields, expected) => {
    expect(await failures(described(extension(fields) + size("4")))).toEqual(expected);
  });

  it("reports a packet that is not there, not XML, or not the subset of RDF", async () => {
    expect(await failures(undefined)).toEqual(["6.6.2.1-1 Metadata"]);
    const unread = ["6.6.2.1-4 Metadata", "6.6.2.1-5 Metadata", "6.6.4-1 pdfaid"];
    expect(await failures("<x:xmpmeta")).toEqual(unread);
    for (const content of [
      "<xmp:Label>a</xmp:Label><xmp:Label>b</xmp:Label>",
      "<xmp:Label rdf:parseType='Literal'>a</xmp:Label>",
      "<dc:subject><rdf:Bag>text</rdf:Bag></dc:subject>",
      "<dc:subject><rdf:Bag><xmp:li>a</xmp:li></rdf:Bag></dc:subject>",
      "<rdf:Description rdf:about=''/>",
    ]) {
      expect(await failures(described(content))).toEqual(unread);
    }
    const other = '<rdf:Description rdf:about="uuid:1"/><rdf:Description rdf:about="uuid:2"/>';
    expect(await failures(packetOf(other))).toEqual(unread);
  });

  it("reports the header's attributes and other encodings", async () => {
    const withHeader = packetOf(IDENTIFIED, "begin='' bytes='100' encoding='UTF-8'");
    expect(await failures(withHeader)).toEqual(["6.6.2.1-2 xpacket", "6.6.2.1-3 xpacket"]);
    const text = packetOf(IDENTIFIED);
    const wide = new Uint8Array(Array.from(text, (character) => [0, character.charCodeAt(0)]).flat());
    expect(await failures(wide)).toEqual(["6.6.2.1-5 UTF-16"]);
    const wider = new Uint8Array(Array.from(text, (character) => [character.charCodeAt(0), 0, 0, 0]).flat());
    expect(await failures(wider)).toEqual(["6.6.2.1-5 UTF-32"]);
    // ISO 19005-1 leaves the encoding open.
    expect(await failures(wider, { part: 1 })).toEqual(["6.7.11-2 pdfaid:part: 2"]);
  });

  it("compares the claim with the profile", async () => {
    const claim = (attributes: string): string => packetOf(`<rdf:Description rdf:about="" ${attributes}/>`);
    expect(await failures(claim(""))).toEqual(["6.6.4-1 pdfaid"]);
    const part3 = claim('pdfaid:part="3" pdfaid:conformance="U"');
    expect(await failures(part3, { part: 3, level: "U" })).toEqual([]);
    expect(await failures(part3, { part: 3, level: "B" })).toEqual([]);
    expect(await failures(part3, { part: 3, level: "A" })).toEqual(["6.6.4-3 pdfaid:conformance: U"]);
    expect(await failures(claim('p:part="2" p:conformance="B"'))).toEqual(["6.6.4-4 p:part", "6.6.4-5 p:conformance"]);
    const part4 = 'pdfaid:part="4" pdfaid:rev="2020"';
    expect(await failures(claim(part4), { part: 4, level: "" })).toEqual([]);
    expect(await failures(claim(part4), { part: 4, level: "F" })).toEqual(["6.7.3-3 pdfaid:conformance: none"]);
  });

  it("compares the Info dictionary with XMP in part 1", async () => {
    const content =
      "<dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:creator><pdf:Producer>P</pdf:Producer>" +
      "<xmp:CreateDate>2026-11-28T10:00:00+01:00</xmp:CreateDate><xmp:ModifyDate>2026-11-28T10:00:00Z</xmp:ModifyDate>";
    const info = {
      Author: "A",
      Producer: "P",
      Title: "T",
      CreationDate: "D:20261128090000Z",
      ModDate: "D:20261128100001Z",
    };
    expect(await failures(described(content).replace('part="2"', 'part="1"'), { part: 1, info })).toEqual([
      "6.7.3-2 Title",
      "6.7.3-3 Author",
      "6.7.3-8 ModDate",
    ]);
    expect(await failures(described(content), { info })).toEqual([]);
  });
});
