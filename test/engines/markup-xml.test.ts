import { describe, expect, it } from "vitest";
import { readXml, type XmlBounds } from "../../src/engines/markup/xml.ts";
import { ParseMeter, PARSERS } from "../../src/engines/parse-meter.ts";
import { Work } from "../../src/engines/work.ts";
import { limits } from "../../src/limits.ts";

/** What a text says: each tag with the text of its places, and its attributes with theirs. */
async function read(text: string, work = new Work(Infinity), bounds: Partial<XmlBounds> = {}): Promise<string[]> {
  const seen: string[] = [];
  const meter = new ParseMeter(work, "xml");
  await readXml(
    meter,
    text,
    { elements: 1_000, attributes: 10, ...bounds },
    {
      open: ({ uri, local, attributes, attributeSpans, span }) => {
        const values = Object.values(attributes).map(({ uri: of, local: name, value }) => `${of}|${name}=${value}`);
        const places = attributeSpans.map(({ start, end }) => text.slice(start, end));
        seen.push([`${uri}|${local}`, ...values, text.slice(span.start, span.end), ...places].join(" ~ "));
      },
      text: (added) => void seen.push(`text ${added}`),
      close: ({ start, end }) => void seen.push(`close ${text.slice(start, end)}`),
    },
  );
  return seen;
}

describe("markup of XML", () => {
  it("an XML text is reported tag by tag, with namespaces and positions", async () => {
    const text = `\ufeff<?xml version="1.0"?>\n<!-- c --><a xmlns='u' xmlns:p="v"><p:b\n q = '1'  p:r="&lt;&#x41;"/>x<![CDATA[<&]]>\r\n</a >\n`;
    const declared = "http://www.w3.org/2000/xmlns/";
    expect(await read(text)).toEqual([
      `u|a ~ ${declared}|xmlns=u ~ ${declared}|p=v ~ <a xmlns='u' xmlns:p="v"> ~  xmlns='u' ~  xmlns:p="v"`,
      `v|b ~ |q=1 ~ v|r=<A ~ <p:b\n q = '1'  p:r="&lt;&#x41;"/> ~ \n q = '1' ~   p:r="&lt;&#x41;"`,
      `close <p:b\n q = '1'  p:r="&lt;&#x41;"/>`,
      "text x",
      "text <&",
      "text \n",
      "close </a >",
    ]);
  });

  it("an XML text is read the same wherever its chunks end", async () => {
    const pad = (count: number): string => `<a>${"x".repeat(count)}<b c="1" d='&amp;\u{1f600}'>\r\n</b></a>`;
    for (let at = 16_384 - 45; at < 16_384; at++)
      expect((await read(pad(at))).slice(2)).toEqual([
        "|b ~ |c=1 ~ |d=&\u{1f600} ~ <b c=\"1\" d='&amp;\u{1f600}'> ~  c=\"1\" ~  d='&amp;\u{1f600}'",
        "text \n",
        "close </b>",
        "close </a>",
      ]);
  });

  it.each([
    ["nothing", ""],
    ["text alone", "x"],
    ["an end tag of another element", "<a></b>"],
    ["no end tag", "<a>"],
    ["two roots", "<a/><b/>"],
    ["an attribute twice", '<a b="" b=""/>'],
    ["an attribute twice by its namespace", '<a xmlns:p="u" xmlns:q="u" p:b="" q:b=""/>'],
    ["a prefix without a namespace", "<p:a/>"],
    ["an attribute without quotes", "<a b=c/>"],
    ["an entity of its own", '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'],
    ["a control character", "<a>\u0001</a>"],
    ["a reference to none", "<a>&#0;</a>"],
  ])("an XML text with %s is malformed", async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ kind: "malformed" });
  });

  it("elements, attributes, and levels of an XML text are limited", async () => {
    const deep = "<a>".repeat(limits.xmlLevels) + "</a>".repeat(limits.xmlLevels);
    expect(await read(deep)).toHaveLength(2 * limits.xmlLevels);
    await expect(read(`<b>${deep}</b>`)).rejects.toMatchObject({ kind: "depth", actual: limits.xmlLevels + 1 });
    const elements = { elements: 2 };
    await expect(read("<a><b/><b/></a>", undefined, elements)).rejects.toMatchObject({ kind: "elements", actual: 3 });
    const attributes = { attributes: 1 };
    await expect(read('<a b="" c=""/>', undefined, attributes)).rejects.toMatchObject({
      kind: "attributes",
      actual: 2,
    });
  });

  it("an XML text takes fuel by character, element, and attribute, before they are read", async () => {
    const fuelOf = async (text: string): Promise<number> => {
      const work = new Work(Infinity);
      await read(text, work);
      return work.spent;
    };
    const { byte, element } = PARSERS.xml;
    const empty = await fuelOf("<a></a>");
    expect((await fuelOf("<a>xx</a>")) - empty).toBe(2 * byte);
    expect((await fuelOf('<a b="c"></a>')) - empty).toBe(6 * byte + element + byte);
    const limit = 100 * byte;
    const text = `<a>${"x".repeat(1_000_000)}</a>`;
    await expect(read(text, new Work(limit))).rejects.toMatchObject({ details: { limit: "work" } });
  });
});
