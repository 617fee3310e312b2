import { expect, test } from "vitest";
import { boundedHtml, DIVISION } from "../../src/engines/convert/source/bounded-html.ts";
import { reducedStyleSheet, stylePieces } from "../../src/engines/convert/source/style-sheet.ts";
import { ParseMeter } from "../../src/engines/parse-meter.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

const names = {
  elements: new Set(["p", "div"]),
  classes: new Set(["a"]),
  ids: new Set(["i"]),
  attributes: new Set(["class", "id", "lang"]),
};
const reduced = (css: string) => reducedStyleSheet(new ParseMeter(unlimitedWork(), "css"), css, names);

test.each([
  ["p{color:red}", "p{color:#ff0000}", 1],
  ["b{color:red}", "", 0],
  ["P.a#i[lang]{top:0}", "P.a#i[lang]{top:0}", 1],
  [".b{top:0} .a{top:0}", ".a{top:0}", 1],
  ["b,p , .b{top:0}", "p{top:0}", 1],
  ["div>p.b{top:0}", "", 0],
  ["div b p{top:0}", "", 0],
  ["p:hover{top:0}", "p:hover{top:0}", 1],
  ["p:nth-child(2n + 1){top:0}", "p:nth-child(2n + 1){top:0}", 1],
  ["[title]{top:0}", "", 0],
  ['[lang="}"]{top:0} b{top:0}', '[lang="}"]{top:0}', 1],
  // What MuPDF does not know would end the rule.
  ["p~b,i,div{top:0}", "div{top:0}", 1],
  [".md\\:flex{top:0}", "", 0],
  ["p{color:red;width:calc(100% - 2px);--x:y;*zoom:1;top:0}", "p{color:#ff0000;top:0}", 1],
  ["/* b{} */ p{top:0}", "p{top:0}", 1],
  ["p{}", "", 1],
  ["@media print{b{top:0} p{top:0}} div{top:0}", "p{top:0}div{top:0}", 2],
  ["@media screen{p{top:0}} div{top:0}", "div{top:0}", 1],
  ["@media screen{@media print{p{top:0}}} div{top:0}", "div{top:0}", 1],
  ["@keyframes k{from{top:0}} div{top:0}", "div{top:0}", 1],
  ["@page{margin:0;@top-left{content:'}'}} @page :first{top:0} @import 'x'; b{top:0}", "@page{margin:0}", 0],
])("%s keeps only rules that may match", async (css, kept, selectors) => {
  expect(await reduced(css)).toEqual({ css: kept, selectors });
});

test.each([
  ["p ~ div{top:0}", ["css-selectors"]],
  ["p~b{top:0}", []],
  ["p:last-child{top:0}", ["css-selectors"]],
  ["b:last-child{top:0}", []],
  ["p:nth-of-type(2){top:0}", ["css-selectors"]],
  [":is(p){top:0}", ["css-selectors"]],
  ["p:not(.a .b){top:0}", ["css-selectors"]],
  ["p:not(.a,.b){top:0}", ["css-selectors"]],
  ["p:not(.a){top:0} [lang^=en]{top:0} p:first-child{top:0} [lang~=en]{top:0}", []],
  ["p:hover{top:0} p:focus-visible{top:0}", []],
  ["@media screen{p ~ div{top:0}}", []],
  ["p::before{content:'x'}", ["generated-content"]],
  ["p::after{content:'';display:table}", []],
  ["b:before{content:'x'}", []],
  ["p{width:calc(100% - 2px)}", ["css-values"]],
  ["p{width:min(1px,2px)}", ["css-values"]],
  ["b{width:calc(100% - 2px)}", []],
])("%s reports its losses", async (css, lost) => {
  const notConverted = new Set<string>();
  await reducedStyleSheet(new ParseMeter(unlimitedWork(), "css"), css, names, notConverted);
  expect([...notConverted]).toEqual(lost);
});

test("rules are found in groups, and with margin boxes of pages", () => {
  const css = "@media print{.a{break-before:page}}@page{@top-left{content:'}'}margin:1cm}b{";
  const rules = [...stylePieces(css)].flatMap(({ rule }) => (rule ? [rule] : []));
  expect(rules).toEqual([
    { prelude: ".a", body: "break-before:page", applies: true },
    { prelude: "@page", body: "@top-left{content:'}'}margin:1cm", applies: true },
    { prelude: "b", body: "", applies: true },
  ]);
});

test("words of more than 500 letters get places where a line may end, but not before a mark or within a reference", async () => {
  const text = async (body: string): Promise<string> =>
    new TextDecoder().decode((await boundedHtml(unlimitedWork(), `<p>${body}</p>`, "")).content);
  expect(await text("x".repeat(500))).toBe(`<p>${"x".repeat(500)}</p>`);
  expect(await text("x".repeat(501))).toBe(`<p>${"x".repeat(500)}${DIVISION}x</p>`);
  expect(await text(`${"x".repeat(500)}\u0301y`)).toBe(`<p>${"x".repeat(500)}\u0301${DIVISION}y</p>`);
  // As MuPDF is given an ampersand, which it decodes twice.
  expect(await text(`${"&amp;".repeat(501)}`)).toBe(`<p>${"&amp;amp;".repeat(500)}${DIVISION}&amp;amp;</p>`);
  await expect(text("x".repeat(100_001))).rejects.toMatchObject({
    code: "limit_exceeded",
    details: { limit: 100_000 },
  });
  await expect(text(`a${"\u0301".repeat(600)}`)).rejects.toMatchObject({
    code: "limit_exceeded",
    details: { limit: 100 },
  });
});

test("the fuel of a layout counts characters and elements, and only the selectors that may match", async () => {
  const fuelOf = async (css: string): Promise<number> =>
    (await boundedHtml(unlimitedWork(), `<style>${css}</style><p class="a">x</p>`, "")).fuel;
  const plain = await fuelOf("");
  expect(await fuelOf("b{color:red}")).toBe(plain);
  expect(await fuelOf(".a,p{color:red}")).toBe(plain + 2 * 2 * 200);
});
