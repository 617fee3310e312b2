import { describe, expect, it } from "vitest";
import { PARSERS } from "../../src/engines/parse-meter.ts";
import { limits } from "../../src/limits.ts";
import { Work } from "../../src/engines/work.ts";
import { editXmp, withoutNamespace } from "../../src/engines/pdf/metadata/xmp.ts";

const RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
const packet = (inside: string): string =>
  `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${RDF}>` +
  `${inside}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
const description = (attributes: string, inside = ""): string =>
  `<rdf:Description rdf:about="" ${attributes}>${inside}</rdf:Description>`;
const DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
const PDF = 'xmlns:pdf="http://ns.adobe.com/pdf/1.3/"';
const PDFX = 'xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/"';
const PDFA = 'xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"';

/** The packet after the changes, as text. */
async function edited(before: string | Uint8Array, changes: Record<string, string | null>, clearsCustom = false) {
  const bytes = typeof before === "string" ? new TextEncoder().encode(before) : before;
  const after = await editXmp(new Work(1_000_000_000), bytes, new Map(Object.entries(changes)), clearsCustom);
  return after && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(after);
}

describe("XMP after an edit", () => {
  it("writes each entry in its own form", async () => {
    const after = await edited(packet(description(DC)), {
      Title: "A & <B>",
      Author: "Ann; Bo",
      Subject: "About",
      Keywords: "one, two",
      Creator: "Writer",
      Producer: "Maker",
      CreationDate: "D:20260102030405+01'00",
      ModDate: "D:20260102030405Z",
      Trapped: "False",
    });
    const list = (form: string, text: string, language = ""): string =>
      `<rdf:${form}><rdf:li${language}>${text}</rdf:li></rdf:${form}>`;
    expect(after).toContain(`<dc:title>${list("Alt", "A &amp; &lt;B&gt;", ' xml:lang="x-default"')}</dc:title>`);
    expect(after).toContain(`<dc:creator>${list("Seq", "Ann; Bo")}</dc:creator>`);
    expect(after).toContain(`<dc:description>${list("Alt", "About", ' xml:lang="x-default"')}</dc:description>`);
    expect(after).toMatch(/<pdf:Keywords[^>]*>one, two<\/pdf:Keywords>/);
    expect(after).toMatch(/<xmp:CreatorTool[^>]*>Writer<\/xmp:CreatorTool>/);
    expect(after).toMatch(/<pdf:Producer[^>]*>Maker<\/pdf:Producer>/);
    expect(after).toMatch(/<xmp:CreateDate[^>]*>2026-01-02T03:04:05\+01:00<\/xmp:CreateDate>/);
    expect(after).toMatch(/<xmp:ModifyDate[^>]*>2026-01-02T03:04:05Z<\/xmp:ModifyDate>/);
    expect(after).toMatch(/<pdf:Trapped[^>]*>False<\/pdf:Trapped>/);
  });

  it("leaves no old value: not in another language, an attribute, a second description, or an old place", async () => {
    const before = packet(
      description(
        `${DC} ${PDF} pdf:Producer="old"`,
        '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">old</rdf:li><rdf:li xml:lang="fr">old</rdf:li></rdf:Alt></dc:title>',
      ) + description(`${PDF} pdf:Title="old"`, "<pdf:Producer>old</pdf:Producer>"),
    );
    expect(await edited(before, { Title: "new", Producer: null })).not.toContain("old");
    expect(await edited(before, { Title: null, Producer: "new" })).not.toContain("old");
  });

  it("keeps all other properties", async () => {
    const rest =
      `<pdfuaid:part xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">1</pdfuaid:part>` +
      '<x:own xmlns:x="urn:own" rdf:parseType="Resource"><x:a>1 &lt; 2</x:a></x:own><!-- a note -->';
    const after = await edited(packet(description(`${PDFA} ${DC} pdfaid:part="2" pdfaid:conformance="B"`, rest)), {
      Title: "new",
    });
    expect(after).toContain(rest);
    expect(after).toContain('pdfaid:part="2" pdfaid:conformance="B"');
    expect(after?.startsWith('<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>')).toBe(true);
    expect(after?.endsWith('<?xpacket end="w"?>')).toBe(true);
  });

  it("keeps all other bytes unchanged", async () => {
    const before = packet(
      `<rdf:Description\trdf:about='' xmlns:dc = "http://purl.org/dc/elements/1.1/"\n>&#x41;<![CDATA[<]]>\r\n <dc:title >old</dc:title >\n</rdf:Description ><rdf:Description  dc:b='"' />`,
    ).replace("<rdf:RDF", `<rdf:RDF ${DC}`);
    const after = await edited(before, { Title: null });
    expect(after).toBe(before.replace("\r\n <dc:title >old</dc:title >", ""));
  });

  it("adds to a description without contents, and to a packet without a description", async () => {
    const title = '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">new</rdf:li></rdf:Alt></dc:title>';
    const empty = `<rdf:Description rdf:about="" ${DC} dc:title="old"/>`;
    expect(await edited(packet(empty), { Title: "new" })).toBe(
      packet(`<rdf:Description rdf:about="" ${DC}>${title}</rdf:Description>`),
    );
    const declared = title.replace("<dc:title", `<dc:title ${DC}`);
    expect(await edited(packet(""), { Title: "new" })).toBe(
      packet(`<rdf:Description rdf:about="">${declared}</rdf:Description>`),
    );
  });

  it("declares a prefix that has another meaning at the place of a new property", async () => {
    const other = `<rdf:Description rdf:about="" xmlns:dc="urn:other" xmlns="http://purl.org/dc/elements/1.1/"></rdf:Description>`;
    const after = await edited(packet(other), { Title: "new" });
    expect(after).toContain(`<dc:title ${DC}><rdf:Alt>`);
  });

  it("rewrites the list of keywords only where there is one", async () => {
    const list = `<dc:subject><rdf:Bag><rdf:li>old</rdf:li></rdf:Bag></dc:subject>`;
    expect(await edited(packet(description(DC, list)), { Keywords: "one; two" })).toContain(
      "<rdf:Bag><rdf:li>one</rdf:li><rdf:li>two</rdf:li></rdf:Bag>",
    );
    expect(await edited(packet(description(DC, list)), { Keywords: null })).not.toContain("dc:subject");
    expect(await edited(packet(description(DC)), { Keywords: "one" })).not.toContain("dc:subject");
  });

  it("writes custom entries under names that XML allows, and clears them", async () => {
    const plain = packet(description(""));
    expect(await edited(plain, { "A b": "x" })).toMatch(/<pdfx:A\u21820020b [^>]*>x<\/pdfx:A\u21820020b>/);
    expect(await edited(plain, { "1st": "x" })).toContain("<pdfx:\u21820031st ");
    expect(await edited(plain, { Größe: "x" })).toContain("<pdfx:Größe ");
    const given = packet(description(`${PDFX} pdfx:One="old"`, "<pdfx:Two>old</pdfx:Two>"));
    expect(await edited(given, { One: null, Two: "new" })).not.toContain("old");
    expect(await edited(given, {}, true)).not.toContain("old");
  });

  it("adds no custom property to a PDF/A, which would have to describe it, but updates existing ones", async () => {
    const archival = packet(description(`${PDFA} ${PDFX} pdfaid:part="1"`, "<pdfx:Two>old</pdfx:Two>"));
    const after = await edited(archival, { One: "x", Two: "new" });
    expect(after).not.toContain("pdfx:One");
    expect(after).toContain("<pdfx:Two>new</pdfx:Two>");
  });

  it("reads UTF-16, junk around the packet, and a prefix with another meaning", async () => {
    const text = `<?xml version="1.0" encoding="UTF-16"?>${packet(description('xmlns:dc="urn:else"'))}`;
    const utf16 = new Uint8Array(new Uint16Array([...text].map((letter) => letter.charCodeAt(0))).buffer);
    const after = await edited(utf16, { Title: "日本" });
    expect(after).toContain('<dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">');
    expect(after).toContain("日本");
    expect(after).not.toContain("UTF-16");
    expect(await edited(`\n${packet("")}\n\0\0`, { Title: "new" })).toContain("new");
  });

  it.each(["", "no XML", "<a>", packet("<rdf:Description>"), "<x:xmpmeta/>", "<a/>", packet("&undefined;")])(
    "leaves an unreadable packet alone: %j",
    async (before) => expect(await edited(before, { Title: "x" })).toBeUndefined(),
  );

  it("does not expand entities", async () => {
    const bomb = `<!DOCTYPE a [<!ENTITY b "old"><!ENTITY c "&b;&b;">]>${packet(description(DC, "<dc:a>&c;</dc:a>"))}`;
    expect(await edited(bomb, { Title: "x" })).toBeUndefined();
  });
});

describe("XMP without a namespace", () => {
  it("keeps all bytes but the properties of the namespace, whether elements or attributes", async () => {
    const id = "http://www.aiim.org/pdfa/ns/id/";
    const packetOf = (attributes: string, elements: string): string =>
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:own="${id}">` +
      `<rdf:Description rdf:about=""${attributes}>${elements}<a:b xmlns:a="urn:a">pdfaid:part</a:b></rdf:Description></rdf:RDF></x:xmpmeta>`;
    const claimed = packetOf(' own:part="2"', "<own:conformance>B</own:conformance>");
    const after = await withoutNamespace(new Work(1_000_000_000), new TextEncoder().encode(claimed), id);
    expect(new TextDecoder().decode(after)).toBe(packetOf("", ""));
  });

  it("a packet that is not well-formed has no namespace to remove", async () => {
    expect(await withoutNamespace(new Work(1_000_000_000), new TextEncoder().encode("<x>"), "urn:a")).toBeUndefined();
  });
});

describe("fuel of a packet", () => {
  /** The fuel of an edit that removes so many titles. */
  async function fuelOf(count: number): Promise<number> {
    const work = new Work(1_000_000_000);
    const titles = "<dc:title>x</dc:title>".repeat(count);
    const after = await editXmp(
      work,
      new TextEncoder().encode(packet(description(DC, titles))),
      new Map([["Title", "y"]]),
      false,
    );
    expect(new TextDecoder().decode(after).match(/<dc:title>/g)).toHaveLength(1);
    return work.spent;
  }

  it("a packet takes fuel by byte and by element", async () => {
    const [one, two, four] = [await fuelOf(1_000), await fuelOf(2_000), await fuelOf(4_000)];
    // An element and 22 bytes for each title.
    expect(two - one).toBeGreaterThanOrEqual(1_000 * (PARSERS.xml.element + 22 * PARSERS.xml.byte));
    expect(four - two).toBeLessThan(2.5 * (two - one));
    await expect(
      editXmp(new Work(1_000_000), new TextEncoder().encode(packet("<a/>".repeat(5_000))), new Map(), false),
    ).rejects.toThrow(expect.objectContaining({ code: "limit_exceeded", details: { limit: "work" } }));
  });

  it.each([
    ["tags and attributes", limits.metadata.xmpTags, "<a/>".repeat(limits.metadata.xmpTags)],
    ["tags and attributes", limits.metadata.xmpTags, '<a b="c"/>'.repeat(limits.metadata.xmpTags / 2)],
    [
      "attributes of a tag",
      limits.metadata.xmpAttributes,
      `<a${Array.from({ length: limits.metadata.xmpAttributes + 1 }, (_, at) => ` a${at}=""`).join("")}/>`,
    ],
    ["levels of elements", limits.xmlLevels, "<a>".repeat(limits.xmlLevels) + "</a>".repeat(limits.xmlLevels)],
  ])("a packet of too many %s is refused", async (what, limit, inside) => {
    const bytes = new TextEncoder().encode(packet(inside));
    const message = `The XMP metadata of the PDF has too many ${what}.`;
    await expect(editXmp(new Work(1_000_000_000), bytes, new Map(), false)).rejects.toThrow(
      expect.objectContaining({ code: "limit_exceeded", message, details: expect.objectContaining({ limit }) }),
    );
  });
});
