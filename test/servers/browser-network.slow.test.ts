/** A document in the browser sends no packet, whatever it tries. The browser has a network namespace of its own, whose counters are read. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageBrowserAt } from "../../src/browser/print.ts";
import { DevTools } from "../../src/browser/devtools.ts";
import type { PrintSettings } from "../../src/engines/services.ts";
import { QUIET_FLAGS } from "../../src/serve/browser.ts";
import { attackDrawing, attackPage } from "../harness/browser/attack-page.ts";
import { ELSEWHERE, hasNamespaces, IsolatedBrowser } from "../harness/browser/namespace.ts";
import { chromiumPath } from "../harness/engines/browser.ts";

const ORIGINS = [
  `http://${ELSEWHERE}`,
  "http://127.0.0.1:8099",
  "http://localhost:8099",
  "http://[::1]:8099",
  "http://169.254.169.254",
];
const HTML = attackPage(ORIGINS);
const DRAWING = attackDrawing(ORIGINS);

const SETTINGS: PrintSettings = {
  width: 595,
  height: 842,
  margins: { top: 54, right: 54, bottom: 54, left: 54 },
  drawing: { isScaled: false, margins: { top: 0, right: 0, bottom: 0, left: 0 } },
  prefersCssPageSize: true,
  singlePage: false,
  scale: 1,
  printsBackground: true,
  css: `@import "http://${ELSEWHERE}/own.css"; p { background: url(http://${ELSEWHERE}/own.png) }`,
  header: `<img src="http://${ELSEWHERE}/header.png" onerror="new WebSocket('ws://${ELSEWHERE}/header')"><span class="title" style="font-size:9px"></span>`,
  footer: `<script>new WebSocket("ws://${ELSEWHERE}/footer")</script><span class="pageNumber" style="font-size:9px"></span>`,
  pageRanges: "",
  media: "print",
  isTagged: true,
  hasOutline: true,
  allowsScripts: false,
  delay: 2_000,
  selector: undefined,
  expression: undefined,
  failsOnExceptions: false,
  failsOnMissing: false,
  mostBytes: 32 * 1024 * 1024,
};

const program = chromiumPath;
const files = new Map([["worker.js", new TextEncoder().encode(`fetch("http://${ELSEWHERE}/worker")`)]]);

describe.skipIf(program === undefined || !hasNamespaces())("packets", () => {
  let browser: IsolatedBrowser;
  beforeAll(async () => {
    browser = await IsolatedBrowser.start(program ?? "", QUIET_FLAGS);
    await new DevTools(browser.socket()).send("Browser.getVersion");
  });
  afterAll(() => browser.stop());

  const print = (settings: Partial<PrintSettings>, source = { text: HTML, type: "text/html" }) =>
    pageBrowserAt(browser.place, async (url) => Promise.reject(new Error(url)), new AbortController().signal).print(
      { source, files, hosts: [] },
      { ...SETTINGS, ...settings },
    );

  test.each([false, true])("a page that tries everything sends no packet (scripts: %j)", async (allowsScripts) => {
    const before = await browser.packets();
    const { length, missing } = await print({ allowsScripts });
    expect(length).toBeGreaterThan(1_000);
    // It did try: these requests were paused, and refused.
    expect([...missing]).toEqual(expect.arrayContaining(["Stylesheet", "Image", "Font"]));
    expect(await browser.packets()).toEqual(before);
  });

  test.each([false, true])("a drawing that tries everything sends no packet (scripts: %j)", async (allowsScripts) => {
    const before = await browser.packets();
    const { drawing, missing } = await print({ allowsScripts }, { text: DRAWING, type: "image/svg+xml" });
    expect(drawing).toMatchObject({ width: 75, height: 75 });
    expect([...missing]).toEqual(expect.arrayContaining(["Stylesheet", "Image"]));
    expect(await browser.packets()).toEqual(before);
  });

  test("the same page sends packets from a browser without the isolation", async () => {
    const open = await IsolatedBrowser.start(program ?? "");
    try {
      const devTools = new DevTools(open.socket());
      const { targetId } = await devTools.send<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await devTools.send<{ sessionId: string }>("Target.attachToTarget", {
        targetId,
        flatten: true,
      });
      const before = await open.packets();
      await devTools.send("Page.navigate", { url: `data:text/html,${encodeURIComponent(HTML)}` }, sessionId);
      await expect.poll(async () => (await open.packets())["loopback"]).toBeGreaterThan(before["loopback"] ?? 0);
      await expect.poll(async () => (await open.packets())["outside"]).toBeGreaterThan((before["outside"] ?? 0) + 5);
      devTools.close();
    } finally {
      await open.stop();
    }
  });
});
