import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { post, type ApiResponse } from "../harness/requests/client.ts";
import { encoded } from "../harness/fixtures/encoded.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { docx, archive, epub, paragraph, withMainPart, xlsx } from "../harness/fixtures/office-fixtures.ts";
import { openPdf, type DocumentView } from "../harness/engines/pdfjs.ts";
import { writePng } from "../harness/images/png-writer.ts";
import { renderPage } from "../harness/engines/pdfjs-render.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();

type Source = string | Uint8Array;

type ApiFile = Readonly<{ bytes: Uint8Array; fileName: string }>;
type FormFields = Readonly<Record<string, string | ApiFile>>;

const send = (source: Source, fields: FormFields = {}): Promise<ApiResponse> =>
  post({ baseUrl, key: liveKey }, "to-pdf", {
    // The name says nothing.
    file: { bytes: typeof source === "string" ? new TextEncoder().encode(source) : source, fileName: "file.bin" },
    ...fields,
  });

interface Result {
  readonly body: Uint8Array;
  readonly headers: Headers;
  readonly view: DocumentView;
  /** The text of all pages, with single spaces. */
  readonly text: string;
}

async function converted(source: Source, fields: FormFields = {}): Promise<Result> {
  const { status, message, body, headers } = await send(source, fields);
  expect([status, message]).toEqual([200, undefined]);
  const view = await openPdf(body);
  expect(headers.get("X-Page-Count")).toBe(String(view.pages.length));
  return {
    body,
    headers,
    view,
    text: view.pages
      .map(({ text }) => text)
      .join(" ")
      .replace(/\s+/g, " "),
  };
}

/** What a job made, when it is done. */
async function jobResult(accepted: Response): Promise<Uint8Array> {
  const headers = { Authorization: `Bearer ${liveKey}` };
  expect(accepted.status).toBe(202);
  const { id } = (await accepted.json()) as { id: string };
  const ended = await fetch(`${baseUrl}/api/v1/jobs/${id}?wait=30`, { headers });
  expect(await ended.json()).toMatchObject({ status: "succeeded", operation: "to-pdf" });
  const result = await fetch(`${baseUrl}/api/v1/jobs/${id}/result`, { headers });
  return new Uint8Array(await result.arrayBuffer());
}

const links = ({ view }: Result): (string | number | null | undefined)[] =>
  view.pages.flatMap(({ annotations }) => annotations.map(({ url, target }) => url ?? target?.page));
const titles = ({ view }: Result): string[] => view.outline.map(({ title }) => title);
const png = writePng({ width: 8, height: 8, colorType: 2, depth: 8 }, (_x, _y, channel) => (channel === 0 ? 255 : 0));
const dataUri = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;

/** The columns of the first page at 72 dpi that have a pixel of which `is` holds. */
async function columns(pdf: Uint8Array, is: (r: number, g: number, b: number) => boolean): Promise<number[]> {
  const { width, height, at } = await renderPage(pdf, 1, 72);
  const rows = Array.from({ length: height }, (_, y) => y);
  return Array.from({ length: width }, (_, x) => x).filter((x) => rows.some((y) => is(...at(x, y))));
}

const isInk = (r: number, g: number, b: number): boolean => r + g + b < 500;
/** Only the image is red. */
const isRed = (r: number, g: number, b: number): boolean => r > 240 && g < 20 && b < 20;

describe("formats", () => {
  test.each<readonly [string, Source, string]>([
    ["html", "<!DOCTYPE html><title>T</title><p>Hello</p>", "Hello"],
    [
      "xhtml",
      '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>Hello</p></body></html>',
      "Hello",
    ],
    ["markdown", "# Hello\n\nSome *text*.\n", "Hello"],
    ["text", "Hello, this is\na letter.\n", "Hello"],
    ["csv", "name;size\nHello;3\nBye;4\n", "Hello"],
    ["docx", docx(paragraph("Hello")), "Hello"],
    [
      "xlsx",
      xlsx([{ name: "S", content: '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>' }], {
        strings: ["Hello"],
      }),
      "Hello",
    ],
  ])("a format is recognized by its content: %s", async (format, source, word) => {
    const result = await converted(source);
    expect(result.headers.get("X-Converted-From")).toBe(format);
    expect(result.text).toContain(word);
    expect((await check(result.body)).warnings).toEqual([]);
  });

  test("an office document whose main part has an unusual name is converted, with its links", async () => {
    const link = '<w:p><w:hyperlink r:id="rLink"><w:r><w:t>Hello</w:t></w:r></w:hyperlink></w:p>';
    const word = await converted(withMainPart(docx(link), "word/document2.xml"));
    expect([word.headers.get("X-Converted-From"), word.text]).toEqual(["docx", "Hello"]);
    expect(await plainText(word.body)).toContain("https://example.com/docx");
    const cells = '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>';
    const book = xlsx([{ name: "S", content: cells }], { strings: ["Cell"] });
    const sheet = await converted(withMainPart(book, "xl/book.xml", "spreadsheetml.sheet"));
    expect([sheet.headers.get("X-Converted-From"), sheet.text]).toEqual(["xlsx", expect.stringContaining("Cell")]);
  });

  test.each<readonly [string, Source]>([
    ["PPTX", archive({ "ppt/presentation.xml": "<p/>" })],
    ["ODP", archive({ mimetype: "application/vnd.oasis.opendocument.presentation", "content.xml": "<o/>" }, 0)],
    [
      "HWPX",
      archive(
        { mimetype: "application/hwp+zip", "META-INF/container.xml": "<c/>", "Contents/section0.xml": "<s/>" },
        0,
      ),
    ],
    ["PNG", png],
    ["PDF", document({ name: "a", pages: 1 })],
    ["Office 97 to 2003", Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0)],
    ["another kind", '<?xml version="1.0"?><invoice/>'],
    ["SVG, which needs a browser", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    [
      "rights management",
      epub("Locked", [["One", ""]], {
        "META-INF/encryption.xml":
          '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></EncryptedData></encryption>',
      }),
    ],
  ])("a 415 error names %s", async (name, source) => {
    const { status, code, message } = await send(source);
    expect([status, code]).toEqual([415, "unsupported_format"]);
    expect(message).toContain(name);
  });

  test("`format` decides if the content is ambiguous", async () => {
    const source = "# Hello\n\n* a\n* b\n";
    expect((await converted(source, { format: "text" })).text).toContain("# Hello");
    expect((await converted(source)).text).not.toContain("#");
    const { status, message } = await send(source, { format: "docx" });
    expect([status, message]).toEqual([415, "`file` is not of the format `docx`, but `markdown`."]);
  });

  test.each([
    ["a byte order mark", Buffer.from("\ufeffGrüße aus Köln", "utf16le")],
    ["Windows-1252", Buffer.from("Grüße aus Köln", "latin1")],
    [
      "a declaration",
      Buffer.concat([Buffer.from('<meta charset="iso-8859-2"><p>Gr\u00fc\u00dfe aus K\u00f6ln</p>', "latin1")]),
    ],
  ])("a text with %s is converted", async (_, source) => {
    expect((await converted(source)).text).toContain("Grüße aus Köln");
  });
});

describe("fonts", () => {
  const scripts = "Привет Ελληνικά مرحبا שלום हिन्दी ไทย 中文 日本 한국 ☑ 😀";

  test("every script and style has its glyphs, embedded and subset", async () => {
    const source = `<p>${scripts} <b>bold</b> <i>italic</i> <code>code ─</code></p><p style="font-family:serif">serif <b>b</b></p>`;
    const { body, headers } = await converted(source, { strict: "true", format: "html" });
    expect(headers.get("X-Missing-Glyphs")).toBe("0");
    const plain = await plainText(body);
    const fonts = plain.match(/\/FontDescriptor\b[^>]*/g) ?? [];
    const names = new Set(plain.match(/\/FontName \/[^\s/]+/g));
    expect(names.size).toBeGreaterThan(8);
    for (const name of names) expect(name).toMatch(/\/[A-Z]{6}\+/);
    expect(fonts.length).toBeGreaterThan(0);
    expect((plain.match(/\/FontFile[23]? \d/g) ?? []).length).toBe(names.size);
    // All fonts as a whole have 8 MB.
    expect(body.length).toBeLessThan(200_000);
  });

  test.each([
    ["lists in lists", "- a\n  - b\n    - c\n", "a b c"],
    ["lists with marks of their own", '# T\n\n<ul style="list-style: square inside"><li>a</li></ul>', "T a"],
    ["boxes of lines in text", "# T\n\n├─ a │ ░\n", "T ├─ a │ ░"],
  ])("texts in %s have all glyphs", async (_, source, text) => {
    const result = await converted(source, { strict: "true" });
    expect(result.text.replace(/•\s*/g, "").trim()).toBe(text);
  });

  test("missing glyphs are counted, and with `strict` listed", async () => {
    const source = "Glagolitic: \u2c00\u2c01 \u2c00";
    expect((await converted(source)).headers.get("X-Missing-Glyphs")).toBe("3");
    const { status, code, message } = await send(source, { strict: "true" });
    expect([status, code]).toEqual([400, "unsupported_text"]);
    expect(message).toBe("No available font has these characters: \u2c00 (U+2C00), \u2c01 (U+2C01).");
  });
});

test("referenced files are rejected by their names", async () => {
  const { status, code, body } = await send('<p><img src="a.png">', { "asset:a.png": dataUri });
  expect([status, code]).toEqual([400, "invalid_parameters"]);
  expect(new TextDecoder().decode(body)).toContain('"name":"asset:a.png"');
});

describe("encodings", () => {
  const declared = (charset: string, text: string, head = ""): Uint8Array =>
    encoded(
      `<html><head>${head}<meta http-equiv="Content-Type" content="text/html; charset=${charset}"></head><body><p>${text}</p></body></html>`,
      charset,
    );
  test.each([
    ["windows-1252", "Müller – €"],
    ["us-ascii", "Müller – €"],
    ["iso-8859-1", "Müller"],
    ["iso-8859-15", "Müller €"],
    ["windows-1251", "Привет"],
    ["gb2312", "中文"],
    ["shift_jis", "名前"],
  ])("a declared encoding %s is used, once", async (charset, text) => {
    expect((await converted(declared(charset, text))).text).toContain(text);
    expect(
      (await converted(declared(charset, `${text} charset=${charset}`, `<title>${text}</title>`))).view.info["Title"],
    ).toBe(text);
  });

  test("a text that mentions an encoding is not read in it", async () => {
    const text = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-7">\nMüller 中文\n';
    expect((await converted(`${"x\n".repeat(600)}${text}`, { format: "text" })).text).toContain("Müller 中文");
  });

  const table = encoded("名前,都市\n太郎,東京\n", "euc-jp");
  test("an ambiguous encoding is an error, which `encoding` or the Content-Type resolves", async () => {
    const { status, code, message, body } = await send(table, { format: "csv" });
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(message).toContain("may be in euc-jp or gbk");
    expect(new TextDecoder().decode(body)).toContain('"name":"encoding"');
    for (const encoding of ["euc-jp", "X-EUC-JP"])
      expect((await converted(table, { format: "csv", encoding })).text).toContain("太郎");
    for (const inJob of [false, true]) {
      const form = new FormData();
      form.append("file", new Blob([table.slice()], { type: "text/csv; charset=euc-jp" }), "a.csv");
      form.append("format", "csv");
      const response = await fetch(`${baseUrl}/api/v1/to-pdf`, {
        method: "POST",
        headers: { Authorization: `Bearer ${liveKey}`, ...(inJob && { Prefer: "respond-async" }) },
        body: form,
      });
      const pdf = inJob ? await jobResult(response) : new Uint8Array(await response.arrayBuffer());
      expect((await openPdf(pdf)).pages[0]?.text).toContain("太郎");
    }
  });

  test.each([
    [
      "an unknown one",
      table,
      { encoding: "klingon" },
      "must be a label of the WHATWG Encoding Standard, such as utf-8",
    ],
    ["one that does not fit", table, { encoding: "utf-8" }, "does not fit: `file` is not valid utf-8"],
    ["one of a document that is no text", docx(paragraph("x")), { encoding: "utf-8" }, "must not be sent for `docx`"],
  ] as const)("`encoding` is refused: %s", async (_, source, fields, issue) => {
    const { status, code, body } = await send(source, fields);
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    const { details } = (
      JSON.parse(new TextDecoder().decode(body)) as {
        error: { details: { fields: { name: string; issue: string }[] } };
      }
    ).error;
    expect(details.fields[0]).toMatchObject({ name: "encoding", issue: expect.stringContaining(issue) as string });
  });

  test("a byte order mark overrides declarations", async () => {
    expect((await converted("\ufeffGrüße", { encoding: "windows-1251", format: "text" })).text).toContain("Grüße");
  });
});

describe("character references", () => {
  const shown = "&lt;b&gt; &amp; &#65; &eacute; & x&y &;";
  const inXml = shown.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const cell = `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${inXml}</t></is></c></row></sheetData>`;
  test.each<readonly [string, Source, FormFields]>([
    ["text", shown, { format: "text" }],
    ["CSV", `a,b\n"${shown}",x\n`, { format: "csv" }],
    ["code in Markdown", `# x\n\n\`\`\`\n${shown}\n\`\`\`\n`, { format: "markdown" }],
    ["HTML", `<p>${inXml}</p>`, { format: "html" }],
    [
      "HTML, without semicolons and as numbers",
      `<p>${inXml.replaceAll("&amp;", (_, at: number) => (at % 2 === 0 ? "&#38;" : "&#x26;"))}`,
      { format: "html" },
    ],
    ["XHTML", `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>${inXml}</p></body></html>`, {}],
    ["DOCX", docx(paragraph(inXml)), {}],
    ["XLSX", xlsx([{ name: "S", content: cell }]), {}],
  ])("character references are decoded once for each level of the format: %s", async (_, source, fields) => {
    expect((await converted(source, fields)).text).toContain(shown);
  });

  test("character references in titles, bookmarks, links, and descriptions of images are decoded once", async () => {
    const result = await converted(
      `<html><head><title>Caf&eacute; &ndash;\n&euro; &amp;lt;</title></head><body><h1>&amp;lt; &amp;amp; &eacute;</h1><p><a href="https://example.com/?a=1&amp;copy;=2&amp=3">x</a><img src="x.png" alt="&amp;lt; &eacute;"></p></body></html>`,
    );
    expect(result.view.info["Title"]).toBe("Caf\u00e9 \u2013 \u20ac &lt;");
    expect(titles(result)).toEqual(["&lt; &amp; \u00e9"]);
    expect(links(result)).toEqual(["https://example.com/?a=1&copy;=2&amp=3"]);
    expect(result.text).toContain("x&lt; \u00e9");
  });
});

describe("HTML", () => {
  test("headings become bookmarks, links stay links, and title and language become metadata", async () => {
    const result = await converted(
      `<html lang="de"><head><title>Ein &amp; Titel</title></head><body><h1>Erstes</h1><p><a href="https://example.com/a?b=c">hin</a> <a href="#z">weiter</a></p><h2>Kind</h2><p style="page-break-after:always">x</p><h1 id="z">Zweites</h1></body></html>`,
    );
    expect(titles(result)).toEqual(["Erstes", "Zweites"]);
    expect(result.view.outline[0]?.items.map(({ title }) => title)).toEqual(["Kind"]);
    expect(result.view.outline[1]?.target?.page).toBe(1);
    expect(links(result).toSorted()).toEqual([1, "https://example.com/a?b=c"]);
    expect([result.view.info["Title"], result.view.language]).toEqual(["Ein & Titel", "de"]);
    const given = await converted("<p>a</p>", { title: "Given", language: "pt-BR", format: "html" });
    expect([given.view.info["Title"], given.view.language]).toEqual(["Given", "pt-BR"]);
  });

  test("`@page` sets size and margins, unless parameters override it", async () => {
    const source = "<style>@page { size: 300pt 400pt; margin: 20pt 10pt } body, p { margin: 0 }</style><p>Word</p>";
    const own = await converted(source);
    expect(own.view.pages[0]?.view).toEqual([0, 0, 300, 400]);
    expect((await converted(source, { pageSize: "letter" })).view.pages[0]?.view).toEqual([0, 0, 612, 792]);
    const sized = await converted(source, { pageSize: '{"width":200,"height":500}', orientation: "landscape" });
    expect(sized.view.pages[0]?.view).toEqual([0, 0, 500, 200]);
    // Where the margin ends.
    const left = async (pdf: Uint8Array): Promise<number> => (await columns(pdf, isInk))[0] ?? -1;
    expect(await left(own.body)).toBeGreaterThanOrEqual(9);
    expect(await left(own.body)).toBeLessThan(13);
    expect(await left((await converted(source, { marginPt: "100" })).body)).toBeGreaterThanOrEqual(99);
  });

  test("pages break before and after elements", async () => {
    const source = `<style>h1 { break-before: page } .last { break-after: page }</style><h1>One</h1><p>a</p><h1>Two</h1><p class="last">b</p><p>Three</p>`;
    const { view } = await converted(source);
    expect(view.pages.map(({ text }) => text.replace(/\s+/g, " ").trim())).toEqual(["One a", "Two b", "Three"]);
  });

  describe("wide content", () => {
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
    const cells = words.map((word) => `<td style="white-space:nowrap">${word}</td>`).join("");

    test.each([
      ["lines of code are wrapped", `<pre>${words.join(" ")}</pre>`],
      ["long words are broken", `<p>${words.join("_")}</p>`],
      ["lines that may not be wrapped are scaled down", `<p style="white-space:nowrap">${words.join(" ")}</p>`],
      ["tables are scaled down", `<table><tr>${cells}</tr></table>`],
      ["the width of a screen says nothing", `<meta content="width=1800" name=viewport><p>${words.join(" ")}</p>`],
    ])("content wider than the page is fitted: %s", async (_, source) => {
      const result = await converted(`<!DOCTYPE html><html><head></head><body>${source}<p>Normal</p></body></html>`);
      const { text, view, headers, body } = result;
      for (const word of words) expect(text.replaceAll(/\s/g, "")).toContain(word);
      expect(view.pages[0]?.view).toEqual([0, 0, 595.28, 841.89]);
      expect((await columns(body, isInk)).at(-1)).toBeLessThan(595 - 52);
      expect(headers.get("X-Not-Converted")).toBeNull();
    });

    test("the page is made wider with fit=none", async () => {
      const result = await converted(`<table><tr>${cells}</tr></table><p>Normal</p>`, { fit: "none", format: "html" });
      for (const word of words) expect(result.text.replaceAll(/\s/g, "")).toContain(word);
      const [, , width = 0, height] = (result.view.pages[0]?.view ?? []) as number[];
      expect(width).toBeGreaterThan(1_000);
      expect(height).toBeCloseTo(841.89, 1);
      const ink = await columns(result.body, isInk);
      expect(ink.at(-1)).toBeLessThan(width - 52);
      expect(ink.at(-1)).toBeGreaterThan(width - 70);
    });

    test("content that would be unreadable is reported", async () => {
      const { headers } = await converted(`<p style="white-space:nowrap">${"word ".repeat(2_000)}</p>`, {
        format: "html",
      });
      expect(headers.get("X-Not-Converted")).toBe("wide-content");
    });

    test("content left of the page is reported", async () => {
      const { text, headers } = await converted(`<p style="margin-left:-900px">Lost</p><p>Kept</p>`, {
        format: "html",
      });
      expect(text.trim()).toBe("Kept");
      expect(headers.get("X-Not-Converted")).toBe("wide-content");
    });
  });

  test("scripts do not run, and nothing is fetched or shown except text", async () => {
    const source = `<script>document.write("run")</script><p>Text</p><img src="https://example.com/x.png" alt="a chart"><link rel="stylesheet" href="https://example.com/x.css"><svg><text>drawn</text></svg><iframe src="file:///etc/passwd"></iframe><p style="display:flex">flex</p>`;
    const { text, headers } = await converted(source, { format: "html" });
    expect(text.replaceAll(" ", "")).toBe("Textachartflex");
    expect(headers.get("X-Not-Converted")).toBe("css-layout,external-images,external-style-sheets,frames,svg");
  });

  test("embedded images are drawn, and `css` overrides the document's styles", async () => {
    const source = `<p><img src="${dataUri}"></p><p class="x">Gone</p><p>Stays</p>`;
    const { body, text } = await converted(source, { css: ".x { display: none }", format: "html" });
    expect((await columns(body, isRed)).length).toBeGreaterThan(4);
    expect(text.trim()).toBe("Stays");
  });
});

describe("referenced files", () => {
  const zipped = (entries: Readonly<Record<string, string | Uint8Array>>): ApiFile => ({
    bytes: archive(entries),
    fileName: "assets.zip",
  });
  const red = async (pdf: Uint8Array): Promise<number> => (await columns(pdf, isRed)).length;

  test.each([
    ["HTML", `<!DOCTYPE html><p><img src="./images/a%20b.png?v=1#x" alt="a chart"></p>`],
    [
      "XHTML",
      `<html xmlns="http://www.w3.org/1999/xhtml"><body><img alt="" src='images/../images/a b.png'/></body></html>`,
    ],
    ["Markdown", "# Title\n\n![a chart](images/a%20b.png)\n"],
  ])("images of %s are drawn", async (_, source) => {
    const { body, headers } = await converted(source, { assets: zipped({ "images/a b.png": png }) });
    expect(await red(body)).toBeGreaterThan(4);
    expect(headers.get("X-Not-Converted")).toBeNull();
    expect(await red((await converted(source)).body)).toBe(0);
  });

  test("style sheets apply, except those for screens", async () => {
    const source = `<!DOCTYPE html><link rel="stylesheet" href="css/print.css"><link rel=stylesheet media=screen href=/screen.css><p class="a">Gone</p><p class="b">Stays</p>`;
    const assets = zipped({ "css/print.css": ".a { display: none }", "screen.css": ".b { display: none }" });
    const { text, headers } = await converted(source, { assets });
    expect(text.trim()).toBe("Stays");
    expect(headers.get("X-Not-Converted")).toBeNull();
  });

  test("missing files are not found, and nothing is fetched", async () => {
    const source = `<!DOCTYPE html><img src="a.png"><img src="missing.png"><img src="https://example.com/a.png"><img src="//example.com/a.png"><img src="../a.png">`;
    const { body, headers } = await converted(source, { assets: zipped({ "a.png": png }) });
    expect(await red(body)).toBeGreaterThan(4);
    expect(await red(body)).toBeLessThan(12);
    expect(headers.get("X-Not-Converted")).toBe("external-images");
  });

  const page = '<!DOCTYPE html><img src="a.png">';
  const detailsOf = (body: Uint8Array): unknown =>
    (JSON.parse(new TextDecoder().decode(body)) as { error: { details: unknown } }).error.details;

  test.each<readonly [string, Source, Readonly<Record<string, string | Uint8Array>>, string]>([
    ["unused", page, { "a.png": png, "b/c.png": png }, "has files that the document does not refer to: b/c.png"],
    ["there twice", page, { "a.png": png, "./a.png": png }, "has more than one file at the path a.png"],
    ["outside", page, { "../a.png": png }, "has a path that leads out of the archive: ../a.png"],
    [
      "for text",
      "Just text.",
      { "a.png": png },
      "must not be sent for `text`: only HTML, XHTML, and Markdown refer to files",
    ],
  ])("a file that is %s is an error", async (_, source, entries, issue) => {
    const { status, code, body } = await send(source, { assets: zipped(entries) });
    expect([status, code, detailsOf(body)]).toEqual([
      400,
      "invalid_parameters",
      { fields: [{ name: "assets", issue }] },
    ]);
  });

  test("an invalid, damaged, or large archive is rejected", async () => {
    const none = await send(page, { assets: { bytes: png, fileName: "a.png" } });
    expect([none.status, none.code, none.message]).toEqual([
      415,
      "unsupported_format",
      "`assets` is not a ZIP archive.",
    ]);
    const bytes = archive({ "a.png": png });
    bytes[0] = 0;
    const damaged = await send(page, { assets: { bytes, fileName: "a.zip" } });
    expect([damaged.status, damaged.code, detailsOf(damaged.body)]).toEqual([400, "invalid_file", { input: "assets" }]);
    const large = await send(page, { assets: zipped({ "a.png": new Uint8Array(9 * 1024 * 1024) }) });
    expect([large.status, large.code]).toEqual([413, "limit_exceeded"]);
    const many = zipped(Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`${index}.png`, png])));
    expect((await send(page, { assets: many })).code).toBe("limit_exceeded");
  });

  test("stored files are referenced in a job", async () => {
    const headers = { Authorization: `Bearer ${liveKey}` };
    const store = async (name: string, bytes: Uint8Array): Promise<string> => {
      const form = new FormData();
      form.append("file", new Blob([bytes.slice()]), name);
      const response = await fetch(`${baseUrl}/api/v1/files`, { method: "POST", headers, body: form });
      return ((await response.json()) as { id: string }).id;
    };
    const form = new FormData();
    form.append("file", await store("page.html", new TextEncoder().encode(page)));
    form.append("assets", await store("images.zip", archive({ "a.png": png })));
    const accepted = await fetch(`${baseUrl}/api/v1/to-pdf`, {
      method: "POST",
      headers: { ...headers, Prefer: "respond-async" },
      body: form,
    });
    expect(await red(await jobResult(accepted))).toBeGreaterThan(4);
  });

  test("parts of a pipeline are referenced", async () => {
    const parts = {
      page: { bytes: new TextEncoder().encode(page), fileName: "page.html" },
      images: zipped({ "a.png": png }),
    };
    const steps = [
      { operation: "to-pdf", file: "part:page", assets: "part:images" },
      { operation: "rotate", angle: 90 },
    ];
    const { status, message, body } = await post({ baseUrl, key: liveKey }, "pipeline", {
      ...parts,
      steps: JSON.stringify(steps),
    });
    expect([status, message]).toEqual([200, undefined]);
    expect(await red(body)).toBeGreaterThan(4);
    expect((await renderPage(body, 1, 72)).width).toBeCloseTo(842, -1);
  });
});

describe("nested elements", () => {
  // With `html` and `body`, 58 levels, of which MuPDF sees up to 20 more in tables.
  const kinds: readonly (readonly [string, string, number])[] = [
    ["<div>", "</div>", 56],
    ["<p><span>", "</span></p>", 28],
    ["<b>", "</b>", 56],
    ["<table><tr><td>", "</td></tr></table>", 18],
    ["<table><tr><td><div>", "</div></td></tr></table>", 14],
  ];

  test.each(kinds)("all text of %s is kept", async (open, close, count) => {
    const inside = Array.from({ length: count }, (_, level) => `${open}w${level} `).join("");
    const { text } = await converted(`<html><body>${inside}deepest${close.repeat(count)}<p>after</p></body></html>`);
    const words = Array.from({ length: count }, (_, level) => `w${level}`);
    expect(text.trim().split(" ")).toEqual([...words, "deepest", "after"]);
  });

  test("elements nested deeper than MuPDF allows are rejected", async () => {
    const { status, code, message } = await send(`<html><body>${"<div>".repeat(60)}x`);
    expect([status, code, message]).toEqual([
      413,
      "limit_exceeded",
      "A document can have up to 60 levels of elements.",
    ]);
  });
});

test("Markdown has GitHub's tables, task lists, and footnotes, and links to headings", async () => {
  const source = `---\ntitle: Front\nlang: fr\n---\n# Top\n\n| a | b |\n|---|--:|\n| cell | 2 |\n\n- [x] done\n- [ ] open\n\nText[^n] and [jump](#the-end). 😀\n\n\`\`\`js\nif (a < b) {}\n\`\`\`\n\n## The end\n\n[^n]: A note.\n`;
  const result = await converted(source, { strict: "true" });
  expect(result.text).toContain("☑ done");
  expect(result.text).toContain("☐ open");
  expect(result.text).toContain("if (a < b) {}");
  expect(result.text).toContain("A note.");
  expect(result.text).not.toMatch(/\[\^|\|---|# Top/);
  expect(titles(result)).toEqual(["Top"]);
  expect(links(result)).toEqual([0, 0]);
  expect([result.view.info["Title"], result.view.language]).toEqual(["Front", "fr"]);
});

test("a footnote may refer to another, and code has none", async () => {
  const { text } = await converted(
    "A[^one]\n\n```\n[^one]: code\n```\n\n[^one]: First[^two]\n  goes on\n[^two]: Second\n\nEnd\n",
    { format: "markdown" },
  );
  expect(text.replace(/\s+/g, " ").trim()).toBe("A1 [^one]: code End 1. First2 goes on 2. Second");
});

describe("expensive Markdown", () => {
  test.each<readonly [string, string]>([
    ["cells of tables", `${"|a".repeat(100)}|\n${"|-".repeat(100)}|\n${"|a\n".repeat(101)}`],
    ["cells of tables", `- a\n\n  \`\`\`\n\nb\n\n${"|a".repeat(100)}|\n${"|-".repeat(100)}|\n${"|a\n".repeat(101)}`],
    ["cells of tables", `[^a]\n\n[^a]: \n${"|a".repeat(100)}|\n${"|-".repeat(100)}|\n${"|a\n".repeat(101)}`],
    ["lines without an empty one between them", `- x\n${"y\n".repeat(2_000)}`],
    ["lines", "x\n\n".repeat(20_001)],
    ["list items", "- x\n\n".repeat(5_001)],
    ["definitions of links", "[a]: b\n\n".repeat(2_001)],
  ])("Markdown with too many %s is rejected", async (what, source) => {
    const { status, code, message } = await send(source, { format: "markdown" });
    expect([status, code, message]).toEqual([413, "limit_exceeded", expect.stringContaining(what)]);
  });

  test("a long paragraph is rejected, and a long line of code is not", async () => {
    const long = "<a@b.c ".repeat(1_500);
    const { status, code, message } = await send(long, { format: "markdown" });
    expect([status, code, message]).toEqual([
      413,
      "limit_exceeded",
      "A paragraph, heading, or cell of Markdown can have up to 10,000 characters.",
    ]);
    const { text } = await converted(`\`\`\`\n${long}\n\`\`\`\n\nend`, { format: "markdown" });
    expect(text.match(/a@b\.c/g)).toHaveLength(1_500);
  });
});

describe("DOCX", () => {
  const section = (width: number, height: number): string =>
    `<w:sectPr><w:pgSz w:w="${width * 20}" w:h="${height * 20}"/><w:pgMar w:top="720" w:right="720" w:bottom="720" w:left="720"/></w:sectPr>`;

  test("headings, lists, tables, notes, links, text boxes, and sections of a DOCX are converted with their pages", async () => {
    const body =
      paragraph("Chapter", '<w:pStyle w:val="H1"/>') +
      `<w:p><w:hyperlink r:id="rLink"><w:r><w:t>out</w:t></w:r></w:hyperlink><w:hyperlink w:anchor="far"><w:r><w:t> in</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="2"/></w:r></w:p>` +
      ["first", "second"]
        .map((text) => paragraph(text, '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'))
        .join("") +
      `<w:tbl><w:tr><w:tc>${paragraph("cell")}</w:tc></w:tr></w:tbl>` +
      `<w:p><w:ins><w:r><w:t>added</w:t></w:r></w:ins><w:del><w:r><w:delText>removed</w:delText></w:r></w:del></w:p>` +
      `<w:p><w:r><w:pict><w:txbxContent>${paragraph("boxed")}</w:txbxContent></w:pict></w:r></w:p>` +
      `<w:p><w:pPr>${section(300, 400)}</w:pPr></w:p>` +
      `<w:p><w:bookmarkStart w:id="0" w:name="far"/><w:r><w:t>Landed</w:t></w:r></w:p>${section(500, 200)}`;
    const result = await converted(
      docx(body, {
        styles: '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>',
        numbering:
          '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1)"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
        footnotes: `<w:footnote w:id="2">${paragraph("Noted.")}</w:footnote>`,
        running: { header1: paragraph("Of no section") },
      }),
    );
    expect(titles(result)).toEqual(["Chapter"]);
    expect(result.text).toMatch(/III\)\s+first IV\)\s+second/);
    expect(result.text).toMatch(/cell.*added.*boxed.*Landed.*Noted\./);
    expect(result.text).not.toMatch(/removed|Of no section/);
    expect(result.view.pages.map(({ view }) => view)).toEqual([
      [0, 0, 300, 400],
      [0, 0, 500, 200],
    ]);
    expect(links(result)).toContain("https://example.com/docx");
    expect(links(result)).toContain(1);
    expect(result.headers.get("X-Not-Converted")).toBe("tracked-changes");
  });

  test("hyperlinks of a DOCX that are fields or lead to the document itself are converted", async () => {
    const run = (content: string): string => `<w:r>${content}</w:r>`;
    const mark = (kind: string): string => run(`<w:fldChar w:fldCharType="${kind}"/>`);
    const field = (code: string, result: string): string =>
      `${mark("begin")}${run(`<w:instrText>${code}</w:instrText>`)}${mark("separate")}<w:bookmarkStart w:id="9" w:name="_GoBack"/>${run(`<w:t>${result}</w:t>`)}${mark("end")}`;
    const body =
      `<w:p>${field(" HYPERLINK &quot;https://example.com/field&quot; \\o &quot;A tip&quot; ", "field")}${run("<w:t> plain </w:t>")}</w:p>` +
      `<w:p>${mark("begin")}${run("<w:instrText>TOC</w:instrText>")}${mark("separate")}${field(" HYPERLINK \\l &quot;far&quot; ", "nested")}${mark("end")}</w:p>` +
      `<w:p><w:fldSimple w:instr="HYPERLINK https://example.com/simple \\l part">${run("<w:t>simple</w:t>")}</w:fldSimple></w:p>` +
      `<w:p>${field("PAGE", "17")}<w:hyperlink r:id="rLink" w:anchor="there">${run("<w:t>anchored</w:t>")}</w:hyperlink></w:p>` +
      `<w:p><w:pPr>${section(300, 400)}</w:pPr></w:p><w:p><w:bookmarkStart w:id="0" w:name="far"/>${run("<w:t>Landed</w:t>")}</w:p>`;
    const result = await converted(docx(body));
    expect(result.text).toBe("field plain nested simple 17anchored Landed");
    expect(links(result).map(String).toSorted()).toEqual([
      "1",
      "https://example.com/docx#there",
      "https://example.com/field",
      "https://example.com/simple#part",
    ]);
  });

  test("pictures of a DOCX are drawn", async () => {
    const body = `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="635000" cy="635000"/><a:graphic><a:graphicData><a:blip r:embed="rImage0"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
    const { body: output } = await converted(docx(body, { media: { "a.png": png } }));
    // 635,000 English Metric Units.
    expect((await columns(output, isRed)).length).toBeCloseTo(50, -1);
  });
});

describe("XLSX", () => {
  const styles =
    '<numFmts><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="4"/><xf numFmtId="164"/><xf numFmtId="10"/></cellXfs>';
  test("cells of an XLSX are converted as displayed, merged ones once, without hidden sheets", async () => {
    const content = `<sheetData><row r="1"><c r="A1" s="1"><v>1234567.891</v></c><c r="B1" s="2"><v>45000</v></c><c r="C1" s="3"><v>0.1234</v></c><c r="D1" t="b"><v>1</v></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>merged</t></is></c><c r="B2"><v>7</v></c></row><row r="3" hidden="1"><c r="A3"><v>99999</v></c></row></sheetData><mergeCells><mergeCell ref="A2:B2"/></mergeCells>`;
    const secret = {
      name: "Secret",
      state: "hidden",
      content: '<sheetData><row r="1"><c r="A1"><v>424242</v></c></row></sheetData>',
    };
    const result = await converted(xlsx([{ name: "Sheet", content }, secret], { styles }));
    expect(result.text.trim().split(" ")).toEqual(["1,234,567.89", "2023-03-15", "12.34%", "TRUE", "merged"]);
    expect(titles(result)).toEqual(["Sheet"]);
  });

  test.each([
    ["width", 12, 590, 600],
    ["width", 60, 900, 14_400],
    ["none", 12, 900, 14_400],
  ])("a sheet is not cut with fit=%s and %i columns", async (fit, count, least, most) => {
    const cells = Array.from(
      { length: count },
      (_, index) => `<c t="inlineStr"><is><t>Column number ${index}</t></is></c>`,
    );
    const content = `<sheetData><row r="1">${cells.join("")}</row></sheetData>`;
    const { text, view, body } = await converted(xlsx([{ name: "Wide", content }]), { fit });
    for (let index = 0; index < count; index++) expect(text.replaceAll(" ", "")).toContain(`number${index}`);
    const [, , width = 0] = (view.pages[0]?.view ?? []) as number[];
    expect(width).toBeGreaterThan(least);
    expect(width).toBeLessThan(most);
    // Everything lies left of the right margin.
    expect((await columns(body, isInk)).at(-1)).toBeLessThan(width - 52);
  });
});
