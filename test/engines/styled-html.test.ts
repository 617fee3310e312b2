import { expect, test } from "vitest";
import { styledHtml } from "../../src/engines/convert/source/styled-html.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

const styled = (html: string, { css = "", isXml = false } = {}): Promise<string> =>
  styledHtml(unlimitedWork(), html, { css, isXml, notConverted: new Set() });

const CELL = "<tr><td>x</td></tr>";

test.each([
  [
    "the rows of a group have its background",
    `<table><thead style="background:#333;color:#fff">${CELL}</thead></table>`,
    `<table><thead style="background-color:#333333;color:#ffffff"><tr style="background-color:#333333"><td>x</td></tr></thead></table>`,
  ],
  [
    "a row keeps a background of its own",
    `<table><thead style="background:#333"><tr style="background:red"><td>x</td></tr></thead></table>`,
    `<table><thead style="background-color:#333333"><tr style="background-color:#ff0000"><td>x</td></tr></thead></table>`,
  ],
  [
    "a translucent background has the color that it has on what is behind it",
    `<div style="background:#000"><p style="background:rgba(255,255,255,.5)">x</p></div>`,
    `<div style="background-color:#000000"><p style="background-color:#ffffff80;background-color:#808080">x</p></div>`,
  ],
  [
    "cells that do not wrap have spaces at which no line ends",
    `<table><tr><td style="white-space:nowrap">a  <b>b c</b></td><td nowrap>d e</td><td>f g</td></tr></table><p style="white-space:nowrap">h i</p>`,
    `<table><tr><td style="white-space:nowrap">a\u00a0<b>b\u00a0c</b></td><td nowrap>d\u00a0e</td><td>f g</td></tr></table><p style="white-space:nowrap">h i</p>`,
  ],
  [
    "an item with a number begins a list, which has no space before it",
    `<ol><li>a</li><li value="9">b</li><li>c</li></ol>`,
    `<ol style="margin-bottom:0"><li>a</li></ol><ol style="margin-top:0" start="9"><li value="9">b</li><li>c</li></ol>`,
  ],
  ["the first item may say where its list starts", `<ol> <li value=3>a</ol>`, `<ol start="3"> <li value=3>a</ol>`],
  [
    "a reversed list counts down, without those of lists in it",
    `<ol reversed id="i"><li>a<ul><li>x</li></ul></li><li>b</li></ol>`,
    `<ol reversed id="i" start="2" style="margin-bottom:0"><li>a<ul><li>x</li></ul></li></ol><ol reversed style="margin-top:0" start="1"><li>b</li></ol>`,
  ],
  [
    "style sheets for the screen are left out",
    `<style media="screen">p{}</style><style media=print>b{}</style>`,
    `<style media=print>b{}</style>`,
  ],
  [
    "a break before an element is one after an empty block, but not before the first text",
    `<style>h1{break-before:page}</style><h1>a</h1><h1>b</h1>`,
    `<style>h1{break-before:page}</style><h1>a</h1><div style="page-break-after:always"></div><h1>b</h1>`,
  ],
  ["values are escaped", `<p style='font-family:"A&amp;B"'>x</p>`, `<p style="font-family:&quot;A&amp;B&quot;">x</p>`],
])("styles are resolved into the HTML: %s", async (_, html, expected) => {
  expect(await styled(html)).toBe(expected);
});

test("empty elements of XML stay empty", async () => {
  expect(await styled(`<br style="color:red"/><p>x</p>`, { isXml: true })).toBe(`<br style="color:#ff0000"/><p>x</p>`);
});

test("the overruling style sheet takes part in the cascade", async () => {
  const html = "<style>p{color:var(--c)}</style><p>x</p>";
  expect(await styled(html, { css: ":root{--c:red}" })).toBe(
    `<style>p{color:var(--c)}</style><p style="color:#ff0000">x</p>`,
  );
});
