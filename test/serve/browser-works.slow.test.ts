/** `npm run serve -- --browser`: printed documents in pipelines and jobs, pages by URL, many clients at once, and pages that take all memory. */
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as mupdf from "mupdf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { start, type Started } from "./started.ts";
import { chromiumPath } from "../harness/engines/browser.ts";
import { writePng } from "../harness/images/png-writer.ts";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { signaturesIn, verification } from "../harness/signatures/signatures.ts";

const picture = writePng({ width: 8, height: 8, colorType: 2, depth: 8 }, () => 128);

type Fields = Readonly<Record<string, string>>;

/** The browser may have 500 MiB, and is killed above 1,000. A page may have a heap of 512. */
const SETTINGS = { BROWSER_FLAGS: "--no-sandbox", BROWSER_MEMORY_MIB: "500", WORKERS: "1", FETCH_ALLOW_LOCAL: "true" };

describe.skipIf(chromiumPath === undefined)("npm run serve with a browser", () => {
  let data: string;
  let server: Started;
  let key: string;
  let site: Server;
  let port: number;
  /** The paths and hosts that were requested from the site. */
  const requested: string[] = [];
  const headersSent = new Set<string>();
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "pdf-service-browser-"));
    site = createServer(({ url = "", headers }, response) => {
      for (const name of Object.keys(headers)) headersSent.add(name);
      requested.push(`${headers.host?.split(":")[0]}${url}`);
      const pages: Readonly<Record<string, string>> = {
        "/page": `<title>Page</title><link rel=stylesheet href=style.css><h1>By URL</h1><img src="http://localhost:${port}/picture.png"><a href="next">next</a>`,
        "/drawing.svg":
          '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><image href="picture.png"/></svg>',
        "/style.css": "@page{size:A5} h1::after{content:' styled'}",
      };
      if (url === "/moved") return void response.writeHead(302, { Location: "/page" }).end();
      if (url === "/picture.png") return void response.writeHead(200, { "Content-Type": "image/png" }).end(picture);
      const types = { css: "text/css", svg: "image/svg+xml" };
      const type = types[url.slice(-3) as keyof typeof types] ?? "text/html";
      response.writeHead(url in pages ? 200 : 404, { "Content-Type": type }).end(pages[url] ?? "");
    });
    await once(site.listen(0), "listening");
    ({ port } = site.address() as AddressInfo);
    server = await start(data, ["--single-tenant", "--browser", chromiumPath ?? ""], SETTINGS);
    if (server.baseUrl === undefined) throw new Error(server.stderr);
    key = (await readFile(join(data, "api-key"), "utf8")).trim();
  });
  afterAll(async () => {
    site.close();
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${server.baseUrl}/api/v1/${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${key}`, ...(init.headers as Fields | undefined) },
    });

  function post(path: string, html: string | undefined, fields: Fields, headers: Fields = {}): Promise<Response> {
    const body = new FormData();
    if (html !== undefined) body.append("file", new Blob([html]), "page.html");
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    return ask(path, { method: "POST", headers, body });
  }

  const print = (html: string, fields: Fields = {}) => post("to-pdf", html, { engine: "browser", ...fields });
  const open = async (response: Response): Promise<mupdf.PDFDocument> => {
    const bytes = await response.arrayBuffer();
    expect([response.status, response.ok ? "" : new TextDecoder().decode(bytes)]).toEqual([200, ""]);
    return mupdf.Document.openDocument(bytes, "application/pdf") as mupdf.PDFDocument;
  };
  const errorOf = async (response: Response) => {
    const { error } = (await response.json()) as { error: { code: string } };
    return { status: response.status, code: error.code };
  };
  const textOf = (pages: mupdf.PDFDocument): string =>
    pages.loadPage(0).toStructuredText("").asText().replace(/\s+/g, " ").trim();

  test("A4 is as wide as in Chromium's own PDFs, and relative links of a file are dropped", async () => {
    const pages = await open(await print(`<a href="next.html">next</a> <a href="https://example.com/">far</a>`));
    const page = pages.findPage(0);
    expect([2, 3].map((at) => page.get("MediaBox", at).asNumber())).toEqual([
      expect.closeTo(594.96, 3),
      expect.closeTo(841.92, 3),
    ]);
    expect(
      Array.from({ length: page.get("Annots").length }, (_, at) => page.get("Annots", at, "A", "URI").asString()),
    ).toEqual(["", "https://example.com/"]);
  });

  test("characters that no font has are counted", async () => {
    const missing = async (html: string): Promise<string | null> => {
      const response = await print(html);
      expect(response.status).toBe(200);
      return response.headers.get("X-Missing-Glyphs");
    };
    // Planes 15 and 16 are for private use.
    const none = "&#xF0000;&#x10FFFD;";
    expect(await missing(`<p>two ${none}</p>`)).toBe("2");
    expect(
      await missing(`<p>${none}<h1 style="break-before:page">${none}</h1><svg><text y="20">${none}</text></svg>`),
    ).toBe("6");
    const invisible = "office na\u00efve\u00a0a\u00adb\u200bc\u200dd\u2060e\ufeff f\ufe0f\u202eg\u202c\u2028h";
    expect(await missing(`<meta charset=utf-8><p>${invisible}<pre>a\tb\r\n c</pre>&#xFFFD;<wbr>`)).toBe("0");
  });

  test("a pipeline seals what the browser has printed", async () => {
    const signer = await issue({ subject: "Ada", isAuthority: true });
    const seal = { operation: "seal", privateKey: await keyPem(signer), chain: chainPem(signer) };
    const steps = JSON.stringify([{ operation: "to-pdf", engine: "browser" }, seal]);
    const response = await post("pipeline", "<title>Contract</title><p>signed</p>", { steps });
    const bytes = new Uint8Array(await response.clone().arrayBuffer());
    const pages = await open(response);
    expect([textOf(pages), pages.getMetaData("info:Title")]).toEqual(["signed", "Contract"]);
    const [signature] = signaturesIn(bytes);
    expect(signature && (await verification(signature, chainPem(signer)))).toBe("verified");
  });

  test("a job prints with the browser", async () => {
    const fields = { engine: "browser", scripts: "true" };
    const html = "<body><script>document.body.append('in a job')</script>";
    const made = await post("to-pdf", html, fields, { Prefer: "respond-async" });
    const { id } = (await made.json()) as { id: string };
    expect(made.status).toBe(202);
    const ended = await ask(`jobs/${id}?wait=30`);
    expect(await ended.json()).toMatchObject({ status: "succeeded" });
    const result = await ask(`jobs/${id}/result`);
    expect(result.headers.get("X-Engine")).toBe("browser");
    expect(textOf(await open(result))).toBe("in a job");
  });

  test("a page by URL is fetched with the files of its own host, and with those of other hosts only if they are allowed", async () => {
    requested.length = 0;
    const url = `http://127.0.0.1:${port}/moved`;
    const without = await post("to-pdf", undefined, { url });
    expect(without.headers.get("X-Not-Converted")).toBe("external-images");
    const pages = await open(without);
    expect([textOf(pages), pages.loadPage(0).getBounds()[2]]).toEqual(["By URL styled next", expect.closeTo(420, -1)]);
    expect(pages.loadPage(0).getLinks()[0]?.getURI()).toBe(`http://127.0.0.1:${port}/next`);
    expect(requested).toEqual(["127.0.0.1/moved", "127.0.0.1/page", "127.0.0.1/style.css"]);
    expect([...headersSent].filter((name) => /^(?:cf|mf)-/.test(name))).toEqual([]);
    const allowed = await post("to-pdf", undefined, { url, allowedHosts: "localhost" });
    expect([allowed.status, allowed.headers.get("X-Not-Converted")]).toEqual([200, null]);
    expect(requested).toContain("localhost/picture.png");
  });

  test("a drawing by URL has a page of its own size, with the pictures of its host", async () => {
    const response = await post("to-pdf", undefined, { url: `http://127.0.0.1:${port}/drawing.svg` });
    const { headers } = response;
    expect([headers.get("X-Converted-From"), headers.get("X-Not-Converted")]).toEqual(["svg", null]);
    expect((await open(response)).loadPage(0).getBounds()).toEqual([0, 0, 60, 30]);
  });

  test("files by URL that a document may not load are not requested, and a page that is not there is an error", async () => {
    requested.length = 0;
    const html = `<img src="http://127.0.0.1:${port}/picture.png"><img src="http://localhost:${port}/picture.png">`;
    const some = await print(html, { allowedHosts: "localhost" });
    expect([some.status, some.headers.get("X-Not-Converted")]).toEqual([200, "external-images"]);
    expect(requested).toEqual(["localhost/picture.png"]);
    const gone = await errorOf(await post("to-pdf", undefined, { url: `http://127.0.0.1:${port}/gone` }));
    expect(gone).toEqual({ status: 422, code: "fetch_failed" });
  });

  test("twenty requests of an account at the same time are all printed, and others work meanwhile", async () => {
    const printed = Array.from({ length: 20 }, () => print("<p>a</p>", { waitDelay: "1s" }));
    let isPrinted = false;
    const all = Promise.all(printed).finally(() => {
      isPrinted = true;
    });
    const flow = await post("to-pdf", "<p>b</p>", { engine: "flow" });
    expect([flow.status, isPrinted]).toEqual([200, false]);
    expect((await all).map(({ status }) => status)).toEqual(printed.map(() => 200));
  });

  /** The browser has another process, or the same. */
  const works = async (): Promise<boolean> => (await print("<p>again</p>")).status === 200;

  test("scripts that fill the heap of their page get 413, and the next request works", async () => {
    const html = "<script>const all = []; for (;;) all.push(new Array(1_000_000).fill({}));</script>";
    const { status, code } = await errorOf(await print(html, { scripts: "true" }));
    expect([status, code]).toEqual([413, "limit_exceeded"]);
    await expect.poll(works, { interval: 500 }).toBe(true);
  });

  test("scripts that take the memory of the browser end it with 503, and the next request works", async () => {
    const killed = () => server.lines.filter((line) => line.includes("browser killed")).length;
    const before = killed();
    const html =
      "<script>const all = []; setInterval(() => all.push(new Uint8Array(32 * 2 ** 20).fill(1)), 50);</script>";
    const { status, code } = await errorOf(await print(html, { scripts: "true", waitForExpression: "false" }));
    expect([status, code]).toEqual([503, "browser_failed"]);
    expect(killed()).toBe(before + 1);
    await expect.poll(works, { interval: 500 }).toBe(true);
  });
});
