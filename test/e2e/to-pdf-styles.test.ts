import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { post } from "../harness/requests/client.ts";
import { docx } from "../harness/fixtures/office-fixtures.ts";
import { areaOf, countPixels, type ReadPage, readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();

interface Shown extends ReadPage {
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** The lines of text from top to bottom, without spaces. */
  readonly lines: readonly string[];
}

/** The first page of a document, as pdf.js shows it. */
async function shown(source: string | Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
  const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
  const { status, message, headers, body } = await post({ baseUrl, key: liveKey }, "to-pdf", {
    file: { bytes, fileName: "file.bin" },
    ...fields,
  });
  expect([status, message]).toEqual([200, undefined]);
  const page = await readPage(body);
  const byLine = Map.groupBy(page.runs, ({ y }) => Math.round(y));
  const lines = [...byLine]
    .sort(([a], [b]) => a - b)
    .map(([, runs]) =>
      runs
        .toSorted((a, b) => a.x - b.x)
        .map(({ text }) => text)
        .join("")
        .replace(/\s+/g, ""),
    );
  return { ...page, headers, body, lines };
}

const notConverted = ({ headers }: Shown): string | null => headers.get("X-Not-Converted");

describe("words in cells", () => {
  const words = ["$1,610,000.00", "2024-12-31", "Internationalization", "Qty"];
  const long = "A description that is long enough to fill what is left of the line of a page, and wraps there";
  const cells = [...words, long];
  const wordRow = (values: readonly string[]): string =>
    `<w:tr>${values.map((value) => `<w:tc><w:p><w:r><w:t>${value}</w:t></w:r></w:p></w:tc>`).join("")}</w:tr>`;

  test.each<readonly [string, string | Uint8Array]>([
    ["HTML", `<table width="100%" border="1"><tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr></table>`],
    [
      "HTML with wide columns",
      `<table><tr>${cells.map((cell) => `<td width="20%">${cell}</td>`).join("")}</tr></table>`,
    ],
    ["Markdown", `| a | b | c | d | e |\n|---|---|---|---|---|\n| ${cells.join(" | ")} |\n`],
    ["CSV", `a;b;c;d;e\n${cells.join(";")}\n`],
    ["DOCX", docx(`<w:tbl>${wordRow(cells)}</w:tbl>`)],
  ])("words in cells stay whole if there is room: %s", async (_, source) => {
    const { lines, text } = await shown(source);
    for (const word of words) expect(lines.some((line) => line.includes(word))).toBe(true);
    expect(text.replace(/\s+/g, "")).toContain(long.replaceAll(" ", ""));
  });

  test("words wider than their share of the page are divided, without scaling", async () => {
    const hash = "0123456789abcdef".repeat(10);
    const page = await shown(`<table border="1"><tr><td>Checksum</td><td style="color:red">${hash}</td></tr></table>`);
    const [left, , right] = areaOf(page.picture, (r, g) => r > 200 && g < 100) ?? [0, 0, 0];
    expect(right).toBeLessThan(595 - 54);
    expect(right - left).toBeGreaterThan(250);
    expect(page.text.replace(/\n/g, "")).toContain(hash);
    expect(page.lines.some((line) => line.includes("Checksum"))).toBe(true);
    expect(notConverted(page)).toBeNull();
  });

  test.each([
    ["by their style", 'style="white-space:nowrap;color:red"'],
    ["by their attribute", 'nowrap style="color:red"'],
    ["by a rule", 'class="n"'],
  ])("words that do not wrap %s do not overlap the next cell", async (_, attributes) => {
    const style = "<style>table.t > tbody > tr > .n, .t .n{white-space:nowrap;color:red}</style>";
    const { picture, lines } = await shown(
      `${style}<table class="t" width="100%"><tr><td ${attributes}>Number of the invoice</td><td style="color:blue">${long.repeat(3)}</td></tr></table>`,
    );
    const red = areaOf(picture, (r, g) => r > 200 && g < 60);
    const blue = areaOf(picture, (r, g, b) => b > 200 && r < 60 && g < 60);
    expect(red?.[2]).toBeLessThan(blue?.[0] ?? 0);
    expect(lines[0]).toContain("Numberoftheinvoice");
  });

  test("words are broken where the document allows it", async () => {
    const table = (style: string): string =>
      `<table width="100%" style="${style}"><tr><td>Internationalization</td><td>${long.repeat(2)}</td></tr></table>`;
    const isWhole = async (style: string): Promise<boolean> =>
      (await shown(table(style))).lines.some((line) => line.startsWith("Internationalization"));
    expect(await isWhole("")).toBe(true);
    expect(await isWhole("word-break:break-all")).toBe(false);
    expect(await isWhole("overflow-wrap:anywhere")).toBe(false);
  });
});

describe("positioned elements", () => {
  test.each(["position:absolute;top:10px;right:10px", "position:fixed;bottom:0", "position: ABSOLUTE", "float:right"])(
    "positioned elements are in the order of the document: %s",
    async (style) => {
      const source = (attributes: string, rule = ""): string =>
        `<!DOCTYPE html><style>.x{${rule}}</style><p>one</p><p>two</p><div ${attributes}>three</div><p>four</p><table><tr><td>five</td></tr></table><p>six</p>`;
      for (const html of [source(`style="${style}"`), source('class="x"', style)]) {
        const page = await shown(html);
        expect(page.lines).toEqual(["one", "two", "three", "four", "five", "six"]);
        expect(notConverted(page)).toBe("css-layout");
      }
    },
  );
});

describe("backgrounds", () => {
  const near = (red: number, green: number, blue: number) => (r: number, g: number, b: number) =>
    Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue) < 12;
  const box = (background: string, inside = "white text"): string =>
    `<p style="color:white;background:${background}">${inside}</p>`;
  const row = "<tr><th>white text</th><th>white text</th></tr>";

  test.each<readonly [string, string, readonly [number, number, number]]>([
    ["rgba()", box("rgba(0, 0, 255, 0.8)"), [51, 51, 255]],
    ["rgb() with spaces", box("rgb(0 0 255)"), [0, 0, 255]],
    ["hsl()", box("hsl(120, 100%, 25%)"), [0, 128, 0]],
    ["a gradient", box("linear-gradient(to right, #000080, #800000)"), [64, 0, 64]],
    [
      "a variable of the root",
      `<style>:root{--dark:#036}.b{color:#fff;background:var(--dark)}</style><p class="b">x</p>`,
      [0, 51, 102],
    ],
    [
      "a variable of an element",
      `<style>.b{color:#fff;background:var(--c,#036)}</style><div style="--c:#603"><p class="b">x</p></div>`,
      [102, 0, 51],
    ],
    ["a head of a table", `<table><thead style="background:#036;color:#fff">${row}</thead></table>`, [0, 51, 102]],
    [
      "a body of a table by a rule",
      `<style>table tbody.b{background-color:#036;color:#fff}</style><table><tbody class=b>${row}</tbody></table>`,
      [0, 51, 102],
    ],
    [
      "a rule with declarations that are not known",
      `<style>p{width:calc(100% - 2px);color:#fff;background:#036;*zoom:1}</style><p>x</p>`,
      [0, 51, 102],
    ],
    [
      "a rule with selectors that are not known",
      `<style>p,div ~ a:not(.x){color:#fff;background:#036}</style><p>x</p>`,
      [0, 51, 102],
    ],
    ["a rule for print", `<style>@media print{p{color:#fff;background:#036}}</style><p>x</p>`, [0, 51, 102]],
    [
      "a translucent one on a dark one",
      `<div style="background:#000;color:#fff"><p style="background:rgba(255,255,255,.4)">x</p></div>`,
      [102, 102, 102],
    ],
  ])("backgrounds are drawn behind white text: %s", async (name, html, [red, green, blue]) => {
    const page = await shown(`<!DOCTYPE html>${html}`);
    const area = areaOf(page.picture, near(red, green, blue));
    expect(area).toBeDefined();
    const [left, top, right, bottom] = area ?? [0, 0, 0, 0];
    expect(bottom - top).toBeGreaterThan(8);
    // The letters are in it.
    expect(countPixels(page.picture, [left, top, right, bottom], near(255, 255, 255))).toBeGreaterThan(5);
    const lost = { "a gradient": "gradients", "a rule with declarations that are not known": "css-values" }[name];
    expect(notConverted(page)).toBe(lost ?? null);
  });

  test("images in backgrounds are reported", async () => {
    expect(notConverted(await shown(`<p style="background:url(a.png) #fff">x</p>`))).toBe("background-images");
  });

  test("words without a color draw no background", async () => {
    const { picture } = await shown(`<p style="background:unset">x</p><p style="background-color:initial">y</p>`);
    const [left, , right] = areaOf(picture, near(0, 0, 0)) ?? [0, 0, 595];
    expect(right - left).toBeLessThan(20);
  });
});

test("rules and style sheets apply as in a browser that prints", async () => {
  const sheet = (media: string, name: string): string => `<style media="${media}">.${name}{display:none}</style>`;
  const rule = (media: string, name: string): string => `@media ${media}{.${name}{display:none}}`;
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const { lines } = await shown(
    `<!DOCTYPE html>${sheet("print", "a")}${sheet("screen", "b")}${sheet("all", "c")}<style>${rule("print", "d")}${rule("screen", "e")}${rule("all and (max-width: 100px)", "f")}${rule("screen, print", "g")}@supports (display: grid){.h{display:none}}</style>${names.map((name) => `<p class="${name}">${name}</p>`).join("")}`,
  );
  expect(lines).toEqual(["b", "e", "f"]);
});

test.each([
  ["type", '<ol type="a"><li>x</li><li>y</li></ol>', ["a.x", "b.y"]],
  ["type in upper case", '<ol type="I"><li>x</li><li>y</li></ol>', ["I.x", "II.y"]],
  ["type of an item", '<ol><li>x</li><li type="A">y</li></ol>', ["1.x", "B.y"]],
  ["start", '<ol start="7"><li>x</li><li>y</li></ol>', ["7.x", "8.y"]],
  ["value", '<ol><li>x</li><li value="9">y</li><li>z</li></ol>', ["1.x", "9.y", "10.z"]],
  ["reversed", "<ol reversed><li>x</li><li>y</li><li>z</li></ol>", ["3.x", "2.y", "1.z"]],
  ["reversed with start", '<ol reversed start="9" type="i"><li>x</li><li>y</li></ol>', ["ix.x", "viii.y"]],
  ["a list in a list", '<ol><li>x<ol start="3"><li>y</li></ol></li><li value="5">z</li></ol>', ["1.x", "3.y", "5.z"]],
])("lists are numbered by %s", async (_, html, lines) => {
  expect((await shown(html)).lines).toEqual(lines);
});

test.each([
  "<pre>x &lt; y</pre>",
  "<blockquote>x &lt; y</blockquote>",
  "<strong>x &lt; y</strong>",
  "<code>x &lt; y</code>",
  "<script>1</script>x &lt; y",
  "<details open><summary>x &lt; y</summary></details>",
  "<em>x &lt; y</em>",
  "<dl><dt>x &lt; y</dt></dl>",
  "<figure>x &lt; y</figure>",
  "<small>x &lt; y</small>",
  "<noscript></noscript>x &lt; y",
  "<label>x &lt; y</label>",
  "<!-- a comment -->\n<tr><td>x &lt; y</td></tr>",
])("a fragment is recognized as HTML: %s", async (html) => {
  const page = await shown(html);
  expect(page.headers.get("X-Converted-From")).toBe("html");
  expect(page.lines).toEqual(["x<y"]);
});

test.each([
  [
    "Markdown that begins with elements",
    '<h1 align="center">T</h1>\n\n## Use\n\n- a [link](https://example.com)\n',
    "markdown",
  ],
  ["HTML with code in Markdown", "<p>Write</p><pre>\n## Use\n\n- a\n</pre>", "html"],
  ["a generic type", "<T>(x: T) => x", "text"],
])("the format of %s is recognized", async (_, source, format) => {
  expect((await shown(source)).headers.get("X-Converted-From")).toBe(format);
});

test.each([
  ["p:not(.a)", "<p>x</p>"],
  ["p:first-child", "<p>x</p>"],
  ["li:nth-child(2)", "<ul><li></li><li>x</li></ul>"],
  ['[data-k^="re"]', '<p data-k="red">x</p>'],
  ['[data-k$="d"]', '<p data-k="red">x</p>'],
  ["[data-k*=e]", '<p data-k="red">x</p>'],
])("the color of `%s` is drawn only for the elements that it matches", async (selector, body) => {
  const red = async (html: string): Promise<boolean> => {
    const page = await shown(`<html><head><style>${selector}{color:red}</style></head><body>${html}</body></html>`);
    expect(notConverted(page)).toBeNull();
    return areaOf(page.picture, (r, g) => r > 200 && g < 100) !== undefined;
  };
  expect([await red(body), await red('<h1>x</h1><p class="a">x</p>')]).toEqual([true, false]);
});

test("unsupported selectors, values, and generated content are reported", async () => {
  const css = 'h1 ~ p{color:red} p{margin:calc(1px + 2px)} p::before{content:"-"}';
  const page = await shown(`<html><head><style>${css}</style></head><body><h1>x</h1><p>x</p></body></html>`);
  expect(notConverted(page)).toBe("css-selectors,css-values,generated-content");
});
