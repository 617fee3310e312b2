/** Responds to the requests of a document, so that none of them leaves the browser. */
import { base64 } from "../bytes/base64.ts";
import { type BrowserDocument, DOCUMENT_ORIGIN } from "../engines/services.ts";
import { documentRequestsTooMany, fetchedFilesTooLarge } from "../engines/limit-errors.ts";
import { limits } from "../limits.ts";
import type { DevTools } from "./devtools.ts";
import { contentSecurityPolicy } from "./isolation.ts";

/** A file from a URL. */
export interface FetchedFile {
  readonly bytes: Uint8Array;
  /** Its Content-Type, if it had one. */
  readonly type: string | undefined;
  /** Where it was in the end, after redirects. */
  readonly url: string;
}

/** What a file may be. */
export interface FetchTerms {
  /** The host names that it may be on. */
  readonly hosts: readonly string[];
  /** The form field that allows it, for errors. */
  readonly field: string;
  /** Called with the bytes of each chunk that has arrived: several files share a limit. Throws if they are too many. */
  count(bytes: number): void;
}

/**
 * Fetches a file for a document.
 * @throws Error that names the field
 */
export type FetchFile = (url: string, terms: FetchTerms) => Promise<FetchedFile>;

/** A request that is paused (`Fetch.requestPaused`). */
export interface PausedRequest {
  readonly requestId: string;
  readonly frameId: string;
  readonly resourceType: string;
  readonly request: { readonly url: string; readonly method: string };
}

const NO_CONTENT = 204;

type Content = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

const TYPES: Readonly<Record<string, string>> = {
  avif: "image/avif",
  css: "text/css",
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  mjs: "text/javascript",
  otf: "font/otf",
  png: "image/png",
  svg: "image/svg+xml",
  ttf: "font/ttf",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xhtml: "application/xhtml+xml",
};

const typeOf = (path: string): string =>
  TYPES[/\.([a-z\d]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""] ?? "application/octet-stream";

export interface RequestOptions {
  readonly document: BrowserDocument;
  readonly fetchFile: FetchFile;
  readonly allowsScripts: boolean;
  /** Called with an error that ends the request of the client. */
  fail(error: unknown): void;
}

export class DocumentRequests {
  /** The URL that the browser opens. */
  readonly start: string;
  /** The kinds of files that were not loaded, and the first of their URLs. */
  readonly missing = new Set<string>();
  readonly missingUrls: string[] = [];
  readonly #devTools: DevTools;
  readonly #options: RequestOptions;
  readonly #hosts: readonly string[];
  readonly #policy: string;
  /** Documents that were fetched and have moved, by where they are now. */
  readonly #moved = new Map<string, FetchedFile>();
  #isStarted = false;
  #count = 0;
  #fetchedBytes = 0;
  #open = 0;

  constructor(devTools: DevTools, options: RequestOptions) {
    const { source, hosts } = options.document;
    this.#devTools = devTools;
    this.#options = options;
    this.start = "url" in source ? source.url : `${DOCUMENT_ORIGIN}/`;
    this.#hosts = "url" in source ? [...hosts, new URL(source.url).hostname] : hosts;
    this.#policy = contentSecurityPolicy(options.allowsScripts);
  }

  /** Requests that have come. */
  get count(): number {
    return this.#count;
  }

  /** Whether the page itself has been requested. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  get areOpen(): boolean {
    return this.#open > 0;
  }

  /** `isTop`: of the page itself, and not of a frame in it. Never rejects. */
  async respond(paused: PausedRequest, isTop: boolean, sessionId: string): Promise<void> {
    this.#open += 1;
    try {
      this.#count += 1;
      if (this.#count > limits.browser.requests) throw documentRequestsTooMany(this.#count);
      await this.#respond(paused, isTop, sessionId);
    } catch (error) {
      this.#options.fail(error);
    } finally {
      this.#open -= 1;
    }
  }

  async #respond(
    { requestId, resourceType, request }: PausedRequest,
    isTop: boolean,
    sessionId: string,
  ): Promise<void> {
    const isDocument = resourceType === "Document";
    const content = isDocument && isTop ? await this.#page(request.url) : await this.#file(request);
    if (content === undefined && isDocument && isTop) {
      // A page that wants to leave stays.
      await this.#send("Fetch.fulfillRequest", { requestId, responseCode: NO_CONTENT }, sessionId);
      return;
    }
    if (content === undefined) {
      this.#miss(resourceType, request.url);
      await this.#send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }, sessionId);
      return;
    }
    const { status, headers, body } = content;
    const responseHeaders = Object.entries({
      ...headers,
      "Content-Security-Policy": this.#policy,
      "Access-Control-Allow-Origin": "*",
      "X-DNS-Prefetch-Control": "off",
    }).map(([name, value]) => ({ name, value }));
    const response = { requestId, responseCode: status, responseHeaders, body: base64(body) };
    await this.#send("Fetch.fulfillRequest", response, sessionId);
  }

  /** The page: once, and where it has moved to. */
  async #page(url: string): Promise<Content | undefined> {
    const { source } = this.#options.document;
    const moved = this.#moved.get(url);
    if (moved !== undefined) {
      this.#moved.delete(url);
      return contentOf(moved, "text/html");
    }
    if (this.#isStarted || withoutFragment(url) !== withoutFragment(this.start)) return undefined;
    this.#isStarted = true;
    if ("text" in source)
      return { status: 200, headers: { "Content-Type": source.type }, body: new TextEncoder().encode(source.text) };
    const fetched = await this.#fetch(source.url, "url");
    if (fetched.url === source.url) return contentOf(fetched, "text/html");
    this.#moved.set(fetched.url, fetched);
    return { status: 302, headers: { Location: fetched.url }, body: new Uint8Array() };
  }

  async #file({ url, method }: PausedRequest["request"]): Promise<Content | undefined> {
    const place = URL.parse(url);
    if (place === null || method !== "GET") return undefined;
    if (place.origin === DOCUMENT_ORIGIN) {
      const path = decoded(place.pathname.replace(/^\/+/, ""));
      const body = this.#options.document.files.get(path);
      return body && { status: 200, headers: { "Content-Type": typeOf(path) }, body };
    }
    if (!this.#hosts.includes(place.hostname)) return undefined;
    place.hash = "";
    try {
      return contentOf(await this.#fetch(place.href, "allowedHosts"), typeOf(place.pathname));
    } catch (error) {
      if (this.#fetchedBytes > limits.browser.fetchedBytes) throw error;
      // A page without one of its pictures is still a page.
      return undefined;
    }
  }

  #fetch(url: string, field: string): Promise<FetchedFile> {
    return this.#options.fetchFile(url, {
      hosts: this.#hosts,
      field,
      count: (bytes) => {
        this.#fetchedBytes += bytes;
        if (this.#fetchedBytes > limits.browser.fetchedBytes) throw fetchedFilesTooLarge(this.#fetchedBytes);
      },
    });
  }

  /** Others are the icon of the page, and files that it loads in advance. */
  #miss(type: string, url: string): void {
    if (type === "Other" || type === "Prefetch") return;
    this.missing.add(type);
    if (this.missingUrls.length < LISTED) this.missingUrls.push(url.slice(0, LONGEST_LISTED));
  }

  /** A request may be gone with its frame when its response comes. */
  #send(method: string, params: object, sessionId: string): Promise<unknown> {
    return this.#devTools.send(method, params, sessionId).catch(() => undefined);
  }
}

/** URLs of files that are listed in an error, and their longest. */
const [LISTED, LONGEST_LISTED] = [10, 200];

const contentOf = ({ bytes, type }: FetchedFile, otherwise: string): Content => ({
  status: 200,
  headers: { "Content-Type": type ?? otherwise },
  body: bytes,
});

const withoutFragment = (url: string): string => url.split("#", 1)[0] ?? "";

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).normalize("NFC");
  } catch {
    return path;
  }
}
