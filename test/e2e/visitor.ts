import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { ownServer } from "./own-server.ts";
import { chromiumPath, startBrowser } from "../harness/engines/browser.ts";

const server = ownServer();
export const noBrowser = chromiumPath === undefined;
if (noBrowser) {
  console.warn(
    "\n  SKIPPED: tests of the pages need a Chromium on PATH or in CHROMIUM_PATH (apt-get install chromium-headless-shell).\n",
  );
}

interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly hasTouch?: boolean;
  /** Without transitions, as for people who asked their system for that. */
  readonly still?: boolean;
  /** Empty: nobody has given the page a key. */
  readonly key?: string;
}

/** A Chromium for the tests of a file, and what they do with a page. A test fails where a page misbehaves. */
export class Visitor {
  #browser: Browser | undefined;
  #page: Page | undefined;
  /** What must not happen on any page: errors on the console, violations of the policy, requests to others. */
  #faults: string[] = [];

  constructor(options?: Parameters<typeof startBrowser>[0]) {
    beforeAll(async () => {
      if (!noBrowser) this.#browser = await startBrowser(options);
    });
    afterAll(() => this.#browser?.close());
    afterEach(async () => {
      await this.#page?.context().close();
      if (this.#faults.length > 0) throw new Error(`The page misbehaved:\n${this.#faults.join("\n")}`);
    });
  }

  get page(): Page {
    if (this.#page === undefined) throw new Error("no page is open");
    return this.#page;
  }

  /** Opens a view by the part of its address after `#/`. */
  async open(route: string, look: Look = {}): Promise<Page> {
    if (this.#browser === undefined) throw new Error("there is no browser");
    const { width = 1440, height = 900, dark = false, hasTouch = false, still = false, key = server.testKey } = look;
    this.#faults = [];
    const context = await this.#browser.newContext({
      viewport: { width, height },
      hasTouch,
      colorScheme: dark ? "dark" : "light",
      ...(still ? { reducedMotion: "reduce" } : {}),
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    this.#page = page;
    // Longer than anything takes on a busy machine.
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => this.#faults.push(error.message));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.#faults.push(message.text());
    });
    page.on("request", (request) => {
      const own = request.url().startsWith(`${server.baseUrl}/`);
      if (!own && !/^(blob|data):/.test(request.url())) this.#faults.push(`a request to ${request.url()}`);
    });
    await page.goto(key === "" ? server.baseUrl : `${server.baseUrl}/#key=${key}`);
    await this.view(route);
    return page;
  }

  /** Goes to a view of the open page. */
  async view(route: string): Promise<void> {
    await this.page.goto(`${server.baseUrl}/#/${route}`);
    const shown = `.endpoint code:text-is("/api/v1/${route}"), #links [aria-current][href="/#/${route}"]`;
    await this.page.waitForSelector(shown, { state: "attached" });
  }

  /** Takes back faults that the test means to bring about. */
  expected(text: string): void {
    this.#faults = this.#faults.filter((fault) => !fault.includes(text));
  }

  get result(): Locator {
    return this.page.locator(".result");
  }

  async run(): Promise<void> {
    await this.page.getByRole("button", { name: "Run", exact: true }).click();
  }

  /** The request as a command. */
  async curl(): Promise<string> {
    await this.page.getByRole("tab", { name: "curl" }).click();
    return await this.page.locator(".code-card .code").innerText();
  }

  /** Waits for the response, and returns its status. */
  status(): Promise<string> {
    return this.result.locator(".status").innerText();
  }

  async runExample(): Promise<void> {
    await this.page.getByRole("button", { name: "Run an example" }).click();
    await this.result.locator(".status").waitFor();
  }

  /**
   * How much of a page of the result is light gray, and how much is dark, 0 to 1: read from the canvas that it is drawn on.
   * `area` is a part of the page: left, top, width and height, each from 0 to 1.
   */
  async inkOf(page: number, area = [0, 0, 1, 1]): Promise<{ gray: number; dark: number }> {
    const selector = `.result canvas[data-drawn="true"][aria-label^="Page ${page} "]`;
    await this.page.waitForSelector(selector);
    return (await this.page.evaluate(`(() => {
      const canvas = document.querySelector(${JSON.stringify(selector)});
      const { width, height } = canvas;
      const [x, y, w, h] = ${JSON.stringify(area)};
      const { data } = canvas.getContext("2d").getImageData(x * width, y * height, w * width, h * height);
      let gray = 0, dark = 0;
      for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue] = data.subarray(at, at + 3);
        const even = Math.max(red, green, blue) - Math.min(red, green, blue) < 6;
        if (even && red > 190 && red < 240) gray += 1;
        if (red < 90 && green < 90 && blue < 90) dark += 1;
      }
      return { gray: gray / (data.length / 4), dark: dark / (data.length / 4) };
    })()`)) as { gray: number; dark: number };
  }
}
