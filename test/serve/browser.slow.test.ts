/** `npm run serve -- --browser`: HTML as Chromium prints it, and a browser that dies, hangs, or takes too long. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as mupdf from "mupdf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { start, type Started } from "./started.ts";
import { processesBelow } from "../../src/serve/processes.ts";
import { chromiumPath } from "../harness/engines/browser.ts";

const BROWSER = { BROWSER_FLAGS: "--no-sandbox" };

async function startIn(data: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const server = await start(data, ["--single-tenant", ...args], env);
  expect([server.code, server.stderr]).toEqual([undefined, ""]);
  const key = (await readFile(join(data, "api-key"), "utf8")).trim();
  return { server, key };
}

type Fields = Readonly<Record<string, string | Uint8Array>>;

describe.skipIf(chromiumPath === undefined)("npm run serve with a browser", () => {
  let data: string;
  let server: Started;
  let key: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "pdf-service-browser-"));
    ({ server, key } = await startIn(data, ["--browser", chromiumPath ?? ""], { ...BROWSER, WORKERS: "1" }));
  });
  afterAll(async () => {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  async function convert(html: string | undefined, fields: Fields = {}, to = { server, key }) {
    const body = new FormData();
    if (html !== undefined) body.append("file", new Blob([html]), "page.html");
    for (const [name, value] of Object.entries(fields))
      body.append(name, typeof value === "string" ? value : new Blob([value.slice()]));
    const headers = { Authorization: `Bearer ${to.key}` };
    const response = await fetch(`${to.server.baseUrl}/api/v1/to-pdf`, { method: "POST", headers, body });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const code = response.ok ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code;
    return { status: response.status, code, headers: response.headers, bytes, text };
  }

  const open = (bytes: Uint8Array): mupdf.PDFDocument =>
    mupdf.Document.openDocument(bytes, "application/pdf") as mupdf.PDFDocument;
  const textOf = (pages: mupdf.PDFDocument, page = 0): string =>
    pages.loadPage(page).toStructuredText("").asText().replace(/\s+/g, " ").trim();

  /** The processes of browsers, without the scripts that start them. */
  const browsers = async () =>
    (await processesBelow(process.pid)).filter(
      ({ command }) => command.includes(`--user-data-dir=${data}`) && !/^\/bin\/sh|--type=/.test(command),
    );

  async function debuggerUrl(): Promise<string> {
    const profiles = (await readdir(join(data, "tmp"))).filter((name) => name.startsWith("browser-"));
    const [port] = (await readFile(join(data, "tmp", profiles[0] ?? "", "DevToolsActivePort"), "utf8")).split("\n");
    return `http://127.0.0.1:${port}`;
  }

  const works = async (): Promise<boolean> => {
    const { status, headers } = await convert("<p>again", { engine: "browser" });
    return status === 200 && headers.get("X-Engine") === "browser";
  };

  test("HTML with boxes side by side is printed by the browser, with tags, links, bookmarks, title, and language", async () => {
    const html = `<!doctype html><html lang="en"><title>Invoice 7</title><h1>Invoice</h1>
      <div style="display:flex"><b>left</b><a href="https://example.com/">right</a></div><h2>Items</h2>`;
    const { status, headers, bytes } = await convert(html, { language: "en-GB" });
    expect([status, headers.get("X-Engine"), headers.get("X-Not-Converted")]).toEqual([200, "browser", null]);
    const pages = open(bytes);
    const [left, right] = ["left", "right"].map((word) => pages.loadPage(0).search(word, "")[0]?.[0]?.[1]);
    expect(left).toBeCloseTo(right ?? 0, 0);
    expect(
      pages
        .loadPage(0)
        .getLinks()
        .map((link) => link.getURI()),
    ).toEqual(["https://example.com/"]);
    expect(pages.loadOutline()?.map(({ title, down }) => [title, down?.map((one) => one.title)])).toEqual([
      ["Invoice", ["Items"]],
    ]);
    const root = pages.getTrailer().get("Root");
    expect(root.get("MarkInfo").get("Marked").asBoolean()).toBe(true);
    expect([pages.getMetaData("info:Title"), root.get("Lang").asString()]).toEqual(["Invoice 7", "en-GB"]);
  });

  test("a title is kept, also one that is a part of the URL, and the URL is not made one", async () => {
    const titleOf = async (html: string) =>
      open((await convert(html, { engine: "browser" })).bytes).getMetaData("info:Title");
    expect(await titleOf("<title>document</title><p>a")).toBe("document");
    expect(await titleOf("<title> </title><p>a")).toBeFalsy();
    expect(await titleOf("<p>a")).toBeFalsy();
  });

  test("plain HTML stays with flow, as does HTML with a parameter that only flow has", async () => {
    expect((await convert("<p>text</p>")).headers.get("X-Engine")).toBe("flow");
    expect((await convert("<p style='position:fixed'>text</p>", { fontSize: "9" })).headers.get("X-Engine")).toBe(
      "flow",
    );
    expect((await convert("<p>text</p><script>1</script>")).headers.get("X-Engine")).toBe("browser");
    expect((await convert("<style>@font-face{font-family:x;src:url(x.ttf)}</style>a")).headers.get("X-Engine")).toBe(
      "browser",
    );
  });

  describe("SVG", () => {
    const SVG = 'xmlns="http://www.w3.org/2000/svg"';
    const CONTENT = '<rect width="100%" height="100%" fill="red"/>';
    const sizeOf = (pages: mupdf.PDFDocument): number[] =>
      pages
        .loadPage(0)
        .getBounds()
        .map((side) => Math.round(side * 100) / 100);
    /** The width, the height, and the pixels of the page's four corners and its center. */
    function pixelsOf(pages: mupdf.PDFDocument) {
      const pixmap = pages.loadPage(0).toPixmap(mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, false);
      const [width, height, samples] = [pixmap.getWidth(), pixmap.getHeight(), pixmap.getPixels()];
      const at = (x: number, y: number): string =>
        samples.slice((y * width + x) * 3, (y * width + x) * 3 + 3).join(",");
      const corners = [at(0, 0), at(width - 1, 0), at(0, height - 1), at(width - 1, height - 1)];
      return { corners, center: at(width >> 1, height >> 1) };
    }
    const [RED, WHITE] = ["255,0,0", "255,255,255"];

    test.each([
      ["its width and height", `${SVG} width="100mm" height="50mm"`, CONTENT, [0, 0, 283.46, 141.73]],
      ["its viewBox", `${SVG} width="100%" viewBox="0 0 800 600"`, CONTENT, [0, 0, 600, 450]],
      ["its width and the shape of its viewBox", `${SVG} width="40" viewBox="0 0 100 50"`, CONTENT, [0, 0, 30, 15]],
      [
        "its content with the lines",
        SVG,
        '<rect x="90" y="40" width="20" height="10" fill="red" stroke="red" stroke-width="4"/>',
        [0, 0, 18, 10.5],
      ],
      ["the longest side of a page", `${SVG} width="40000" height="20"`, CONTENT, [0, 0, 14_400, 7.2]],
      ["the shortest side of a page", `${SVG} width="6" height="3"`, CONTENT, [0, 0, 6, 3]],
    ])("a drawing has a page of its own size, which it fills: by %s", async (_, root, content, size) => {
      const { status, headers, bytes } = await convert(`<svg ${root}>${content}</svg>`);
      expect([status, headers.get("X-Converted-From"), headers.get("X-Engine")]).toEqual([200, "svg", "browser"]);
      const pages = open(bytes);
      expect([pages.countPages(), sizeOf(pages)]).toEqual([1, size]);
      const { corners, center } = pixelsOf(pages);
      expect([center, corners[0]]).toEqual([RED, RED]);
    });

    test("a drawing is scaled to fit a page that the request names, in its middle", async () => {
      const svg = `<svg ${SVG} width="100" height="50">${CONTENT}</svg>`;
      const { bytes } = await convert(svg, { pageSize: "a4", marginPt: "40" });
      const pages = open(bytes);
      expect([pages.countPages(), sizeOf(pages)]).toEqual([1, [0, 0, 595.28, 841.89]]);
      expect(pixelsOf(pages)).toEqual({ corners: [WHITE, WHITE, WHITE, WHITE], center: RED });
      const [, top, , bottom] = pages.loadPage(0).toDisplayList(true).getBounds();
      expect([top, bottom]).toEqual([0, expect.closeTo(841.89, 1)]);
      const refused = await convert(svg, { pageSize: "a4", scale: "1.5" });
      expect([refused.status, refused.code]).toEqual([400, "invalid_parameters"]);
      expect(refused.text).toContain("`scale` must be at most 1");
    });

    test("a drawing keeps text, links, and its title, and the losses are named", async () => {
      const svg = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY who "world">]><svg ${SVG} xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="100">
        <title>Plan</title><a xlink:href="https://example.com/"><text y="20">Hello &who;</text></a><image href="https://example.com/a.png" width="9" height="9"/>
        <rect y="50" width="10" height="10"><animate attributeName="x" from="0" to="100" dur="9s"/></rect><script>1</script></svg>`;
      const { headers, bytes } = await convert(svg);
      const pages = open(bytes);
      expect([textOf(pages), pages.getMetaData("info:Title")]).toEqual(["Hello world", "Plan"]);
      const links = pages.loadPage(0).getLinks();
      expect(links.map((link) => link.getURI())).toEqual(["https://example.com/"]);
      expect(headers.get("X-Not-Converted")).toBe("animations,external-images,scripts");
    });

    test("a drawing that is not well-formed or has nothing to show is an error, as is such XHTML", async () => {
      const xhtml = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>one</body></html>';
      for (const [text, fields, problem] of [
        [`<svg ${SVG} width="9" height="9"><g></svg>`, {}, "well-formed XML: error on line 1"],
        [xhtml, { engine: "browser" }, "well-formed XML: error on line 1"],
        [`<svg ${SVG}></svg>`, {}, "nothing to show"],
      ] as const) {
        const refused = await convert(text, fields);
        expect([refused.status, refused.code]).toEqual([400, "invalid_file"]);
        expect(refused.text).toContain(problem);
      }
    });
  });

  test("scripts do not run unless they are allowed", async () => {
    const html = "<body><p>before</p><script>document.body.append('ran')</script>";
    const without = await convert(html, { engine: "browser" });
    expect([textOf(open(without.bytes)), without.headers.get("X-Not-Converted")]).toEqual(["before", "scripts"]);
    const having = await convert(html, { scripts: "true" });
    expect([textOf(open(having.bytes)), having.headers.get("X-Not-Converted")]).toEqual(["before ran", null]);
  });

  test("a form as clients of Gotenberg send it is converted", async () => {
    const { status, bytes, text } = await convert("<h1>One</h1><p style='break-before:page'>Two</p>", {
      paperWidth: "8.5",
      paperHeight: "11in",
      marginTop: "1",
      marginBottom: "2cm",
      marginLeft: "20mm",
      marginRight: "36pt",
      landscape: "true",
      scale: "0.9",
      printBackground: "true",
      preferCssPageSize: "false",
      singlePage: "false",
      header: "<span style='font-size:10px' class='title'></span>",
      footer: "<span style='font-size:10px'>page <span class='pageNumber'></span></span>",
      nativePageRanges: "2-2",
      emulatedMediaType: "screen",
      generateDocumentOutline: "true",
      taggedPdf: "false",
      scripts: "true",
      waitDelay: "100ms",
      waitForSelector: "h1",
      waitForExpression: "document.readyState === 'complete'",
      failOnConsoleExceptions: "true",
      failOnResourceLoadingFailed: "true",
    });
    expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
    const pages = open(bytes);
    expect([pages.countPages(), pages.loadPage(0).getBounds()]).toEqual([1, [0, 0, 792, 612]]);
    expect(textOf(pages)).toContain("Two");
    expect(textOf(pages)).toContain("page 2");
    expect(pages.getTrailer().get("Root").get("StructTreeRoot").isNull()).toBe(true);
  });

  test("singlePage makes one page as long as its content", async () => {
    const { bytes } = await convert("<div style='height:5000px'>top</div>end", { singlePage: "true" });
    const pages = open(bytes);
    const [, , , height] = pages.loadPage(0).getBounds();
    expect([pages.countPages(), height > 3_700]).toEqual([1, true]);
  });

  test.each([
    [{ failOnConsoleExceptions: "true", scripts: "true" }, "<script>nothing.here</script>", "invalid_file", "nothing"],
    [{ failOnResourceLoadingFailed: "true" }, "<img src=gone.png>", "invalid_file", "gone.png"],
    [{ waitForSelector: "<" }, "text", "invalid_parameters", "waitForSelector"],
    [{ engine: "browser" }, "# Title\n\n- a\n- b\n", "invalid_parameters", "`markdown`"],
  ])("%j is an error for %j", async (fields, html, code, named) => {
    const error = await convert(html, fields as Fields);
    expect([error.status, error.code]).toEqual([400, code]);
    expect(error.text).toContain(named);
  });

  test("a script that does not end gets 413, and the next request works", async () => {
    const { status, code } = await convert("<p>a</p><script>for (;;);</script>", { scripts: "true" });
    expect([status, code]).toEqual([413, "limit_exceeded"]);
    expect(await works()).toBe(true);
  });

  test.each(["SIGKILL", "SIGSTOP"] as const)("a browser that gets %s fails its request with 503", async (signal) => {
    const [browser] = await browsers();
    const waiting = convert("<p>a</p>", { waitDelay: "8s" });
    const pages = async (): Promise<string> => (await fetch(`${await debuggerUrl()}/json/list`)).text();
    await expect.poll(pages).toContain("document.invalid");
    process.kill(browser?.pid ?? 0, signal);
    const { status, code } = await waiting;
    expect([status, code]).toEqual([503, "browser_failed"]);
    await expect.poll(works, { interval: 500 }).toBe(true);
    expect((await browsers()).map(({ pid }) => pid)).not.toContain(browser?.pid);
  });

  test("a server with BROWSER_URL uses that browser", async () => {
    const other = await mkdtemp(join(tmpdir(), "pdf-service-browser-"));
    const second = await startIn(other, [], { BROWSER_URL: await debuggerUrl(), WORKERS: "1" });
    try {
      const { status, headers, bytes } = await convert("<p>by URL</p>", { engine: "browser" }, second);
      expect([status, headers.get("X-Engine")]).toEqual([200, "browser"]);
      expect(textOf(open(bytes))).toBe("by URL");
    } finally {
      await second.server.stop();
      await rm(other, { recursive: true, force: true });
    }
  });

  test("the browser ends with the server", async () => {
    expect((await browsers()).length).toBeGreaterThan(0);
    await server.stop();
    await expect
      .poll(async () => (await processesBelow(0)).filter(({ command }) => command.includes(data)))
      .toEqual([]);
  });
});
