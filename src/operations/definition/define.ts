import type { FieldIssue, Fields, Input } from "./fields.ts";
import { type ImageFormat, type Modes, modeOf, type OperationScope, scopesOf, type TextFormat } from "./modes.ts";
import { limits } from "../../limits.ts";
import type { RefusalCode } from "../../engines/errors.ts";
import type { Services } from "../../engines/services.ts";
import type { Engines } from "../../engines/lease/engines.ts";
import type { EngineBytes } from "../../engines/memory/heap.ts";
import type { OpenPdf } from "../../engines/pdf/document/document.ts";

/** Headers that report what happened to the document. Defined once: CORS exposes them and openapi.json describes them. */
export const resultHeaders = {
  "X-Page-Count": "The number of pages of the PDF.",
  "X-Input-Repaired": "`true` if an input was damaged and has been repaired without losing pages or resources.",
  "X-Pages-Lost": "The number of pages of a damaged document that are not in the output.",
  "X-Attachments-Dropped": "The number of document-level attachments that are not in the output.",
  "X-Signature-Invalidated":
    "`true` exactly if the operation invalidated a digital signature that was intact in an input: `verify-signatures` finds it broken or with forbidden changes in the output, or the output no longer has it.",
  "X-Conformance-Lost":
    "Rules of ISO 19005, by clause and test, that the output breaks and the input, which claims PDF/A, did not, separated by commas, such as `6.2.4.3-2,6.1.3-1`. The output no longer claims PDF/A. `unchecked` if it is too large to be validated.",
  "X-Unknown-Fields":
    "Names in `values` that the form does not have, percent-encoded and separated by commas. Cut off at 4,096 bytes.",
  "X-Unknown-Fields-Count": "The number of names in `values` that the form does not have.",
  "X-Original-Size": "The size of the input in bytes.",
  "X-Output-Size": "The size of the output in bytes.",
  "X-Images-Kept": "How many images `compress` had to leave as they were. See its description for the reasons.",
  "X-Redactions": "The number of matches and regions that were removed, wherever they were.",
  "X-Pages-Without-Text":
    "Pages on which no text could be searched, separated by commas, such as `2,5`. Scans need `ocr` first. Cut off at 4,096 bytes.",
  "X-Pages-Incomplete":
    "Pages with an image in JBIG2 that cannot be decoded, and is drawn in one color, separated by commas, such as `2,5`. Cut off at 4,096 bytes.",
  "X-Attachments-Removed":
    "The number of embedded files that were removed because they matched or could not be searched.",
  "X-Fonts-Kept":
    "Names of embedded fonts that may still have glyphs that only the removed text used, percent-encoded and separated by commas. Cut off at 4,096 bytes.",
  "X-OCR-Mean-Confidence": "The mean confidence of all words, from 0 to 1.",
  "X-Pipeline-Steps":
    'What the steps of a pipeline returned, as JSON: `[{ "operation", "pages", "bytes" }]`. `pages` is missing where a result is not a PDF, and `bytes` where the size is not known before the response starts.',
  "X-Signature-Field": "The full name of the signature field, percent-encoded.",
  "X-Signature-Level": "The PAdES level of the signature: `b-b`, `b-t`, `b-lt`, or `b-lta`.",
  "X-Signature-Input":
    "With `mode=prepare`: the bytes to sign (the signed attributes of the CMS signature, DER), in base64.",
  "X-Encryption": "The cipher of the output: `aes-128` or `aes-256`.",
  "X-Converted-From": "The format of the file that was converted.",
  "X-Engine": "The engine that converted the file: `flow`, `browser`, or `office`.",
  "X-Missing-Glyphs": "The number of characters that no available font has.",
  "X-Not-Converted": "What the document has and the PDF lacks, such as `headers,charts`.",
  "X-Ignored-Parameters":
    "Parameters that were sent and have no effect with the values of the others, separated by commas. In a pipeline, with their step: `2.quality`.",
  "X-Changes":
    "What was changed, by kind, and how often: `fonts_embedded=3,scripts_removed=1`. Cut off at 4,096 bytes.",
  "X-Conformance": "The profile that the output conforms to and claims, such as `PDF/A-2b`, or `none`.",
  "X-Fonts-Substituted":
    "Names of fonts that the document lacks, and that other fonts replace, percent-encoded and separated by commas. Cut off at 4,096 bytes.",
  "X-Removed": "What the output no longer has, separated by commas, such as `scripts,actions,signatures`.",
  "X-Pages-Changed":
    "Pages that look different from those of the input, separated by commas, such as `2,5`. Cut off at 4,096 bytes.",
  "X-Rules-Broken":
    "Rules of the profile that the output breaks, by clause and test: `6.2.11.4.1-1,6.8-5`. Cut off at 4,096 bytes.",
  "X-Encryption-Verified":
    "`true`: the output was opened again, and its cipher, permissions, and passwords are as requested.",
} as const;
export type ResultHeader = keyof typeof resultHeaders;

/** What the values of result headers are, if not text. An array is percent-encoded texts, separated by commas. */
export const resultHeaderTypes: Partial<Record<ResultHeader, "integer" | "number" | "boolean" | "array">> = {
  "X-Page-Count": "integer",
  "X-Input-Repaired": "boolean",
  "X-Pages-Lost": "integer",
  "X-Attachments-Dropped": "integer",
  "X-Signature-Invalidated": "boolean",
  "X-Conformance-Lost": "array",
  "X-Unknown-Fields": "array",
  "X-Unknown-Fields-Count": "integer",
  "X-Original-Size": "integer",
  "X-Output-Size": "integer",
  "X-Images-Kept": "integer",
  "X-Redactions": "integer",
  "X-Pages-Without-Text": "array",
  "X-Pages-Incomplete": "array",
  "X-Attachments-Removed": "integer",
  "X-Fonts-Kept": "array",
  "X-OCR-Mean-Confidence": "number",
  "X-Fonts-Substituted": "array",
  "X-Removed": "array",
  "X-Missing-Glyphs": "integer",
  "X-Not-Converted": "array",
  "X-Ignored-Parameters": "array",
  "X-Encryption-Verified": "boolean",
};
export type ResultHeaders = Partial<Record<ResultHeader, string>>;

/** The result headers shared by all operations on PDFs. */
export function resultHeadersOf(
  opened: readonly (Pick<OpenPdf, "repaired"> & Partial<Pick<OpenPdf, "lostRules">>)[],
  facts: { pageCount?: number; signatureInvalidated?: boolean } = {},
): ResultHeaders {
  const lost = [...new Set(opened.flatMap(({ lostRules = [] }) => [...lostRules]))];
  return {
    ...(facts.pageCount === undefined ? {} : { "X-Page-Count": String(facts.pageCount) }),
    ...(opened.some(({ repaired }) => repaired) ? { "X-Input-Repaired": "true" } : {}),
    ...(facts.signatureInvalidated ? { "X-Signature-Invalidated": "true" } : {}),
    ...(lost.length > 0 ? { "X-Conformance-Lost": listOf(lost) } : {}),
  };
}

/** Longest list in a header, in bytes. */
const LONGEST_LIST = 4_096;

/** Values of a header, as many as fit. */
export function listOf(values: readonly string[]): string {
  const list = values.join(",");
  return list.length > LONGEST_LIST ? list.slice(0, Math.max(0, list.lastIndexOf(",", LONGEST_LIST))) : list;
}

/** The headers of all parts of a job together: those of the first, with the lists of the others. */
export function headersOfParts([first = {}, ...others]: readonly ResultHeaders[]): ResultHeaders {
  const all = { ...first };
  for (const headers of others) {
    for (const [name, value] of Object.entries(headers) as [ResultHeader, string][]) {
      if (resultHeaderTypes[name] !== "array") continue;
      all[name] = listOf([...new Set([...(all[name]?.split(",") ?? []), ...value.split(",")])]);
    }
  }
  return all;
}

/** Reports the parameters of a request that had no effect. */
export const ignoredHeader = (names: readonly string[]): ResultHeaders =>
  names.length === 0 ? {} : { "X-Ignored-Parameters": names.join(",") };

/** Bytes produced piece by piece while they are sent; the total is not known in advance. */
export type ByteStream = AsyncIterable<Uint8Array>;

/** One file: bytes in the engine's heap (valid until `bytes.free()` or until the engine is returned), or a stream of bytes. */
export interface OutputFile {
  /** File name without a directory, such as `report-001.pdf`. */
  readonly name: string;
  readonly bytes: EngineBytes | ByteStream;
}

/** File extensions by format. */
export const imageExtensions = { png: "png", jpeg: "jpg", webp: "webp" } as const satisfies Record<ImageFormat, string>;

/** File extensions by format. */
export const textExtensions = { plain: "txt", markdown: "md", html: "html", csv: "csv" } as const satisfies Record<
  TextFormat,
  string
>;

/**
 * What an operation returns. `pdf`: one document. `zip`: entries produced one at a time while the response is streamed, so that
 * many need no more memory than one; an entry's bytes are freed before the next is produced. `image`: one image, produced while
 * it is streamed. `file`: a file of any format with its own name. `json`: a value. `long json`: its text in UTF-8, produced while it is streamed.
 * `text`: text in UTF-8, likewise.
 */
export type Output =
  | { readonly kind: "pdf"; readonly bytes: EngineBytes; readonly headers: ResultHeaders }
  | {
      readonly kind: "zip";
      readonly entries: Iterable<OutputFile> | AsyncIterable<OutputFile>;
      /** What the archive is, if it is a document of its own. */
      readonly format?: "xlsx";
      readonly headers: ResultHeaders;
    }
  | {
      readonly kind: "image";
      readonly format: ImageFormat;
      readonly bytes: ByteStream;
      readonly headers: ResultHeaders;
    }
  | { readonly kind: "file"; readonly name: string; readonly bytes: EngineBytes; readonly headers: ResultHeaders }
  | { readonly kind: "json"; readonly value: unknown; readonly headers: ResultHeaders }
  | { readonly kind: "long json"; readonly bytes: ByteStream; readonly headers: ResultHeaders }
  | {
      readonly kind: "text";
      readonly format: TextFormat;
      readonly bytes: ByteStream;
      readonly headers: ResultHeaders;
    };

/**
 * How a job does an operation page by page: the parts in any order, each by itself, and then a result that is the same as if
 * `run` had made it.
 */
export interface PageByPage<F extends Fields> {
  /** The pages (0-based) that the request selects, in order. Throws `invalid_page_range`, and what opening the file throws. */
  pagesOf(input: Input<F>, engines: Engines): Promise<readonly number[]>;
  /** The pages of one part: what an isolate does in some seconds. */
  pagesPerPart(input: Input<F>): number;
  /** Works on some of the pages. */
  run(input: Input<F>, pages: readonly number[], engines: Engines): Promise<PartOutput>;
  /** Makes the result. The parts of pages that failed are missing. */
  join(input: Input<F>, parts: FinishedParts, engines: Engines): Promise<Output>;
}

/** What a part of a job makes: a value of JSON, or files. */
export type PartOutput = Extract<Output, { kind: "json" | "zip" }>;

/** What the parts of a job have made, in the order of their pages. Each can be read several times. */
export interface FinishedParts {
  /** The headers of the first. */
  readonly headers: ResultHeaders;
  /** The values of parts that made JSON. */
  values(): AsyncGenerator<unknown, void>;
  /** The files of parts that made files. Each is read before the next is asked for. */
  files(): AsyncGenerator<OutputFile, void>;
}

export function withHeaders(output: Output, headers: ResultHeaders): Output {
  const ignored = [output.headers, headers].flatMap((all) => all["X-Ignored-Parameters"] ?? []);
  return { ...output, headers: { ...output.headers, ...headers, ...ignoredHeader(ignored) } };
}

/** Method syntax, so that operations with different fields fit in one registry: method parameters are compared bivariantly. */
interface Check<F extends Fields> {
  of(input: Input<F>): readonly FieldIssue[];
  withPages(input: Input<F>, pageCount: number): readonly FieldIssue[];
}

/** What an operation does with the memory of its request. */
export interface MemoryUse {
  /** Whether its PDF may be a stored file that does not fit into memory: it is read in ranges. */
  readonly readsRanges?: boolean;
  /** Whether it copies the bytes that it needs and then frees the files (`RequestFiles.free`) instead of keeping them until the end. */
  readonly freesInput?: boolean;
  /**
   * Whether it needs much memory besides the engine, for codecs or a large JSON response. An engine that grew in an earlier request
   * would leave too little.
   */
  readonly needsHeadroom?: boolean;
  /** Bytes needed besides the engine's heap until the output is written. A request is admitted only if they are free too. */
  readonly extraBytes?: number;
}

/** What the parameters of a request change. */
interface Resolution {
  readonly memory?: MemoryUse;
  /** How many pages of a job the credits cover, if not as many as for most operations. */
  readonly pricedPages?: number;
  /** Parameters without an effect, besides those that their fields' `when` rules out. */
  readonly ignored?: readonly string[];
}

/** Where people look for an operation. */
export type Group = "Organize" | "Convert" | "Edit" | "Protect" | "Improve" | "More";

/** The parameters of a request. Files are named as in `examples/`. */
export type Example = Readonly<Record<string, string>>;

/** An operation, and what the parameters of a request make of it. */
export interface ResolvedOperation<F extends Fields = Fields> extends Operation<F> {
  /** The scopes that the key needs. */
  readonly scopes: readonly OperationScope[];
  /** How many pages of a job the credits cover. */
  readonly pricedPages: number;
}

export interface Operation<F extends Fields = Fields> {
  /** The path's last segment and the key in usage, such as `extract-pages`. */
  readonly name: string;
  /** One line for the reference. */
  readonly summary: string;
  readonly group: Group;
  /** What the README's table adds to the name, such as `with AES`. */
  readonly aside?: string;
  /** Words that people search for and that the name and the summary do not have, separated by spaces. */
  readonly keywords: string;
  /** A paragraph for the reference (Markdown). */
  readonly description: string;
  /** Its purpose, and when to use another operation instead. A language model chooses by it. */
  readonly guidance?: string;
  readonly credits: number;
  /** Its result and the scope that it needs; if these depend on a parameter, for each of its values. */
  readonly modes: Modes;
  /**
   * For the pipeline: the operations that its steps can be. Its form has their files besides `fields`, and its other facts depend on the
   * steps.
   */
  readonly steps?: readonly Operation[];
  /** The form fields, in the order of the reference. `password` fields are named by the file fields, not here. */
  readonly fields: F;
  /** Optional fields of which a request needs at least one, or exactly one. */
  readonly oneOf?: { readonly fields: readonly string[]; readonly exactly?: boolean };
  /** A working request for the reference and the playground. The fuzzer and the load test send it, too. */
  readonly example: Example;
  /** Further working requests, for the load test. Their files can also be those that bench/load-mix.ts makes. */
  readonly furtherExamples?: readonly Example[];
  readonly memory?: MemoryUse;
  /** What depends on the parameters besides the mode. */
  resolve?(input: Input<F>): Resolution;
  /** The operation's own errors, besides those shared by every operation with such fields. */
  readonly errors?: readonly RefusalCode[];
  /** Result headers that a 200 can carry. */
  readonly headers: readonly ResultHeader[];
  /** Problems that concern several fields together. A check runs unless a field it reads is invalid, so keep checks small. */
  readonly checks?: readonly Check<F>["of"][];
  /**
   * Problems, other than page ranges, that depend on the page count of `file`. They are checked early only if a request fails
   * anyway, so that the client gets all problems at once; `run` checks them itself.
   */
  readonly pageChecks?: readonly Check<F>["withPages"][];
  /**
   * Whether it may ask services outside, for which it returns its engines (`Engines.park`). It must then free its own objects in them.
   */
  readonly asksOutside?: boolean;
  /** How a job divides the work, if it can. */
  readonly pageByPage?: PageByPage<F>;
  /** The work: a plain function, without HTTP or database. Throws a `Refusal` for what the client can fix. */
  run(input: Input<F>, engines: Engines, services: Services): Promise<Output>;
}

/** What the parameters of a request make of an operation. They are valid. */
export function resolved<F extends Fields>(operation: Operation<F>, input: Input<F>): ResolvedOperation<F> {
  const mode = modeOf(operation, input);
  const { memory, pricedPages = limits.jobs.pagesPerPrice } = operation.resolve?.(input) ?? {};
  return {
    ...operation,
    scopes: mode === undefined ? scopesOf(operation) : [mode.scope],
    memory: { ...operation.memory, ...memory },
    pricedPages,
  };
}

export function defineOperation<F extends Fields>(operation: Operation<F>): Operation<F> {
  return operation;
}
