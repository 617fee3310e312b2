// Made by `npm run client` from openapi.json; not to be edited.

import type { FileInput } from "./body.ts";
import { FileResult, type JsonResult, jsonResult } from "./result.ts";
import { type CallOptions, Transport } from "./transport.ts";

/** What the service refuses a request with. */
export type ErrorCode = "invalid_parameters" | "invalid_page_range" | "invalid_file" | "password_required" | "incorrect_password" | "unsupported_encryption" | "unsupported_text" | "unauthenticated" | "forbidden" | "owner_password_required" | "not_found" | "method_not_allowed" | "request_timeout" | "idempotency_conflict" | "limit_reached" | "webhook_inactive" | "file_too_large" | "limit_exceeded" | "unsupported_format" | "idempotency_key_reused" | "unknown_fields" | "no_form" | "unsupported_form" | "raster_too_large" | "rate_limit_exceeded" | "quota_exceeded" | "client_closed_request" | "internal_error" | "encryption_failed" | "ocr_failed" | "overloaded" | "encryption_unavailable";

/** What a webhook's delivery holds. */
export type WebhookEvent =
  | { readonly type: "operation.completed"; readonly timestamp: string; readonly data: { readonly operation: string; readonly requestId: string; readonly credits: number; readonly durationMilliseconds: number | null; readonly inputBytes: number | null; readonly outputBytes: number | null; readonly pageCount: number | null; readonly livemode: boolean; readonly status: 200; readonly code: null; readonly sequence: number } }
  | { readonly type: "operation.failed"; readonly timestamp: string; readonly data: { readonly operation: string; readonly requestId: string; readonly credits: number; readonly durationMilliseconds: number | null; readonly inputBytes: number | null; readonly outputBytes: number | null; readonly pageCount: number | null; readonly livemode: boolean; readonly status: number; readonly code: string; readonly sequence: number } }
  | { readonly type: "usage.warning_80"; readonly timestamp: string; readonly data: { readonly plan: "free" | "starter" | "pro" | "business" | "enterprise"; readonly limit: number; readonly used: number; readonly currentPeriodStart: string; readonly currentPeriodEnd: string; readonly livemode: boolean; readonly sequence: number } }
  | { readonly type: "usage.limit_reached"; readonly timestamp: string; readonly data: { readonly plan: "free" | "starter" | "pro" | "business" | "enterprise"; readonly limit: number; readonly used: number; readonly currentPeriodStart: string; readonly currentPeriodEnd: string; readonly livemode: boolean; readonly sequence: number } }
  | { readonly type: "key.created"; readonly timestamp: string; readonly data: { readonly id: string; readonly name: string; readonly livemode: boolean; readonly scopes: readonly ("pdf:read" | "pdf:write" | "keys:manage" | "webhooks:read" | "webhooks:write" | "billing:read")[]; readonly lastFour: string; readonly createdAt: string; readonly expiresAt: string | null; readonly revokedAt: string | null; readonly sequence: number } }
  | { readonly type: "key.revoked"; readonly timestamp: string; readonly data: { readonly id: string; readonly name: string; readonly livemode: boolean; readonly scopes: readonly ("pdf:read" | "pdf:write" | "keys:manage" | "webhooks:read" | "webhooks:write" | "billing:read")[]; readonly lastFour: string; readonly createdAt: string; readonly expiresAt: string | null; readonly revokedAt: string | null; readonly sequence: number } }
  | { readonly type: "webhook.test"; readonly timestamp: string; readonly data: { readonly webhook: string; readonly livemode: boolean; readonly sequence: number } };

export type ApiKey = { readonly id: string; readonly name: string; readonly livemode: boolean; readonly scopes: readonly ("pdf:read" | "pdf:write" | "keys:manage" | "webhooks:read" | "webhooks:write" | "billing:read")[]; readonly lastFour: string; readonly createdAt: string; readonly expiresAt: string | null; readonly revokedAt: string | null };

export type IssuedApiKey = { readonly id: string; readonly name: string; readonly livemode: boolean; readonly scopes: readonly ("pdf:read" | "pdf:write" | "keys:manage" | "webhooks:read" | "webhooks:write" | "billing:read")[]; readonly lastFour: string; readonly createdAt: string; readonly expiresAt: string | null; readonly revokedAt: string | null; readonly key: string };

export type WebhookSubscription = { readonly id: string; readonly url: string; readonly events: readonly ("operation.completed" | "operation.failed" | "usage.warning_80" | "usage.limit_reached" | "key.created" | "key.revoked" | "webhook.test")[]; readonly description: string | null; readonly secret: string; readonly previousSecretExpiresAt: string | null; readonly livemode: boolean; readonly active: boolean; readonly failingSince: string | null; readonly createdAt: string };

export type WebhookDelivery = { readonly id: string; readonly event: string; readonly type: "operation.completed" | "operation.failed" | "usage.warning_80" | "usage.limit_reached" | "key.created" | "key.revoked" | "webhook.test"; readonly state: "pending" | "succeeded" | "exhausted" | "cancelled"; readonly nextAttemptAt: string | null; readonly createdAt: string; readonly finishedAt: string | null; readonly attempts: readonly ({ readonly attempt: number; readonly startedAt: string; readonly durationMilliseconds: number; readonly status: number | null; readonly error: "target_refused" | "unreachable" | "timeout" | "broken_answer" | "secret_unreadable" | null; readonly answer: string | null })[] };

export type UsageSummary = { readonly currentPeriodStart: string; readonly currentPeriodEnd: string; readonly plan: "free" | "starter" | "pro" | "business" | "enterprise"; readonly limit: number; readonly used: number; readonly remaining: number; readonly perOperation: Readonly<Record<string, number>> };

export interface MergeInput {
  /** The PDFs, in order. */
  readonly files: readonly FileInput[];
  /** Opens the `file` of the same number. */
  readonly passwords?: readonly (string | undefined)[];
  /** Opens the encrypted inputs that have no password of their own. */
  readonly password?: string;
  /** Takes one page from each document in turn. When a document runs out of pages, the others continue. */
  readonly interleave?: boolean;
  /** The title of the result. By default, that of the first document. */
  readonly title?: string;
  /** The author of the result. By default, that of the first document. */
  readonly author?: string;
  /**
   * The outline of the result. `keep`: the outlines of all documents, one after the other. `per-file`: one entry per
   * document, named after its file, with the document's outline below it. `none`: no outline. Default: `keep`.
   */
  readonly bookmarks?: "keep" | "per-file" | "none";
}

const mergeFields = {
  files: { name: "file{N}", kind: "file" },
  passwords: { name: "password{N}", kind: "text" },
  password: { name: "password", kind: "text" },
  interleave: { name: "interleave", kind: "text" },
  title: { name: "title", kind: "text" },
  author: { name: "author", kind: "text" },
  bookmarks: { name: "bookmarks", kind: "text" },
} as const;

export interface SplitInput {
  /** The PDF to split. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /**
   * `ranges`: one part per range in `ranges`. `chunks`: parts of `chunkSize` pages. `pages`: one part per page.
   * `bookmarks`: one part per top-level outline entry; pages before the first entry go into the first part.
   */
  readonly mode: "ranges" | "chunks" | "pages" | "bookmarks";
  /** Page ranges separated by `|`. The pages of each part stay in document order. Required when `mode` is `ranges`. */
  readonly ranges?: string;
  /** Pages per part. The last part holds the remaining pages. Required when `mode` is `chunks`. */
  readonly chunkSize?: number;
}

const splitFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  mode: { name: "mode", kind: "text" },
  ranges: { name: "ranges", kind: "text" },
  chunkSize: { name: "chunkSize", kind: "text" },
} as const;

export interface ExtractTextInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** The pages to read, in document order. Default: `all`. */
  readonly pages?: string;
  /** Adds `pages[].words`: `[{ text, bbox: [x0, y0, x1, y1] }]`, in points from the top left of the visible page. */
  readonly words?: boolean;
}

const extractTextFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  pages: { name: "pages", kind: "text" },
  words: { name: "words", kind: "text" },
} as const;

export interface ExtractPagesInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** The pages to extract, in this order. A page may be listed more than once. */
  readonly range: string;
}

const extractPagesFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  range: { name: "range", kind: "text" },
} as const;

export interface ToImagesInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** The image format. Default: `png`. */
  readonly format?: "png" | "jpeg" | "webp";
  /** Resolution in pixels per inch. Default: `150`. */
  readonly dpi?: number;
  /** Compression quality. Only applies when `format` is `jpeg` or `webp`. Default: `90`. */
  readonly quality?: number;
  /** The pages to draw, in document order. Default: `all`. */
  readonly pages?: string;
}

const toImagesFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  format: { name: "format", kind: "text" },
  dpi: { name: "dpi", kind: "text" },
  quality: { name: "quality", kind: "text" },
  pages: { name: "pages", kind: "text" },
} as const;

export interface FromImagesInput {
  /** The images, in page order: PNG, JPEG, or WebP. */
  readonly images: readonly FileInput[];
  /** The size of all pages. `auto`: each page has the size of its image. Default: `auto`. */
  readonly pageSize?: "auto" | "a4" | "letter" | "legal";
  /** The orientation of the pages. `auto`: landscape for images that are wider than they are high. Only applies when `pageSize` is `a4`, `letter`, or `legal`. Default: `portrait`. */
  readonly orientation?: "portrait" | "landscape" | "auto";
  /** Space around the image, in points. Must be less than half of the shorter side of the page. Default: `0`. */
  readonly marginPt?: number;
  /**
   * How the image fills the space inside the margins. `contain`: the whole image is visible. `cover`: the image fills
   * the space and is cropped. `stretch`: the image fills the space and is distorted. Only applies when `pageSize` is `a4`, `letter`, or `legal`. Default: `contain`.
   */
  readonly fit?: "contain" | "cover" | "stretch";
}

const fromImagesFields = {
  images: { name: "image{N}", kind: "file" },
  pageSize: { name: "pageSize", kind: "text" },
  orientation: { name: "orientation", kind: "text" },
  marginPt: { name: "marginPt", kind: "text" },
  fit: { name: "fit", kind: "text" },
} as const;

export interface OcrInput {
  /** The document: PDF, PNG, or JPEG. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** Up to 3 languages of the text, separated by `,` or `+`, the most frequent one first. Default: `eng`. */
  readonly languages?: string;
  /** `json`: the text. `pdf`: the document, with invisible text on the recognized pages. Default: `json`. */
  readonly output?: "json" | "pdf";
  /** The pages to recognize, in document order. Default: `all`. */
  readonly pages?: string;
  /** Adds `pages[].words`: `[{ text, bbox: [x0, y0, x1, y1], confidence }]`, in points from the top left of the visible page. Only applies when `output` is `json`. */
  readonly words?: boolean;
  /**
   * `skip-text`: a page that has text keeps it and is reported with confidence 1, unless an image covers more than half of
   * the page and the text has fewer than 20 characters. `force`: every page is recognized. Default: `skip-text`.
   */
  readonly mode?: "skip-text" | "force";
}

const ocrFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  languages: { name: "languages", kind: "text" },
  output: { name: "output", kind: "text" },
  pages: { name: "pages", kind: "text" },
  words: { name: "words", kind: "text" },
  mode: { name: "mode", kind: "text" },
} as const;

export interface ProtectInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /**
   * The password to open the document. With aes-256, 1 to 127 bytes of UTF-8, normalized with SASLprep (NFKC); with
   * aes-128, 1 to 32 printable ASCII characters.
   */
  readonly userPassword?: string;
  /** The password to change permissions. The rules of `userPassword` apply, and the two must differ. */
  readonly ownerPassword?: string;
  /**
   * What the user password allows, separated by commas: `print`, `print-high`, `modify`, `copy`, `annotate`, `fill-forms`, `accessibility`, `assemble`, `all`, `none`.
   * `printing` and `copying` are aliases of `print` and `copy`. `print-high` includes `print`; `accessibility` is always allowed. Default: `all`.
   */
  readonly permissions?: string;
  /** The cipher. Use `aes-128` only for software from before 2008. Default: `aes-256`. */
  readonly encryption?: "aes-128" | "aes-256";
}

const protectFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  userPassword: { name: "userPassword", kind: "text" },
  ownerPassword: { name: "ownerPassword", kind: "text" },
  permissions: { name: "permissions", kind: "text" },
  encryption: { name: "encryption", kind: "text" },
} as const;

export interface CompressInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** How much to compress images: JPEG quality 85 (`low`), 70 (`medium`), 55 (`high`), or 35 (`max`). Default: `medium`. */
  readonly level?: "low" | "medium" | "high" | "max";
  /** Converts pages to grayscale: text, drawings, images, and annotations. */
  readonly grayscale?: boolean;
  /** Removes the Info dictionary and XMP. */
  readonly stripMetadata?: boolean;
  /** Images with a higher resolution on the page, in pixels per inch, are downsampled to this one. Default: `150`. */
  readonly imageMaxDpi?: number;
}

const compressFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  level: { name: "level", kind: "text" },
  grayscale: { name: "grayscale", kind: "text" },
  stripMetadata: { name: "stripMetadata", kind: "text" },
  imageMaxDpi: { name: "imageMaxDpi", kind: "text" },
} as const;

export interface RotateInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** Degrees clockwise, for the pages in `pages`. */
  readonly angle?: "0" | "90" | "180" | "270" | 0 | 90 | 180 | 270;
  /** The pages to rotate by `angle`. Only applies when `angle` is `0`, `90`, `180`, or `270`. Default: `all`. */
  readonly pages?: string;
  /** Degrees clockwise by page number: `{"1": 90, "4": 180}`. Overrides `angle` for these pages. */
  readonly rotations?: Readonly<Record<string, 0 | 90 | 180 | 270>>;
}

const rotateFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  angle: { name: "angle", kind: "text" },
  pages: { name: "pages", kind: "text" },
  rotations: { name: "rotations", kind: "json" },
} as const;

export interface WatermarkInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** What to stamp. */
  readonly kind: "text" | "image";
  /** The text, up to 2,000 characters. Line feeds start new lines; markup is shown as it is. Required when `kind` is `text`. */
  readonly text?: string;
  /** The image: PNG, JPEG, or WebP. Required when `kind` is `image`. */
  readonly image?: FileInput;
  /** Where on the page. `diagonal` runs from the bottom left to the top right; `rotation` is added to its angle. Default: `center`. */
  readonly position?: "top-left" | "top-right" | "bottom-left" | "bottom-right" | "center" | "diagonal";
  /** From 0 (invisible) to 1 (opaque). Default: `0.35`. */
  readonly opacity?: number;
  /** Degrees counterclockwise. Default: `0`. */
  readonly rotation?: number;
  /** The text color, as `#rgb` or `#rrggbb`. Only applies when `kind` is `text`. Default: `#888888`. */
  readonly color?: string;
  /** The font size in points. By default, the text is fitted to the page. Only applies when `kind` is `text`. */
  readonly fontSize?: number;
  /** The width of the image as a fraction of the page width. Default: `0.5`, or `0.25` with `tile`. Only applies when `kind` is `image`. */
  readonly scale?: number;
  /** Repeats the watermark across the page. Only applies when `position` is `center` or `diagonal`. */
  readonly tile?: boolean;
  /** Whether the watermark is drawn over or under the page content. Default: `over`. */
  readonly layer?: "over" | "under";
  /** The pages to stamp. Default: `all`. */
  readonly pages?: string;
}

const watermarkFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  kind: { name: "kind", kind: "text" },
  text: { name: "text", kind: "text" },
  image: { name: "image", kind: "file" },
  position: { name: "position", kind: "text" },
  opacity: { name: "opacity", kind: "text" },
  rotation: { name: "rotation", kind: "text" },
  color: { name: "color", kind: "text" },
  fontSize: { name: "fontSize", kind: "text" },
  scale: { name: "scale", kind: "text" },
  tile: { name: "tile", kind: "text" },
  layer: { name: "layer", kind: "text" },
  pages: { name: "pages", kind: "text" },
} as const;

export interface AddPageNumbersInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** The label, up to 2,000 characters. `{n}` is the page number in `style`, `{roman}` the page number in Roman numerals, `{total}` the number of pages. Other braces are shown as they are. Default: `{n} of {total}`. */
  readonly template?: string;
  /** Where on the page. Default: `bottom-center`. */
  readonly position?: "top-left" | "top-center" | "top-right" | "bottom-left" | "bottom-center" | "bottom-right";
  /** The font size in points. Default: `10`. */
  readonly fontSize?: number;
  /** The distance from the edges of the page, in points. Must be less than half of the shorter side of the page. Default: `20`. */
  readonly marginPt?: number;
  /** The number of the first page of the document, whether it is stamped or not. Default: `1`. */
  readonly startAt?: number;
  /** How `{n}` is written. Default: `arabic`. */
  readonly style?: "arabic" | "roman" | "romanLower" | "alpha" | "alphaLower";
  /** The text color, as `#rgb` or `#rrggbb`. Default: `#000000`. */
  readonly color?: string;
  /** The pages to stamp. Default: `all`. */
  readonly pages?: string;
}

const addPageNumbersFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  template: { name: "template", kind: "text" },
  position: { name: "position", kind: "text" },
  fontSize: { name: "fontSize", kind: "text" },
  marginPt: { name: "marginPt", kind: "text" },
  startAt: { name: "startAt", kind: "text" },
  style: { name: "style", kind: "text" },
  color: { name: "color", kind: "text" },
  pages: { name: "pages", kind: "text" },
} as const;

export interface SignInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** Whether the signature is typed or an image. */
  readonly mode: "type" | "image";
  /** The box for the signature: `{"page": 1, "x": 72, "y": 650, "width": 200, "height": 60}`. Pages count from 1. `x` and `y` are the top left corner of the box, in points from the top left of the visible page; with `"origin": "bottom-left"`, its bottom left corner, from the bottom left of the page. */
  readonly field: { readonly page: number; readonly x: number; readonly y: number; readonly width: number; readonly height: number; readonly origin?: "top-left" | "bottom-left" | undefined };
  /** The name to sign with, up to 2,000 characters. Required when `mode` is `type`. */
  readonly typedName?: string;
  /** The image of the signature: PNG, JPEG, or WebP. Required when `mode` is `image`. */
  readonly signatureImage?: FileInput;
  /** Adds the line `signed at` with the time in UTC (ISO 8601). */
  readonly timestamp?: boolean;
  /** A line with the name of the signer. */
  readonly signerName?: string;
  /** A line with the email address of the signer. Together with `signerName`, up to 2,000 characters. */
  readonly signerEmail?: string;
}

const signFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  mode: { name: "mode", kind: "text" },
  field: { name: "field", kind: "json" },
  typedName: { name: "typedName", kind: "text" },
  signatureImage: { name: "signatureImage", kind: "file" },
  timestamp: { name: "timestamp", kind: "text" },
  signerName: { name: "signerName", kind: "text" },
  signerEmail: { name: "signerEmail", kind: "text" },
} as const;

export interface FillFormInput {
  /** The PDF with the form. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** The values by full field name: `{"name": "Ada", "agree": true, "colors": ["red", "blue"]}`. */
  readonly values: Readonly<Record<string, string | boolean | readonly (string)[] | null>>;
  /** Makes the fields part of the pages, so that they can no longer be edited. */
  readonly flatten?: boolean;
  /** Fails with 422 if `values` names fields that the form does not have. */
  readonly strict?: boolean;
}

const fillFormFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  values: { name: "values", kind: "json" },
  flatten: { name: "flatten", kind: "text" },
  strict: { name: "strict", kind: "text" },
} as const;

export interface MetadataInput {
  /** The PDF. */
  readonly file: FileInput;
  /** Opens `file` if it is encrypted. */
  readonly password?: string;
  /** `get` reads the metadata, `set` changes it. */
  readonly action: "get" | "set";
  /**
   * The entries to change: `{"title": "Report", "author": null, "custom": {"Reviewed": "yes"}}`. `null` removes an
   * entry. Dates are ISO 8601. `CreationDate` and `ModDate` are aliases of `creationDate` and `modificationDate`. Required when `action` is `set`.
   */
  readonly metadata?: { readonly title?: string | null | undefined; readonly author?: string | null | undefined; readonly subject?: string | null | undefined; readonly keywords?: string | null | undefined; readonly creator?: string | null | undefined; readonly producer?: string | null | undefined; readonly creationDate?: string | null | undefined; readonly modificationDate?: string | null | undefined; readonly CreationDate?: string | null | undefined; readonly ModDate?: string | null | undefined; readonly custom?: Readonly<Record<string, string | null>> | null | undefined };
  /** Removes all entries that `metadata` does not name. Only applies when `action` is `set`. */
  readonly replace?: boolean;
}

const metadataFields = {
  file: { name: "file", kind: "file" },
  password: { name: "password", kind: "text" },
  action: { name: "action", kind: "text" },
  metadata: { name: "metadata", kind: "json" },
  replace: { name: "replace", kind: "text" },
} as const;

export interface ListKeysInput {
  /** Keys of a page; 100 where it is not given. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export type CreateKeyInput = { readonly name: string; readonly livemode?: boolean | undefined; readonly scopes?: readonly ("pdf:read" | "pdf:write" | "keys:manage" | "webhooks:read" | "webhooks:write" | "billing:read")[] | undefined; readonly expiresAt?: string | null | undefined };

export type RenameKeyInput = { readonly name: string };

export type RotateKeyInput = { readonly gracePeriodSeconds?: number | undefined };

export interface ListWebhooksInput {
  /** Subscriptions of a page; 20 where it is not given. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export type CreateWebhookInput = { readonly url: string; readonly events: readonly ("operation.completed" | "operation.failed" | "usage.warning_80" | "usage.limit_reached" | "key.created" | "key.revoked" | "webhook.test")[]; readonly description?: string | null | undefined };

export type UpdateWebhookInput = { readonly url?: string | undefined; readonly events?: readonly ("operation.completed" | "operation.failed" | "usage.warning_80" | "usage.limit_reached" | "key.created" | "key.revoked" | "webhook.test")[] | undefined; readonly description?: string | null | undefined; readonly active?: boolean | undefined };

export interface ListWebhookDeliveriesInput {
  /** Deliveries of a page; 50 where it is not given. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

/** One method for each call of the service. */
export class PdfService extends Transport {
  /**
   * Combine two or more PDFs into one.
   *
   * Puts the pages of all files into one document, in the order of their numbers. Links, named destinations,
   * form fields, tags, layers, page labels and attachments of every file come along. Where two files use one name, for a form
   * field, a destination or an attachment, the later one is renamed (`name_2`) and what refers to it follows. The result is not
   * encrypted; the catalog's other settings and the metadata are the first file's. XFA forms, article threads and signatures'
   * validity do not survive a merge.
   *
   * Costs 1 credit; needs the scope `pdf:write`.
   */
  async merge(input: MergeInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/merge", mergeFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Split a PDF by ranges, chunks, pages or bookmarks.
   *
   * One part comes back as a PDF, several as a ZIP with the entries `<file>-001.pdf`, `<file>-002.pdf`, in order. A
   * part holds only what its pages use; of outline, links, named destinations, form fields, page labels and tags it keeps what
   * belongs to its pages. Document-level attachments are left out (`X-Attachments-Dropped`). Encryption, passwords and permissions
   * stay those of the input, in every part.
   *
   * Costs 1 credit; needs the scope `pdf:write`.
   */
  async split(input: SplitInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/split", splitFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Pull embedded text from a PDF.
   *
   * Gives the text of the pages in the order in which it is read: columns one after the other, ligatures as
   * their letters, right-to-left scripts in logical order, hyphens as they stand at the ends of lines. Form fields' values and
   * annotations that show text are part of it, and so is the invisible text of a scan; text outside the visible page or of no
   * size is not. A glyph whose font does not tell its character is U+FFFD. A scan without text gives empty text: use ocr.
   *
   * `{ text, pages: [{ pageNumber, text, words? }], stats: { wordCount, charCount } }`: `text` joins the pages by `\n\f`;
   * `wordCount` counts what white space separates, `charCount` the Unicode code points of `text`.
   *
   * Costs 1 credit; needs the scope `pdf:read`.
   */
  async extractText(input: ExtractTextInput, options?: CallOptions): Promise<JsonResult<{ readonly text: string; readonly pages: readonly ({ readonly pageNumber: number; readonly text: string; readonly words?: readonly ({ readonly text: string; readonly bbox: readonly [number, number, number, number] })[] })[]; readonly stats: { readonly wordCount: number; readonly charCount: number } }>> {
    const answer = await this.sendForm("/api/v1/extract-text", extractTextFields, input, options);
    return jsonResult<{ readonly text: string; readonly pages: readonly ({ readonly pageNumber: number; readonly text: string; readonly words?: readonly ({ readonly text: string; readonly bbox: readonly [number, number, number, number] })[] })[]; readonly stats: { readonly wordCount: number; readonly charCount: number } }>(answer);
  }

  /**
   * Extract selected pages into a new PDF.
   *
   * Keeps the order of the range, and pages that it names more than once. Of outline, links, named destinations,
   * form fields, page labels and tags, what belongs to the pages kept comes along; what points at a page that is gone is left out.
   * Document-level attachments are left out, too (`X-Attachments-Dropped`). Encryption, passwords and permissions stay those of
   * the input. A page that comes again shares its content, has form fields of its own (`name_2`), and is tagged once.
   *
   * Costs 1 credit; needs the scope `pdf:read`.
   */
  async extractPages(input: ExtractPagesInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/extract-pages", extractPagesFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Rasterize PDF pages as PNG, JPEG or WebP.
   *
   * One page comes back as an image, several as a ZIP with the entries `<file>-<page number>.png` (or `.jpg`,
   * `.webp`), in order; the numbers have as many digits as the document's last page. A page is drawn as a viewer shows it, on white: its
   * CropBox, turned, with annotations and form fields, also those that have no appearance of their own. Overprint is not
   * simulated, and spot colours are drawn by their alternates, as viewers do unless they are told to preview a print. Pages
   * without colour become greyscale PNG and JPEG. PNG and JPEG carry the resolution.
   *
   * A page has at most 100 megapixels, all pages of a call 5 gigapixels (413 `limit_exceeded`). PNG and JPEG work at every
   * resolution up to that. WebP of a page that does not fit into memory (from about 8 megapixels on, A4 at 280 dpi) is encoded
   * by Cloudflare Images where the service has it, else refused with 422 `raster_too_large`, whose `maxDpi` works. A service run
   * locally ignores `quality` for such pages.
   *
   * Costs 2 credits; needs the scope `pdf:read`.
   */
  async toImages(input: ToImagesInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/to-images", toImagesFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Make a PDF of images, one page for each.
   *
   * Puts each image on a page of its own, in the order of their numbers. The data of a JPEG is embedded byte for byte,
   * baseline or progressive, grey, colour or CMYK, with what it tells of camera and place; a PNG keeps its colours, its depth (16 bits
   * too) and its transparency; a WebP is decoded and stored without further loss. ICC profiles and a PNG's gamma are kept, the
   * orientation that EXIF tells is honoured, and an image that is sent twice is stored once. Animated WebPs, and JPEGs that a PDF
   * cannot hold (lossless, arithmetic, 12 bits), are refused; of an animated PNG the still image is taken. An image may have
   * 100 megapixels.
   *
   * With `pageSize=auto` a page is as large as its image at the image's own resolution (JFIF or PNG's pHYs, then EXIF; 72 dpi where
   * there is none that can be true), plus the margin. Pages have sides of 3 to 14,400 points: what would be beyond is scaled.
   *
   * Costs 1 credit; needs the scope `pdf:write`.
   */
  async fromImages(input: FromImagesInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/from-images", fromImagesFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Recognize text in scanned PDFs and images.
   *
   * Reads what is seen on the pages of a PDF, or on an image. Each page is drawn as finely as its letters ask for; pages that
   * lie on their side or head are turned, and lines that rise are made level before they are read. Columns are read one after the
   * other. Several languages may stand in one document, and in one line.
   *
   * `{ text, pages: [{ pageNumber, text, confidence, words? }], meanConfidence, languagesUsed }`: `text` joins the pages by `\n\f`.
   * Confidences go from 0 to 1: a page's is the mean of its words, `meanConfidence` that of all words (0 where there are none).
   * `languagesUsed` are those of `languages` in which words were found. Languages: ara, ces, chi_sim, chi_tra, dan, deu, eng, fra, hin, ita, jpn, kor, nld, nor, pol, por, spa, swe, tur, ukr; BCP 47 (`en`, `de-DE`,
   * `zh-Hant`) is taken, too.
   *
   * A call takes 50 pages that are recognised (413 `limit_exceeded`); send a longer document with `pages`. Where the recognition
   * breaks down it is 500 `ocr_failed`, which names the page and costs nothing.
   *
   * The PDF looks as it did, and what its pages draw stays byte for byte; the text under it can be searched, selected and copied. Where
   * another program had put recognised text there, it is replaced. `words` is for `json` only. An image becomes a page of its size.
   *
   * Costs 2 credits; needs the scope `pdf:read`.
   */
  async ocr(input: OcrInput, options?: CallOptions): Promise<FileResult<{ readonly text: string; readonly pages: readonly ({ readonly pageNumber: number; readonly text: string; readonly confidence: number; readonly words?: readonly ({ readonly text: string; readonly bbox: readonly [number, number, number, number]; readonly confidence: number })[] })[]; readonly meanConfidence: number; readonly languagesUsed: readonly (string)[] }>> {
    const answer = await this.sendForm("/api/v1/ocr", ocrFields, input, options);
    return new FileResult<{ readonly text: string; readonly pages: readonly ({ readonly pageNumber: number; readonly text: string; readonly confidence: number; readonly words?: readonly ({ readonly text: string; readonly bbox: readonly [number, number, number, number]; readonly confidence: number })[] })[]; readonly meanConfidence: number; readonly languagesUsed: readonly (string)[] }>(answer);
  }

  /**
   * Encrypt a PDF with passwords and permissions.
   *
   * Encrypts the whole document, and replaces the encryption that it has. At least one password is needed; without an
   * `ownerPassword` a random one is set that nobody knows. Passwords must differ. An input whose permissions are restricted needs its
   * owner password in `password`. Before anything is sent, the result is opened again: cipher and permissions are as asked, each
   * password opens it, nothing else does (`X-Encryption-Verified`). Nothing is ever sent unencrypted.
   *
   * Costs 1 credit; needs the scope `pdf:write`.
   */
  async protect(input: ProtectInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/protect", protectFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Make a PDF smaller.
   *
   * Images are encoded anew at the quality of the level and, where they lie above `imageMaxDpi`, made smaller; drawings and
   * black-and-white images lose nothing but resolution. Fonts keep only the glyphs that are used, equal streams are merged, unused objects
   * dropped, streams and objects compressed, and what programs keep for themselves left out. Above the level `low`, output intents lose their profile,
   * unless the file is a PDF/A. Text, links, forms, outlines, tags and encryption stay. The result is never larger than the
   * file sent: where nothing is gained that file comes back byte for byte, unless `grayscale` or `stripMetadata` asked for a change.
   *
   * Costs 2 credits; needs the scope `pdf:write`.
   */
  async compress(input: CompressInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/compress", compressFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Rotate pages in 90-degree steps.
   *
   * Turns pages clockwise, relative to how they are shown now. `rotations` wins over `angle` for the pages it
   * names; one of the two must be given. All else stays as it is, encryption too.
   *
   * Costs 1 credit; needs the scope `pdf:write`.
   */
  async rotate(input: RotateInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/rotate", rotateFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Stamp a text or image watermark.
   *
   * Draws a text or an image on pages, as a person sees them: /Rotate, CropBox and UserUnit are taken into account. Text
   * may have several lines, and can be searched and copied, in every script that there are fonts for; a character that no font has
   * is `unsupported_text`. An image keeps its transparency and is turned as EXIF says. The mark is one object in the document,
   * however many pages show it; in tagged documents it is an artifact. Signed documents are saved as an incremental update, so that
   * their signatures stay verifiable; `X-Signature-Invalidated` tells where one breaks all the same.
   *
   * Costs 1 credit; needs the scope `pdf:write`.
   */
  async watermark(input: WatermarkInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/watermark", watermarkFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Stamp page numbers.
   *
   * Pages are numbered as they come in the document: its first page has the number `startAt`, whichever `pages` are
   * stamped. `startAt` may be 0 or negative, for documents whose count begins on a later page, as long as no stamped page gets a
   * number below 0, or below 1 in Roman numerals and letters; Roman numerals end at 3999. Labels stand upright where a person sees
   * the page's edge: /Rotate, CropBox and UserUnit are taken into account. They can be searched and copied, in every script that
   * there are fonts for; a character that no font has is `unsupported_text`. In tagged documents they are artifacts. Signed
   * documents are saved as an incremental update, so that their signatures stay verifiable; `X-Signature-Invalidated` tells where
   * one breaks all the same.
   *
   * Costs 1 credit; needs the scope `pdf:write`.
   */
  async addPageNumbers(input: AddPageNumbersInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/add-page-numbers", addPageNumbersFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Apply a visual signature.
   *
   * Draws a signature in a box of one page: a name typed in a script face, or an image. It is a visual mark only: no
   * certificate, no digital signature, and nothing that shows whether the document was changed later. The box is placed as a person
   * sees the page: /Rotate, CropBox and UserUnit are taken into account; it must lie on the page. The signature is as large as the
   * box holds it. `timestamp`, `signerName` and `signerEmail` write small lines at the bottom of the box, below the signature.
   * Text can be searched and copied; characters that the script face lacks come from another font, and one that no font has is
   * `unsupported_text`. An image keeps its transparency and is turned as EXIF says. In tagged documents the mark is an artifact.
   * Signed documents are saved as an incremental update, so that their digital signatures stay verifiable;
   * `X-Signature-Invalidated` tells where one breaks all the same.
   *
   * Costs 1 credit; needs the scope `pdf:write`.
   */
  async sign(input: SignInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/sign", signFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Fill in the fields of a form.
   *
   * Fills AcroForm fields by their full names (`person.city`), as `metadata` with `action=get` lists them. Text fields take
   * a text, check boxes `true` or `false` (or the name of a state), radio groups, drop-downs and lists an option's export value or its
   * label, lists of several choices an array; drop-downs that can be edited take any text. `null` clears a field. Fields that are not named
   * stay as they are. A value that its field cannot take is 400, with the values it takes in `details.options`; so is a text longer than the
   * field's limit, a line feed where there is one line, and any value for a push button or a signature field. Fields that are read-only, which binds
   * the person at the viewer, are filled. No script runs: calculated fields keep what they have unless a value is given for them, and what a
   * field's format script would do to the look of a value is not done. A password field holds its value and shows asterisks.
   *
   * Every field that is filled gets an appearance, so that all viewers show the value: in the form's own font where that has the characters,
   * else in one that has them, in every script; a character that none has is `unsupported_text`. A form that leaves drawing to its viewer
   * (NeedAppearances) is drawn as a whole. XFA beside the fields is dropped, so that no viewer shows old values. Names that the form does
   * not have are told in `X-Unknown-Fields`, or are 422 under `strict`.
   *
   * With `flatten` fields become part of the pages and nothing interactive remains; other annotations stay. Signed documents are
   * saved as an incremental update, so that their signatures stay verifiable; `X-Signature-Invalidated` tells where one breaks all the
   * same: it forbids the change, or the form was flattened.
   *
   * Costs 1 credit; needs the scope `pdf:write`.
   */
  async fillForm(input: FillFormInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/fill-form", fillFormFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Read or update the metadata of a PDF.
   *
   * `action=get` (scope `pdf:read`) answers JSON: the Info dictionary, and what the document is. It changes
   * nothing. `action=set` (scope `pdf:write`) answers the PDF with the entries in `metadata` changed; those that are null are
   * cleared, those that are not named stay, unless `replace` is true. XMP is kept in step where the document has it (a packet that
   * is not well-formed XML is dropped), all else of it stays; none is added. Old values are not left in the file, with one
   * exception: a signed document is saved as an incremental update, so that its signatures stay verifiable, and its earlier
   * revision still has them. `X-Signature-Invalidated` tells where a signature breaks all the same: the file was damaged or
   * does not begin with its header and had to be written anew, or it is certified, which forbids the change. Encryption,
   * passwords and permissions stay those of the input.
   *
   * Costs 1 credit; needs the scope `pdf:read` or `pdf:write`.
   */
  async metadata(input: MetadataInput, options?: CallOptions): Promise<FileResult<{ readonly title: string | null; readonly author: string | null; readonly subject: string | null; readonly keywords: string | null; readonly creator: string | null; readonly producer: string | null; readonly creationDate: string | null; readonly modificationDate: string | null; readonly custom: Readonly<Record<string, string>>; readonly pageCount: number; readonly pdfVersion: string | null; readonly encrypted: boolean; readonly permissions: readonly ("print" | "print-high" | "modify" | "copy" | "annotate" | "fill-forms" | "accessibility" | "assemble")[]; readonly pages: readonly ({ readonly width: number; readonly height: number; readonly rotation: number })[]; readonly formFields: readonly ({ readonly name: string; readonly type: "text" | "checkbox" | "radio" | "dropdown" | "list" | "button" | "signature"; readonly value: string | boolean | readonly (string)[] | null; readonly options: readonly (string)[] | null; readonly page: number | null; readonly required: boolean; readonly readOnly: boolean; readonly maxLength: number | null })[] }>> {
    const answer = await this.sendForm("/api/v1/metadata", metadataFields, input, options);
    return new FileResult<{ readonly title: string | null; readonly author: string | null; readonly subject: string | null; readonly keywords: string | null; readonly creator: string | null; readonly producer: string | null; readonly creationDate: string | null; readonly modificationDate: string | null; readonly custom: Readonly<Record<string, string>>; readonly pageCount: number; readonly pdfVersion: string | null; readonly encrypted: boolean; readonly permissions: readonly ("print" | "print-high" | "modify" | "copy" | "annotate" | "fill-forms" | "accessibility" | "assemble")[]; readonly pages: readonly ({ readonly width: number; readonly height: number; readonly rotation: number })[]; readonly formFields: readonly ({ readonly name: string; readonly type: "text" | "checkbox" | "radio" | "dropdown" | "list" | "button" | "signature"; readonly value: string | boolean | readonly (string)[] | null; readonly options: readonly (string)[] | null; readonly page: number | null; readonly required: boolean; readonly readOnly: boolean; readonly maxLength: number | null })[] }>(answer);
  }

  /**
   * List API keys.
   *
   * The keys of the account in the calling key's mode, newest first, revoked ones included. Costs no credits. For the next page send `nextCursor` as `cursor`; keys that are made meanwhile shift nothing.
   *
   * Needs the scope `keys:manage`.
   */
  listKeys(query?: ListKeysInput, options?: CallOptions): Promise<{ readonly data: readonly (ApiKey)[]; readonly count: number; readonly hasMore: boolean; readonly nextCursor: string | null }> {
    return this.sendJson({ method: "GET", path: `/api/v1/keys`, repeatable: true, query: { ...query }, options });
  }

  /**
   * Make an API key.
   *
   * The answer is the only one that holds the full key. A key can do no more than the one that makes it: not in
   * another mode, not with more scopes, not for longer. An account has at most 100 keys a mode that are neither
   * revoked nor expired. Costs no credits.
   *
   * Needs the scope `keys:manage`.
   */
  createKey(input: CreateKeyInput, options?: CallOptions): Promise<IssuedApiKey> {
    return this.sendJson({ method: "POST", path: `/api/v1/keys`, repeatable: false, json: input, options });
  }

  /**
   * Fetch an API key.
   *
   * A key of the account in the calling key's mode. Costs no credits.
   *
   * Needs the scope `keys:manage`.
   */
  getKey(id: string, options?: CallOptions): Promise<ApiKey> {
    return this.sendJson({ method: "GET", path: `/api/v1/keys/${encodeURIComponent(id)}`, repeatable: true, options });
  }

  /**
   * Rename an API key.
   *
   * Changes `name`, which is all that can change. Only keys of the calling key's own mode are seen, and only those changed whose scopes the calling key has all itself. Costs no credits.
   *
   * Needs the scope `keys:manage`.
   */
  renameKey(id: string, input: RenameKeyInput, options?: CallOptions): Promise<ApiKey> {
    return this.sendJson({ method: "PATCH", path: `/api/v1/keys/${encodeURIComponent(id)}`, repeatable: true, json: input, options });
  }

  /**
   * Revoke an API key.
   *
   * It fails on its next request; a key may revoke itself. It stays in the list with its `revokedAt`, and revoking it
   * again changes nothing. Only keys of the calling key's own mode are seen, and only those changed whose scopes the calling key has all itself. Costs no credits.
   *
   * Needs the scope `keys:manage`.
   */
  revokeKey(id: string, options?: CallOptions): Promise<ApiKey> {
    return this.sendJson({ method: "DELETE", path: `/api/v1/keys/${encodeURIComponent(id)}`, repeatable: true, options });
  }

  /**
   * Replace an API key by a new one.
   *
   * The new key has the old one's name, scopes and `expiresAt`; the answer is the only one that holds it in full. The old
   * key works until `gracePeriodSeconds` are over, or its own expiry if that is earlier: rotated once more within that time, its
   * successor ends with it. A revoked or expired key is 404; one that expires later than the calling key is 403. Only keys of the calling key's own mode are seen, and only those changed whose scopes the calling key has all itself. Costs no
   * credits.
   *
   * Needs the scope `keys:manage`.
   */
  rotateKey(id: string, input: RotateKeyInput = {}, options?: CallOptions): Promise<IssuedApiKey> {
    return this.sendJson({ method: "POST", path: `/api/v1/keys/${encodeURIComponent(id)}/rotate`, repeatable: false, json: input, options });
  }

  /**
   * List webhooks.
   *
   * The subscriptions of the account in the calling key's mode, newest first. Costs no credits. For the next page send `nextCursor` as `cursor`.
   *
   * Needs the scope `webhooks:read`.
   */
  listWebhooks(query?: ListWebhooksInput, options?: CallOptions): Promise<{ readonly data: readonly (WebhookSubscription)[]; readonly count: number; readonly hasMore: boolean; readonly nextCursor: string | null }> {
    return this.sendJson({ method: "GET", path: `/api/v1/webhooks`, repeatable: true, query: { ...query }, options });
  }

  /**
   * Subscribe a URL to events.
   *
   * From now on, each event of these types in the calling key's mode is sent to the URL. The answer is the only one that holds
   * the `secret` in full: it verifies what arrives (Standard Webhooks 1.0). An attempt succeeds with a 2xx within 15 seconds, or within
   * 5 after three time-outs in a row; redirections are not followed. After a failure it is sent again: after 5 seconds, 5 and 30 minutes, 2, 5, 10 and 10 hours, a little later at random, and not
   * before `Retry-After` allows (up to a day). A 410, or five days without a success, deactivates the subscription. An account
   * has at most 20 a mode. Costs no credits.
   *
   * Needs the scope `webhooks:write`.
   */
  createWebhook(input: CreateWebhookInput, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "POST", path: `/api/v1/webhooks`, repeatable: false, json: input, options });
  }

  /**
   * Fetch a webhook.
   *
   * A subscription of the account in the calling key's mode. Costs no credits.
   *
   * Needs the scope `webhooks:read`.
   */
  getWebhook(id: string, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "GET", path: `/api/v1/webhooks/${encodeURIComponent(id)}`, repeatable: true, options });
  }

  /**
   * Change a webhook.
   *
   * Changes the members that are given. `events` replaces the list. Deactivating cancels the deliveries that are pending; a URL is
   * used from the next attempt on, of older deliveries too. Costs no credits.
   *
   * Needs the scope `webhooks:write`.
   */
  updateWebhook(id: string, input: UpdateWebhookInput = {}, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "PATCH", path: `/api/v1/webhooks/${encodeURIComponent(id)}`, repeatable: true, json: input, options });
  }

  /**
   * Delete a webhook.
   *
   * Nothing more is sent, and what is pending is cancelled. The answer shows it a last time. Costs no credits.
   *
   * Needs the scope `webhooks:write`.
   */
  deleteWebhook(id: string, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "DELETE", path: `/api/v1/webhooks/${encodeURIComponent(id)}`, repeatable: true, options });
  }

  /**
   * Replace a webhook's secret.
   *
   * The answer is the only one that holds the new `secret` in full. For 24 hours every delivery is
   * signed with both, so that receivers can change over; rotated again within that time, the oldest ends at once. Costs no credits.
   *
   * Needs the scope `webhooks:write`.
   */
  rotateWebhookSecret(id: string, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "POST", path: `/api/v1/webhooks/${encodeURIComponent(id)}/rotate-secret`, repeatable: false, options });
  }

  /**
   * Send a test event.
   *
   * A `webhook.test` is sent to this subscription, whether it asks for that type or not. The answer does not wait for it: look at the
   * deliveries. At most 10 tests and replays a minute are taken from an account. Costs no credits.
   *
   * Needs the scope `webhooks:write`.
   */
  testWebhook(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.sendJson({ method: "POST", path: `/api/v1/webhooks/${encodeURIComponent(id)}/test`, repeatable: false, options });
  }

  /**
   * List a webhook's deliveries.
   *
   * What was sent or is to be sent to the subscription in the last 30 days, newest first, with every attempt. Costs no credits. For the next page send `nextCursor` as `cursor`.
   *
   * Needs the scope `webhooks:read`.
   */
  listWebhookDeliveries(id: string, query?: ListWebhookDeliveriesInput, options?: CallOptions): Promise<{ readonly data: readonly (WebhookDelivery)[]; readonly hasMore: boolean; readonly nextCursor: string | null }> {
    return this.sendJson({ method: "GET", path: `/api/v1/webhooks/${encodeURIComponent(id)}/deliveries`, repeatable: true, query: { ...query }, options });
  }

  /**
   * Send a delivery again.
   *
   * The same event under the same `webhook-id`, whatever became of the delivery, and with all retries before it again; one that is
   * pending is tried now. At most 10 tests and replays a minute are taken from an account. Costs no credits.
   *
   * Needs the scope `webhooks:write`.
   */
  replayWebhookDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.sendJson({ method: "POST", path: `/api/v1/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}/replay`, repeatable: false, options });
  }

  /**
   * Credits of this month.
   *
   * What the account has used of its credits in this calendar month (UTC). Live and test keys have a ledger each; the calling key's own is told. Costs no credits.
   *
   * Needs the scope `billing:read`.
   */
  getUsage(options?: CallOptions): Promise<UsageSummary> {
    return this.sendJson({ method: "GET", path: `/api/v1/usage`, repeatable: true, options });
  }

  /** Whether the service answers. */
  health(options?: CallOptions): Promise<{ readonly status: "ok"; readonly version: string }> {
    return this.sendJson({ method: "GET", path: `/api/v1/health`, repeatable: true, options });
  }

  /** This description. */
  openapi(options?: CallOptions): Promise<Readonly<Record<string, unknown>>> {
    return this.sendJson({ method: "GET", path: `/api/v1/openapi.json`, repeatable: true, options });
  }
}
