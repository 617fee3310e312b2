/** The services outside that operations need: those of signatures, a browser, and an office converter. */

/** Asks time-stamp services (RFC 3161). */
export interface TimestampService {
  /** Whether there is one to ask if a request names none. */
  readonly hasDefault: boolean;
  /**
   * Sends a TimeStampReq in DER, and returns the TimeStampResp. `url`: default: the operator's.
   * @throws Refusal `invalid_parameters` if the URL is not allowed, `timestamp_failed`
   */
  request(url: string | undefined, request: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/** Asks the issuers of certificates, at URLs that the certificates name (RFC 6960; RFC 5280, 4.2.1.13 and 4.2.2.1). */
export interface IssuerService {
  /**
   * Returns up to `most` bytes.
   * @throws Unusable with the end of a sentence about the response
   */
  get(url: string, type: string, most: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The same for a request with a body. */
  post(
    url: string,
    types: { readonly request: string; readonly response: string },
    body: Uint8Array<ArrayBuffer>,
    most: number,
  ): Promise<Uint8Array<ArrayBuffer>>;
}

/** Where the browser finds a document that was sent as a file. `.invalid` is in no DNS (RFC 6761, 6.4). */
export const DOCUMENT_ORIGIN = "http://document.invalid";

/** A document for a browser, with everything that it may load. */
export interface BrowserDocument {
  /** The document, or the URL that it is fetched from. */
  readonly source: { readonly text: string; readonly type: string } | { readonly url: string };
  /** Files by their paths, which the document refers to by relative URLs. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Host names from which the document may load files. */
  readonly hosts: readonly string[];
}

/** Around the content, in points. */
interface PrintMargins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** How a browser prints a document. Lengths are in points. */
export interface PrintSettings {
  readonly width: number;
  readonly height: number;
  readonly margins: PrintMargins;
  /** For a drawing (SVG): whether it is scaled to fit the page, which otherwise is as large as the drawing with its margins. */
  readonly drawing: { readonly isScaled: boolean; readonly margins: PrintMargins };
  /** Whether the size and the margins in the document's `@page` rules overrule these. */
  readonly prefersCssPageSize: boolean;
  /** Whether all content goes onto one page, as long as it takes. */
  readonly singlePage: boolean;
  readonly scale: number;
  readonly printsBackground: boolean;
  /** A style sheet after those of the document. */
  readonly css: string;
  /** HTML of the header and the footer of each page. */
  readonly header: string | undefined;
  readonly footer: string | undefined;
  /** As Chromium has it: `1-3,5`. Empty: all. */
  readonly pageRanges: string;
  readonly media: "print" | "screen";
  readonly isTagged: boolean;
  readonly hasOutline: boolean;
  readonly allowsScripts: boolean;
  /** Conditions after the document has loaded: a time in milliseconds, an element, and an expression that is true. */
  readonly delay: number;
  readonly selector: string | undefined;
  readonly expression: string | undefined;
  /** Whether an error of a script, or a file that cannot be loaded, is an error of the request. */
  readonly failsOnExceptions: boolean;
  readonly failsOnMissing: boolean;
  /** Size of the largest PDF, in bytes. */
  readonly mostBytes: number;
}

/** A PDF in pieces, as it has arrived. */
export interface ArrivedPdf {
  readonly chunks: readonly Uint8Array[];
  /** Size in bytes. */
  readonly length: number;
}

/** A drawing (SVG) on its only page, with the size of the page in points. Chromium rounds it up: the rest is at the right and at the bottom. */
export interface PrintedDrawing {
  readonly width: number;
  readonly height: number;
  readonly hasAnimations: boolean;
}

/** A PDF that a browser made. */
export interface Printed extends ArrivedPdf {
  /** Whether the document has a title. To one without, Chromium gives its URL. */
  readonly hasTitle: boolean;
  /** Undefined for a document that flows onto pages. */
  readonly drawing: PrintedDrawing | undefined;
  /** The kinds of files that were not loaded, as Chromium names them: `Image`, `Stylesheet`, `Font`, ... */
  readonly missing: ReadonlySet<string>;
}

/** Prints documents with a browser that has no network. */
export interface PageBrowser {
  /** @throws Refusal `invalid_parameters`, `limit_exceeded`, `browser_failed` */
  print(document: BrowserDocument, settings: PrintSettings): Promise<Printed>;
}

/** The engines of `to-pdf`. */
export type ConversionEngine = "flow" | "browser" | "office";

/** A document for an office converter. */
export interface OfficeDocument {
  /** The extension of its format, without a dot: the converter chooses its reader by it. */
  readonly extension: string;
  readonly bytes: { readonly length: number; view(start: number, end: number): Uint8Array };
  readonly isEncrypted: boolean;
}

/** How an office converter makes the PDF. Undefined: as the document or the converter has it. */
export interface OfficeSettings {
  readonly landscape: boolean | undefined;
  /** Such as `1-3,5`. */
  readonly pageRanges: string | undefined;
  /** The password that opens the document. */
  readonly password: string | undefined;
  /** Whether headings become bookmarks. */
  readonly hasOutline: boolean | undefined;
  /** Whether each sheet goes onto one page. */
  readonly singlePage: boolean | undefined;
}

/** Converts documents of office programs. */
export interface OfficeConverter {
  /**
   * `mostBytes`: size of the largest PDF, in bytes.
   * @throws Refusal `invalid_file`, `incorrect_password`, `limit_exceeded`, `office_failed`
   */
  convert(document: OfficeDocument, settings: OfficeSettings, mostBytes: number): Promise<ArrivedPdf>;
}

/** The services of a request, if available. Requests are sent only while its engines are parked. */
export interface Services {
  readonly timestamps: TimestampService | undefined;
  readonly issuers: IssuerService | undefined;
  readonly browser: PageBrowser | undefined;
  readonly office: OfficeConverter | undefined;
}

export const NO_SERVICES: Services = {
  timestamps: undefined,
  issuers: undefined,
  browser: undefined,
  office: undefined,
};
