import { expect, test } from "vitest";
import { Cascade } from "../../src/engines/convert/source/cascade.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

/** What the last of the tags has behind it. */
async function backgroundIn(css: string, html: string): Promise<string | undefined> {
  const cascade = await Cascade.of(unlimitedWork(), [css], false);
  let background: string | undefined;
  for (const [tag] of html.matchAll(/<[^>]+>/g)) {
    if (tag.startsWith("</")) cascade.leave(tag);
    else background = (await cascade.enter(tag))?.winners.get("background-color")?.value;
  }
  return background;
}

const rule = (selector: string): string => `${selector}{background:red}`;

test.each([
  ["p", "<p>", true],
  ["P", "<p>", true],
  ["p", "<div>", false],
  [".a.b", '<p class="b c a">', true],
  [".a.b", '<p class="ab">', false],
  ["#i", '<p id="i">', true],
  ["[lang]", "<p lang>", true],
  ['[lang="en"]', "<p lang='en'>", true],
  ["[lang=de]", "<p lang=en>", false],
  ["div p", "<div><section><p>", true],
  ["div > p", "<div><section><p>", false],
  ["section>p", "<div><section><p>", true],
  ["div > section p", "<div><section><div><p>", true],
  [".x > section p", '<div class="x"><section></section><div><section><p>', false],
  ["h1 + p", "<h1></h1><p>", true],
  ["h1 + p", "<h1></h1><div></div><p>", false],
  ["div > h1 + p", "<div><h1></h1><p>", true],
  [":root p", "<p>", true],
  ["p:not(.a)", '<p class="b">', true],
  ["p:not(.a)", '<p class="a">', false],
  ["p:not(.a):not([lang])", "<p lang>", false],
  [":not(div) > p", "<section><p>", true],
  [":not(div) > p", "<div><p>", false],
  ["tr:not(:first-child)", "<table><tr><td><tr>", true],
  ["tr:not(:first-child)", "<table><tr>", false],
  ["p:not(div p)", "<p>", false],
  ['[class^="co"]', '<p class="col-1">', true],
  ['[class^="ol"]', '<p class="col-1">', false],
  ["[class^='']", '<p class="col-1">', false],
  ['[class$="-1"]', '<p class="col-1">', true],
  ['[class$="col"]', '<p class="col-1">', false],
  ["[class*=ol]", '<p class="col-1">', true],
  ["[class*=x]", '<p class="col-1">', false],
  ['[class~="b"]', '<p class="a b">', true],
  ['[class~="a b"]', '<p class="a b">', false],
  ['[lang|="en"]', "<p lang=en-US>", true],
  ['[lang|="en"]', "<p lang=eng>", false],
  ["body > p", "<p>", true],
  ["tr:nth-child(even)", "<table><tr><td><tr>", true],
  ["tr:nth-child(2n+1)", "<table><tr><td><tr>", false],
  ["li:first-child", "<ul><li>a</li><li>", false],
  ["li:nth-child(-n + 2)", "<ul><li>a</li><li>", true],
  ["p:hover", "<p>", false],
  ["p::before", "<p>", false],
])("%s in %s matches: %s", async (selector, html, matches) => {
  expect(await backgroundIn(rule(selector), html)).toBe(matches ? "red" : undefined);
});

test.each([
  ["the later of two", "p{background:red}p{background:blue}", "<p>", "blue"],
  ["the more specific", "p.a{background:red}p{background:blue}", '<p class="a">', "red"],
  ["an id over classes", "#i{background:red}.a.b.c{background:blue}", '<p id="i" class="a b c">', "red"],
  ["the attribute", "p{background:red}", '<p style="background:blue">', "blue"],
  ["the important one", "p{background:red!important}", '<p style="background:blue">', "red"],
  ["an image with a color after a color", "p{background-color:red;background:url(x) blue}", "<p>", "url(x) blue"],
  ["of a group for print", "@media print{p{background:red}}@media screen{p{background:blue}}", "<p>", "red"],
])("one of several declarations wins: %s", async (_, css, html, background) => {
  expect(await backgroundIn(css, html)).toBe(background);
});

/** The declarations that the last of the tags gets for its variables. */
async function resolvedIn(css: string, html: string): Promise<string[]> {
  const cascade = await Cascade.of(unlimitedWork(), [css], false);
  let resolved: string[] = [];
  for (const [tag] of html.matchAll(/<[^>]+>/g))
    resolved = (await cascade.enter(tag))?.resolved.map(({ name, value }) => `${name}:${value}`) ?? [];
  return resolved;
}

test.each([
  ["of the root", ":root{--c:red}p{color:var(--c)}", "<p>", ["color:red"]],
  ["of an element around it", ":root{--c:red}div{--c:blue}p{color:var(--c)}", "<div><p>", ["color:blue"]],
  ["of its own rules", ".b{color:var(--c)}.b.ok{--c:green}", '<p class="b ok">', ["color:green"]],
  ["of its attribute", "p{border:1px solid var(--c)}", '<p style="--c:red">', ["border:1px solid red"]],
  [
    "as they are where they are declared",
    ":root{--a:red;--b:var(--a)}div{--a:blue}p{color:var(--b)}",
    "<div><p>",
    ["color:red"],
  ],
  ["or their fallback", "p{color:var(--x, var(--y, rgb(1, 2, 3)))}", "<p>", ["color:rgb(1, 2, 3)"]],
  ["or nothing", "p{color:var(--x)}", "<p>", ["color:unset"]],
  [
    "or nothing, if they refer to themselves",
    ":root{--a:var(--b);--b:var(--a)}p{color:var(--a)}",
    "<p>",
    ["color:unset"],
  ],
  ["unless another declaration wins", "p{color:var(--x)}p.a{color:red}", '<p class="a">', []],
])("variables have the values %s", async (_, css, html, resolved) => {
  expect(await resolvedIn(css, html)).toEqual(resolved);
});

test("variables that would expand to a long value get none", async () => {
  const doubling = Array.from({ length: 40 }, (__, index) => `--a${index + 1}:var(--a${index}) var(--a${index})`).join(
    ";",
  );
  expect(await resolvedIn(`:root{--a0:x;${doubling}}p{color:var(--a40)}`, "<p>")).toEqual(["color:unset"]);
});

test("declarations of selectors unknown to MuPDF are resolved where they win", async () => {
  const resolvedOf = async (css: string, tag: string): Promise<string[] | undefined> => {
    const cascade = await Cascade.of(unlimitedWork(), [css], false);
    return (await cascade.enter(tag))?.resolved.map(({ name, value }) => `${name}:${value}`);
  };
  expect(await resolvedOf("p:not(.a){color:red;top:0}", "<p>")).toEqual(["color:red", "top:0"]);
  expect(await resolvedOf("p:not(.a){color:red}", '<p class="a">')).toEqual([]);
  expect(await resolvedOf("p:not(.a){color:red} #i{color:blue}", '<p id="i">')).toEqual([]);
  expect(await resolvedOf("p:not(.a){color:red}", '<p style="color:blue">')).toEqual([]);
  expect(await resolvedOf("p{color:red}", "<p>")).toEqual([]);
});
