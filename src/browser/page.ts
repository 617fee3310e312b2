/** A page in a browser context of its own, that is closed with everything in it. */
import { pageCrashed } from "../engines/limit-errors.ts";
import { scriptFailed } from "../engines/file-errors.ts";
import type { BrowserDocument, PrintSettings } from "../engines/services.ts";
import type { DevTools, DevToolsEvent } from "./devtools.ts";
import { DEAD_PROXY, REMOVAL } from "./isolation.ts";
import { DocumentRequests, type FetchFile, type PausedRequest } from "./requests.ts";

export class Page {
  readonly requests: DocumentRequests;
  readonly #devTools: DevTools;
  readonly #settings: PrintSettings;
  readonly #failure = Promise.withResolvers<never>();
  readonly #loaded = Promise.withResolvers<void>();
  #context: string | undefined;
  /** Chromium names the main frame as its target. */
  #target = "";
  #session = "";

  private constructor(devTools: DevTools, document: BrowserDocument, settings: PrintSettings, fetchFile: FetchFile) {
    this.#devTools = devTools;
    this.#settings = settings;
    this.requests = new DocumentRequests(devTools, {
      document,
      fetchFile,
      allowsScripts: settings.allowsScripts,
      fail: (error) => this.#failure.reject(error),
    });
    // Whoever waits for the page sees it.
    this.#failure.promise.catch(() => undefined);
    devTools.listen((event) => this.#take(event));
  }

  /**
   * Opens the document and returns when it has loaded.
   * @throws Refusal, CommandError, ConnectionLost
   */
  static async open(
    devTools: DevTools,
    document: BrowserDocument,
    settings: PrintSettings,
    fetchFile: FetchFile,
  ): Promise<Page> {
    const page = new Page(devTools, document, settings, fetchFile);
    try {
      await page.#open();
      return page;
    } catch (error) {
      page.close();
      throw error;
    }
  }

  /** Sends a command to the page. */
  send<T = Readonly<Record<string, unknown>>>(method: string, params: object = {}): Promise<T> {
    return this.orFail(this.#devTools.send<T>(method, params, this.#session));
  }

  /** The value of a JavaScript expression, which must be JSON. An expression that throws has none. */
  async evaluate(expression: string): Promise<unknown> {
    return (await this.evaluated(expression)).value;
  }

  /** The same, with the class of an error that it throws. */
  async evaluated(expression: string): Promise<{ readonly value: unknown; readonly error: string | undefined }> {
    const { result, exceptionDetails } = await this.send<{
      result: { value?: unknown };
      exceptionDetails?: { exception?: { className?: string } };
    }>("Runtime.evaluate", { expression, returnByValue: true });
    return { value: result.value, error: exceptionDetails?.exception?.className };
  }

  /** A style sheet of the inspector comes after those of the document. */
  async addStyleSheet(text: string): Promise<void> {
    await this.send("DOM.enable");
    await this.send("CSS.enable");
    const { styleSheetId } = await this.send<{ styleSheetId: string }>("CSS.createStyleSheet", {
      frameId: this.#target,
      force: true,
    });
    await this.send("CSS.setStyleSheetText", { styleSheetId, text });
  }

  /** Rejects as soon as the page fails. */
  orFail<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#failure.promise, this.#devTools.ended]);
  }

  /** Nobody waits until the browser has disposed of the context: that takes longer than reading a PDF. */
  close(): void {
    const context = this.#context;
    this.#context = undefined;
    if (context === undefined) return;
    this.#devTools.send("Target.disposeBrowserContext", { browserContextId: context }).catch(() => undefined);
  }

  async #open(): Promise<void> {
    const send = <T>(method: string, params: object): Promise<T> => this.#devTools.send<T>(method, params);
    const { browserContextId } = await send<{ browserContextId: string }>("Target.createBrowserContext", {
      disposeOnDetach: true,
      ...DEAD_PROXY,
    });
    this.#context = browserContextId;
    await send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId });
    const { targetId } = await send<{ targetId: string }>("Target.createTarget", {
      url: "about:blank",
      browserContextId,
    });
    this.#target = targetId;
    const attached = await send<{ sessionId: string }>("Target.attachToTarget", { targetId, flatten: true });
    this.#session = attached.sessionId;
    await this.orFail(this.#prepare(this.#session));
    await this.send("Emulation.setEmulatedMedia", { media: this.#settings.media });
    // Its result comes when the first bytes have.
    const { errorText } = await this.send<{ errorText?: string }>("Page.navigate", { url: this.requests.start });
    if (errorText !== undefined) throw new Error(`the page did not open: ${errorText}`);
    await this.orFail(this.#loaded.promise);
  }

  /** Isolates a page, or a frame in a process of its own, before it loads anything. */
  async #prepare(session: string): Promise<void> {
    const send = (method: string, params: object = {}) => this.#devTools.send(method, params, session);
    await Promise.all([
      send("Page.enable"),
      send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }),
      send("Network.enable"),
      send("Network.setBypassServiceWorker", { bypass: true }),
      send("Emulation.setScriptExecutionDisabled", { value: !this.#settings.allowsScripts }),
      send("Page.addScriptToEvaluateOnNewDocument", { source: REMOVAL, runImmediately: true }),
      send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      ...(this.#settings.failsOnExceptions ? [send("Runtime.enable")] : []),
    ]);
  }

  #take({ method, params, sessionId }: DevToolsEvent): void {
    if (sessionId === undefined) return;
    switch (method) {
      case "Fetch.requestPaused": {
        const paused = params as unknown as PausedRequest;
        void this.requests.respond(paused, paused.frameId === this.#target, sessionId);
        break;
      }
      // A page that wants to leave has no load event.
      case "Page.frameStoppedLoading":
        if (params["frameId"] === this.#target && this.requests.isStarted) this.#loaded.resolve();
        break;
      case "Page.javascriptDialogOpening":
        void this.#devTools.send("Page.handleJavaScriptDialog", { accept: false }, sessionId).catch(() => undefined);
        break;
      case "Inspector.targetCrashed":
        this.#failure.reject(pageCrashed());
        break;
      case "Runtime.exceptionThrown":
        this.#failure.reject(scriptFailed(describedException(params)));
        break;
      case "Target.attachedToTarget":
        void this.#attached(params as unknown as Attached).catch(() => undefined);
        break;
    }
  }

  /** Frames continue once they are isolated. Everything else, such as a worker or a popup, waits until the page is closed. */
  async #attached({ sessionId, targetInfo }: Attached): Promise<void> {
    if (targetInfo.type !== "iframe") return;
    await this.#prepare(sessionId);
    await this.#devTools.send("Runtime.runIfWaitingForDebugger", {}, sessionId);
  }
}

interface Attached {
  readonly sessionId: string;
  readonly targetInfo: { readonly type: string };
}

function describedException(params: DevToolsEvent["params"]): string {
  const { exceptionDetails: details } = params as {
    readonly exceptionDetails?: { readonly text?: string; readonly exception?: { readonly description?: string } };
  };
  const [line = ""] = (details?.exception?.description ?? details?.text ?? "").split("\n");
  return line.slice(0, 200);
}
