import { expect, test } from "vitest";
import { backgroundColor, declarationsInPrint } from "../../src/engines/convert/source/declarations.ts";
import { declarationsOf, isPrinted } from "../../src/engines/convert/source/style-sheet.ts";

const written = (body: string): { css: string; notConverted: string[] } => {
  const notConverted = new Set<string>();
  const css = [...declarationsOf(body)]
    .flatMap((declaration) => declarationsInPrint(declaration, notConverted))
    .join(";");
  return { css, notConverted: [...notConverted] };
};

test.each([
  // Colors in all their notations.
  ["background:rgba(0, 0, 255, 0.5)", "background-color:#0000ff80"],
  ["background-color:rgb(0 0 255 / 100%)", "background-color:#0000ff"],
  ["BACKGROUND:hsl(120deg 100% 25%) no-repeat", "background-color:#008000"],
  ["background:oklch(1 0 0)", "background-color:#ffffff"],
  ["background:color(srgb 1 0.5 0)", "background-color:#ff8000"],
  ["background:hwb(0 0% 0%)", "background-color:#ff0000"],
  ["background:transparent", "background-color:#00000000"],
  ["background:none", "background-color:#ffffff00"],
  ["background:unset", "background-color:#ffffff00"],
  ["background:rebeccapurple", "background-color:#663399"],
  ["background:nocolor", ""],
  ["color:rgba(0,0,0,.6)", "color:#666666"],
  ["color:hsl(0 100% 50%)!important", "color:#ff0000!important"],
  ["color:currentColor", "color:inherit"],
  ["color:initial", "color:black"],
  ["color:buttontext", ""],
  ["border:1px solid hsla(0,0%,0%,.5)", "border:1px solid #808080"],
  ["border-color:currentcolor", ""],
  // What would end the rule in MuPDF.
  ["filter:progid:DXImageTransform.Microsoft.gradient(a='b');top:0", "top:0"],
  ["*zoom:1;_height:1px;--x:y;top:0", "top:0"],
  ["margin:-1px auto;font:bold 12px/1.5 'Open Sans', serif", "margin:-1px auto;font:bold 12px/1.5 'Open Sans', serif"],
  ["content:'a;b}';top:0 /* ; */", "content:'a;b}';top:0"],
  // Names that MuPDF does not know.
  ["word-break:break-all", "overflow-wrap:break-word"],
  ["word-break:normal", ""],
  ["overflow-wrap:anywhere", "overflow-wrap:break-word"],
  ["word-wrap:break-word", "overflow-wrap:break-word"],
  ["break-after:page", "page-break-after:always"],
  ["break-inside:avoid", "break-inside:avoid"],
  ["list-style:square inside", "list-style:disc inside"],
  ["list-style-type:circle", "list-style-type:disc"],
  ["display:contents", "display:inline"],
  ["position:relative", "position:relative"],
])("%s is written as %s", (body, css) => {
  expect(written(body)).toEqual({ css, notConverted: [] });
});

test.each([
  ["position:absolute;top:0", "top:0", ["css-layout"]],
  ["position:fixed", "", ["css-layout"]],
  ["position:sticky", "", []],
  ["float:left", "", ["css-layout"]],
  ["float:none", "", []],
  ["display:flex", "display:block", ["css-layout"]],
  ["display:inline-grid", "display:inline-block", ["css-layout"]],
  ["background:linear-gradient(90deg, #000, rgb(255 255 255))", "background-color:#808080", ["gradients"]],
  [
    "background-image:radial-gradient(circle at 5% 5%, red 0%, transparent 90%)",
    "background-color:#ff0000",
    ["gradients"],
  ],
  ["background:url(data:image/png;base64,AA==) #123456", "background-color:#123456", ["background-images"]],
  ["background-image:url('a.png')", "", ["background-images"]],
  ["width:calc(100% - 20px);height:2px", "height:2px", ["css-values"]],
  ["font-size:clamp(1rem, 2vw, 3rem)", "", ["css-values"]],
])("%s is written as %s, and losses are reported", (body, css, notConverted) => {
  expect(written(body)).toEqual({ css, notConverted });
});

test("a background of a megabyte of addresses and parentheses is read in one pass", () => {
  expect(backgroundColor(`${"url(".repeat(250_000)}`, new Set())).toBeUndefined();
  expect(backgroundColor(`${"linear-gradient(".repeat(60_000)}`, new Set())).toBeUndefined();
});

test.each([
  ["", true],
  ["all", true],
  ["print", true],
  ["only print and (color)", true],
  ["screen", false],
  ["not screen", true],
  ["not print", false],
  ["screen, print", true],
  ["speech and (min-width: 1px)", false],
  ["(min-width: 600px)", true],
  ["(min-width: 768px)", false],
  ["print and (max-width: 600px)", false],
  ["(max-width: 60em)", true],
  ["(width >= 600px)", true],
  ["(width < 600px)", false],
  ["(orientation: landscape)", false],
  ["(prefers-color-scheme: dark)", false],
  ["(hover: hover)", false],
])("media `%s` applies to print: %s", (list, applies) => {
  expect(isPrinted(list)).toBe(applies);
});
