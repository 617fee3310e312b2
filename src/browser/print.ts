/** Prints a document with a browser that has no network. */
import { fromBase64 } from "../bytes/base64.ts";
import { Refusal } from "../engines/errors.ts";
import { filesMissing, xmlMalformed } from "../engines/file-errors.ts";
import { documentTooSlow, printedTooLarge } from "../engines/limit-errors.ts";
import { expressionInvalid, notPrintable, selectorInvalid, waitedInVain } from "../engines/parameter-errors.ts";
import { browserFailed } from "../engines/result-errors.ts";
import type { BrowserDocument, PageBrowser, Printed, PrintedDrawing, PrintSettings } from "../engines/services.ts";
import { limits } from "../limits.ts";
import { type BrowserPlace, connect } from "./connect.ts";
import { CommandError, type DevTools } from "./devtools.ts";
import { layOutDrawing } from "./drawing.ts";
import { Page } from "./page.ts";
import type { FetchFile } from "./requests.ts";
import { LONGEST_SIDE } from "../engines/geometry.ts";

/** Points in an inch, and pixels of CSS in one. */
const [POINTS, PIXELS] = [72, 96];
/** Bytes of the PDF in one message: workerd takes messages of 1 MiB. */
const CHUNK = 512 * 1024;
/** Characters of a message about XML. */
const LONGEST_MESSAGE = 200;
/** How often something is looked for that the protocol has no event for, in ms. */
const LOOK = 50;

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds));

/** `signal`: aborted when nobody waits for the PDF anymore. */
export function pageBrowserAt(place: BrowserPlace, fetchFile: FetchFile, signal: AbortSignal): PageBrowser {
  return {
    async print(document, settings) {
      let devTools: DevTools | undefined;
      const ended = Promise.withResolvers<never>();
      ended.promise.catch(() => undefined);
      const leave = (): void => ended.reject(signal.reason);
      signal.addEventListener("abort", leave);
      let waitingFor: string | undefined;
      const timer = setTimeout(
        () => ended.reject(waitingFor === undefined ? documentTooSlow() : waitedInVain(waitingFor)),
        limits.browser.seconds * 1_000,
      );
      try {
        devTools = await Promise.race([connect(place), ended.promise]);
        const printing = printWith(devTools, document, settings, fetchFile, (name) => {
          waitingFor = name;
        });
        printing.catch(() => undefined);
        return await Promise.race([printing, ended.promise]);
      } catch (error) {
        signal.throwIfAborted();
        if (isForClient(error)) throw error;
        throw browserFailed(error);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", leave);
        // The browser disposes of the context with the connection.
        devTools?.close();
      }
    },
  };
}

/** Refusals, and the errors of fetching a file by its URL: they have codes. */
const isForClient = (error: unknown): boolean =>
  error instanceof Refusal || (error instanceof Error && "code" in error);

async function printWith(
  devTools: DevTools,
  document: BrowserDocument,
  settings: PrintSettings,
  fetchFile: FetchFile,
  waitFor: (name: string | undefined) => void,
): Promise<Printed> {
  const page = await Page.open(devTools, document, settings, fetchFile);
  try {
    if (settings.css !== "") await page.addStyleSheet(settings.css);
    await settle(page);
    await waitAsAsked(page, settings, waitFor);
    await settle(page);
    if (settings.failsOnMissing && page.requests.missingUrls.length > 0) throw filesMissing(page.requests.missingUrls);
    const hasTitle = await isTrue(page, "document.title");
    await refuseMalformed(page);
    const drawing = await layOutDrawing(page, settings);
    const { stream } = await startPrint(page, drawing ? settingsFor(drawing, settings) : settings);
    const pdf = await readPdf(page, stream, settings.mostBytes);
    return { ...pdf, hasTitle, drawing, missing: page.requests.missing };
  } finally {
    page.close();
  }
}

/** Chromium shows a document of XML until its first error, with a message. */
async function refuseMalformed(page: Page): Promise<void> {
  const message = await page.evaluate(
    `document.contentType !== "text/html" && document.querySelector("parsererror > div")?.textContent`,
  );
  if (typeof message === "string") throw xmlMalformed(message.slice(0, LONGEST_MESSAGE).replace(/[\s.]+$/, ""));
}

/** Waits until the layout needs no more files, such as fonts and pictures of its style sheets. */
async function settle(page: Page): Promise<void> {
  for (let count = -1; count !== page.requests.count;) {
    count = page.requests.count;
    while (page.requests.areOpen) await page.orFail(wait(LOOK / 10));
    await page.send("Page.getLayoutMetrics");
  }
}

async function waitAsAsked(
  page: Page,
  { delay, selector, expression }: PrintSettings,
  waitFor: (name: string | undefined) => void,
): Promise<void> {
  if (delay > 0) await page.orFail(wait(delay));
  if (selector !== undefined) {
    waitFor("waitForSelector");
    while (!(await isThere(page, selector))) await page.orFail(wait(LOOK));
  }
  if (expression !== undefined) {
    waitFor("waitForExpression");
    while (!(await isTrue(page, expression))) await page.orFail(wait(LOOK));
  }
  waitFor(undefined);
}

async function isThere(page: Page, selector: string): Promise<boolean> {
  const { root } = await page.send<{ root: { nodeId: number } }>("DOM.getDocument", { depth: 0 });
  try {
    const { nodeId } = await page.send<{ nodeId: number }>("DOM.querySelector", { nodeId: root.nodeId, selector });
    return nodeId !== 0;
  } catch (error) {
    throw error instanceof CommandError ? selectorInvalid() : error;
  }
}

async function isTrue(page: Page, expression: string): Promise<boolean> {
  const { value, error } = await page.evaluated(`!!(${expression}\n)`);
  if (error === "SyntaxError") throw expressionInvalid();
  return value === true;
}

/** Chromium has pages of whole points: the rest is cut off afterwards. */
const settingsFor = (drawing: PrintedDrawing, settings: PrintSettings): PrintSettings => ({
  ...settings,
  width: Math.ceil(drawing.width),
  height: Math.ceil(drawing.height),
  margins: settings.drawing.margins,
  prefersCssPageSize: false,
  singlePage: false,
  scale: 1,
  // The rounded height must not begin another page.
  pageRanges: settings.pageRanges || "1",
});

async function startPrint(page: Page, settings: PrintSettings): Promise<{ stream: string }> {
  const { width, margins, header, footer } = settings;
  // Chromium would round fractions of a point up: A4 would become 0.64 points wider than it is.
  const height = settings.singlePage ? await wholeHeight(page, settings) : Math.round(settings.height);
  try {
    return await page.send<{ stream: string }>("Page.printToPDF", {
      paperWidth: Math.round(width) / POINTS,
      paperHeight: height / POINTS,
      marginTop: margins.top / POINTS,
      marginRight: margins.right / POINTS,
      marginBottom: margins.bottom / POINTS,
      marginLeft: margins.left / POINTS,
      scale: settings.scale,
      printBackground: settings.printsBackground,
      preferCSSPageSize: settings.prefersCssPageSize,
      displayHeaderFooter: header !== undefined || footer !== undefined,
      headerTemplate: header ?? "<span></span>",
      footerTemplate: footer ?? "<span></span>",
      pageRanges: settings.pageRanges,
      generateTaggedPDF: settings.isTagged,
      generateDocumentOutline: settings.hasOutline,
      transferMode: "ReturnAsStream",
    });
  } catch (error) {
    // The page ranges, the margins, or the scale do not fit the document.
    throw error instanceof CommandError ? notPrintable(error.message.replace(/^Page\.printToPDF: /, "")) : error;
  }
}

/** The height of a page that all content fits on, in points. */
async function wholeHeight(page: Page, { width, margins, scale }: PrintSettings): Promise<number> {
  const inner = ((width - margins.left - margins.right) / POINTS) * PIXELS;
  const view = { width: Math.max(1, Math.floor(inner / scale)), height: 1, deviceScaleFactor: 0, mobile: false };
  await page.send("Emulation.setDeviceMetricsOverride", view);
  await settle(page);
  const { cssContentSize } = await page.send<{ cssContentSize: { height: number } }>("Page.getLayoutMetrics");
  await page.send("Emulation.clearDeviceMetricsOverride");
  // A fraction of a pixel more would begin another page.
  const content = ((Math.ceil(cssContentSize.height) + 1) * scale * POINTS) / PIXELS;
  return Math.min(content + margins.top + margins.bottom, LONGEST_SIDE);
}

async function readPdf(page: Page, handle: string, mostBytes: number): Promise<Pick<Printed, "chunks" | "length">> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let isEnd = false; !isEnd;) {
    const read = await page.send<{ data: string; base64Encoded?: boolean; eof: boolean }>("IO.read", {
      handle,
      size: CHUNK,
    });
    const chunk = read.base64Encoded ? fromBase64(read.data) : new TextEncoder().encode(read.data);
    length += chunk.length;
    if (length > mostBytes) throw printedTooLarge(length, mostBytes);
    chunks.push(chunk);
    isEnd = read.eof;
  }
  await page.send("IO.close", { handle });
  return { chunks, length };
}
