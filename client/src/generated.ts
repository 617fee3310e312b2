// Made by `npm run client` from openapi.json; not to be edited.

import type { FileInput } from "./body.ts";
import { FileResult, type JsonResult, jsonResult } from "./result.ts";
import { type CallOptions, Transport } from "./transport.ts";

/** What the service refuses a request with. */
export type ErrorCode = "invalid_parameters" | "invalid_page_range" | "invalid_file" | "password_required" | "incorrect_password" | "unsupported_encryption" | "unsupported_text" | "unauthenticated" | "forbidden" | "owner_password_required" | "not_found" | "method_not_allowed" | "request_timeout" | "idempotency_conflict" | "limit_reached" | "webhook_inactive" | "file_too_large" | "limit_exceeded" | "unsupported_format" | "idempotency_key_reused" | "unknown_fields" | "no_form" | "unsupported_form" | "raster_too_large" | "rate_limit_exceeded" | "quota_exceeded" | "internal_error" | "encryption_failed" | "ocr_failed" | "overloaded" | "encryption_unavailable";

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
  /** The password of the `file` with the same number. */
  readonly passwords?: readonly (string | undefined)[];
  /** The password of encrypted files that have no password of their own. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
  readonly password?: string;
  /** How much to compress images: JPEG quality 85 (`low`), 70 (`medium`), 55 (`high`), or 35 (`max`). Default: `medium`. */
  readonly level?: "low" | "medium" | "high" | "max";
  /** Converts pages to grayscale: text, drawings, images, and annotations. */
  readonly grayscale?: boolean;
  /** Removes the Info dictionary, all XMP, thumbnails, and the metadata of images. Identifiers of PDF/A and PDF/UA are kept. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The password of `file`, if it is encrypted. */
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
  /** The number of keys per page. Default: `100`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

export type CreateKeyInput = { readonly name: string; readonly livemode?: boolean | undefined; readonly scopes?: readonly ("pdf:read" | "pdf:write" | "keys:manage" | "webhooks:read" | "webhooks:write" | "billing:read")[] | undefined; readonly expiresAt?: string | null | undefined };

export type RenameKeyInput = { readonly name: string };

export type RotateKeyInput = { readonly gracePeriodSeconds?: number | undefined };

export interface ListWebhooksInput {
  /** The number of webhooks per page. Default: `20`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

export type CreateWebhookInput = { readonly url: string; readonly events: readonly ("operation.completed" | "operation.failed" | "usage.warning_80" | "usage.limit_reached" | "key.created" | "key.revoked" | "webhook.test")[]; readonly description?: string | null | undefined };

export type UpdateWebhookInput = { readonly url?: string | undefined; readonly events?: readonly ("operation.completed" | "operation.failed" | "usage.warning_80" | "usage.limit_reached" | "key.created" | "key.revoked" | "webhook.test")[] | undefined; readonly description?: string | null | undefined; readonly active?: boolean | undefined };

export interface ListWebhookDeliveriesInput {
  /** The number of deliveries per page. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** One method for each call of the service. */
export class PdfService extends Transport {
  /**
   * Combine PDFs into one.
   *
   * Combines the pages of all files into one document, in the order of their numbers. Links, named destinations, form fields, tags,
   * layers, page labels, and attachments are kept. If two files use the same name for a form field, a destination, or an attachment, the
   * later one is renamed (`name_2`). Metadata and document settings come from the first file.
   *
   * The output is not encrypted. Files with restricted permissions need their owner password. XFA forms and article threads are removed, and
   * digital signatures become invalid.
   *
   * Costs 1 credit. Requires the `pdf:write` scope.
   */
  async merge(input: MergeInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/merge", mergeFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Split a PDF.
   *
   * Returns a PDF if there is one part, otherwise a ZIP archive with the entries `<file>-001.pdf`, `<file>-002.pdf`, and so on. Each part
   * keeps the outline entries, links, named destinations, form fields, page labels, and tags of its pages. Document-level attachments are
   * dropped (`X-Attachments-Dropped`). Every part keeps the encryption, passwords, and permissions of the input.
   *
   * Costs 1 credit. Requires the `pdf:write` scope.
   */
  async split(input: SplitInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/split", splitFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Extract the text of a PDF.
   *
   * Returns the text of each page in reading order, column by column. Ligatures are split into letters, right-to-left scripts are in logical
   * order, and hyphens at line ends are kept. The text includes form field values, annotations that show text, and the invisible text of
   * scans. Text outside the visible page is left out. Glyphs without a known character become U+FFFD. Scans without text return an empty text: use
   * `ocr` for them.
   *
   * Costs 1 credit. Requires the `pdf:read` scope.
   */
  async extractText(input: ExtractTextInput, options?: CallOptions): Promise<JsonResult<{ readonly text: string; readonly pages: readonly ({ readonly pageNumber: number; readonly text: string; readonly words?: readonly ({ readonly text: string; readonly bbox: readonly [number, number, number, number] })[] })[]; readonly stats: { readonly wordCount: number; readonly charCount: number } }>> {
    const answer = await this.sendForm("/api/v1/extract-text", extractTextFields, input, options);
    return jsonResult<{ readonly text: string; readonly pages: readonly ({ readonly pageNumber: number; readonly text: string; readonly words?: readonly ({ readonly text: string; readonly bbox: readonly [number, number, number, number] })[] })[]; readonly stats: { readonly wordCount: number; readonly charCount: number } }>(answer);
  }

  /**
   * Extract pages into a new PDF.
   *
   * Pages are returned in the order of `range`, and pages listed more than once are repeated. The outline entries, links, named destinations,
   * form fields, page labels, and tags of these pages are kept. Links to other pages are removed. Document-level attachments are dropped
   * (`X-Attachments-Dropped`). The output keeps the encryption, passwords, and permissions of the input. A repeated page gets form fields of its
   * own (`name_2`).
   *
   * Costs 1 credit. Requires the `pdf:read` scope.
   */
  async extractPages(input: ExtractPagesInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/extract-pages", extractPagesFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Convert pages to images.
   *
   * Returns one image for a single page, otherwise a ZIP archive with one image per page, named `<file>-<page number>.png` (or `.jpg`, `.webp`).
   * Pages are drawn on white as a viewer shows them, with annotations and form fields. Overprint is not simulated. Pages
   * without color become grayscale PNG or JPEG images. PNG and JPEG images contain their resolution.
   *
   * A page can have up to 100 megapixels, and all pages together up to 5 gigapixels. WebP images of more than about 8 megapixels may not fit into
   * memory; the request then fails with `raster_too_large`, and `maxDpi` is the highest resolution that works.
   *
   * Costs 2 credits. Requires the `pdf:read` scope.
   */
  async toImages(input: ToImagesInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/to-images", toImagesFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Create a PDF from images.
   *
   * Puts each image on a page of its own, in the order of their numbers. JPEG data is embedded without re-encoding. PNG images keep their
   * colors, bit depth, and transparency; WebP images are stored losslessly. ICC profiles and PNG gamma are kept, and the EXIF orientation is applied. An
   * image that is sent more than once is stored once. Animated WebP images and lossless, arithmetic-coded, or 12-bit JPEG images are not
   * supported. For animated PNG images, the default image is used. An image can have up to 100 megapixels.
   *
   * With `pageSize=auto`, each page has the size of its image at the resolution stored in the image (72 dpi if there is none), plus
   * the margin. The sides of a page are between 3 and 14,400 points.
   *
   * Costs 1 credit. Requires the `pdf:write` scope.
   */
  async fromImages(input: FromImagesInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/from-images", fromImagesFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Recognize text in scans.
   *
   * Recognizes the text on the pages of a PDF or in an image, and returns it as JSON or as a searchable PDF. Rotated pages and slanted lines are straightened
   * before recognition. Columns are read one after the other, and a line can contain several languages.
   *
   * Confidence values range from 0 to 1. The confidence of a page is the mean of its words; `meanConfidence` is the mean of all words. `languagesUsed` lists the
   * requested languages in which words were found. Supported languages: ara, ces, chi_sim, chi_tra, dan, deu, eng, fra, hin, ita, jpn, kor, nld, nor, pol, por, spa, swe, tur, ukr. BCP 47 codes such as `en`, `de-DE`, and `zh-Hant` are also accepted.
   *
   * A request can recognize up to 50 pages; use `pages` for longer documents. With `output=pdf`, the pages look as before, and their text can be
   * searched, selected, and copied. Invisible text from an earlier recognition is replaced. An image becomes a page of its size.
   *
   * Costs 2 credits. Requires the `pdf:read` scope.
   */
  async ocr(input: OcrInput, options?: CallOptions): Promise<FileResult<{ readonly text: string; readonly pages: readonly ({ readonly pageNumber: number; readonly text: string; readonly confidence: number; readonly words?: readonly ({ readonly text: string; readonly bbox: readonly [number, number, number, number]; readonly confidence: number })[] })[]; readonly meanConfidence: number; readonly languagesUsed: readonly (string)[] }>> {
    const answer = await this.sendForm("/api/v1/ocr", ocrFields, input, options);
    return new FileResult<{ readonly text: string; readonly pages: readonly ({ readonly pageNumber: number; readonly text: string; readonly confidence: number; readonly words?: readonly ({ readonly text: string; readonly bbox: readonly [number, number, number, number]; readonly confidence: number })[] })[]; readonly meanConfidence: number; readonly languagesUsed: readonly (string)[] }>(answer);
  }

  /**
   * Encrypt a PDF with a password.
   *
   * Encrypts the document and replaces its existing encryption. At least one password is required, and the two must differ. Without an
   * `ownerPassword`, a random one is set. If the input has restricted permissions, send its owner password in `password`.
   *
   * The output is verified before it is sent: the cipher and permissions are as requested, each password opens it, and nothing else does
   * (`X-Encryption-Verified`). The document is never sent unencrypted.
   *
   * Costs 1 credit. Requires the `pdf:write` scope.
   */
  async protect(input: ProtectInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/protect", protectFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Reduce the file size.
   *
   * Re-encodes images at the quality of `level` and downsamples those above `imageMaxDpi`. Drawings and black-and-white images only lose resolution.
   * Fonts are subset, duplicate streams merged, unused objects and private application data removed, and all streams recompressed. Above `low`, output intents lose
   * their ICC profile, unless the file is a PDF/A. Text, links, forms, outlines, tags, and encryption are kept.
   *
   * The output is never larger than the input: if nothing can be saved, the input is returned unchanged, unless `grayscale` or `stripMetadata` is set.
   *
   * Costs 2 credits. Requires the `pdf:write` scope.
   */
  async compress(input: CompressInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/compress", compressFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Rotate pages.
   *
   * Rotates pages clockwise, relative to their current rotation. Send `angle`, `rotations`, or both; `rotations` overrides
   * `angle` for its pages.
   *
   * Costs 1 credit. Requires the `pdf:write` scope.
   */
  async rotate(input: RotateInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/rotate", rotateFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Add a text or image watermark.
   *
   * Stamps text or an image on pages. Positions refer to the page as a viewer shows it, with its rotation and crop box applied. Text is searchable in all
   * supported scripts; characters that no font has fail with `unsupported_text`. Images keep their transparency, and the EXIF orientation is
   * applied. In tagged documents, the watermark is an artifact.
   *
   * Signed documents are updated incrementally so that their signatures stay valid. `X-Signature-Invalidated` is set if a signature does not allow the
   * change.
   *
   * Costs 1 credit. Requires the `pdf:write` scope.
   */
  async watermark(input: WatermarkInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/watermark", watermarkFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Add page numbers.
   *
   * Pages are numbered by their position in the document: the first page gets the number `startAt`, even if `pages` leaves it out. `startAt` can be
   * 0 or negative if no stamped page gets a number below 0 (below 1 for Roman numerals and letters). Roman numerals end at 3999. Positions refer to the
   * page as a viewer shows it, with its rotation and crop box applied. Labels are searchable in all supported scripts; characters that no font has fail with
   * `unsupported_text`. In tagged documents, labels are artifacts.
   *
   * Signed documents are updated incrementally so that their signatures stay valid. `X-Signature-Invalidated` is set if a signature does not allow the
   * change.
   *
   * Costs 1 credit. Requires the `pdf:write` scope.
   */
  async addPageNumbers(input: AddPageNumbersInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/add-page-numbers", addPageNumbersFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Add a visual signature.
   *
   * Draws a signature into a box on a page: a typed name in a script font, or an image. The signature is visual only. It adds no certificate
   * or digital signature, and it does not show whether the document was changed later. The box refers to the page as a viewer shows it and must lie on
   * the page. The signature is scaled to fit the box; `timestamp`, `signerName`, and `signerEmail` add small lines below it, inside the box. Characters that
   * the script font does not have are drawn in another font; characters that no font has fail with `unsupported_text`. In tagged documents, the signature is an
   * artifact.
   *
   * Signed documents are updated incrementally so that their digital signatures stay valid. `X-Signature-Invalidated` is set if a signature does not allow the
   * change.
   *
   * Costs 1 credit. Requires the `pdf:write` scope.
   */
  async sign(input: SignInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/sign", signFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Fill in a form.
   *
   * Fills AcroForm fields by their full names (`person.city`); `metadata` with `action=get` lists them. Text fields accept a string, check
   * boxes `true`, `false`, or the name of a state, radio buttons, drop-downs, and lists the export value or label of an option, and multiple-choice lists an
   * array. Editable drop-downs accept any string. `null` clears a field, and fields you leave out keep their values. If a field does not
   * accept a value, the request fails with 400 and `details.options` lists the values it accepts. Read-only fields can be filled. Scripts do not run: calculated fields keep
   * their values, and format scripts are not applied. Password fields show asterisks.
   *
   * Filled fields get an appearance that all viewers show, in the font of the form or, for characters it does not have, in another one. Characters that no
   * font has fail with `unsupported_text`. XFA data is removed so that no viewer shows outdated values. Names that the form does not have are listed in
   * `X-Unknown-Fields`; with `strict`, they fail with 422.
   *
   * With `flatten`, fields become part of the pages; other annotations stay. Signed documents are updated incrementally so that their signatures stay valid.
   * `X-Signature-Invalidated` is set if a signature does not allow the change, or if the form was flattened.
   *
   * Costs 1 credit. Requires the `pdf:write` scope.
   */
  async fillForm(input: FillFormInput, options?: CallOptions): Promise<FileResult> {
    const answer = await this.sendForm("/api/v1/fill-form", fillFormFields, input, options);
    return new FileResult(answer);
  }

  /**
   * Read or change metadata.
   *
   * `action=get` (scope `pdf:read`) returns the Info dictionary and facts about the document as JSON. `action=set` (scope `pdf:write`) returns the PDF with the
   * entries in `metadata` changed. Entries that are null are removed; other entries stay, unless `replace` is true. Existing XMP metadata is updated as well, or
   * removed if it is not well-formed. The output keeps the encryption, passwords, and permissions of the input.
   *
   * Old values do not remain in the file, with one exception: signed documents are updated incrementally so that their signatures stay valid, and their earlier revision
   * contains the old values. `X-Signature-Invalidated` is set if a signature breaks: the file was damaged, or it is certified and does not allow changes.
   *
   * Costs 1 credit. Requires the `pdf:read` or `pdf:write` scope.
   */
  async metadata(input: MetadataInput, options?: CallOptions): Promise<FileResult<{ readonly title: string | null; readonly author: string | null; readonly subject: string | null; readonly keywords: string | null; readonly creator: string | null; readonly producer: string | null; readonly creationDate: string | null; readonly modificationDate: string | null; readonly custom: Readonly<Record<string, string>>; readonly pageCount: number; readonly pdfVersion: string | null; readonly encrypted: boolean; readonly permissions: readonly ("print" | "print-high" | "modify" | "copy" | "annotate" | "fill-forms" | "accessibility" | "assemble")[]; readonly pages: readonly ({ readonly width: number; readonly height: number; readonly rotation: number })[]; readonly formFields: readonly ({ readonly name: string; readonly type: "text" | "checkbox" | "radio" | "dropdown" | "list" | "button" | "signature"; readonly value: string | boolean | readonly (string)[] | null; readonly options: readonly (string)[] | null; readonly page: number | null; readonly required: boolean; readonly readOnly: boolean; readonly maxLength: number | null })[] }>> {
    const answer = await this.sendForm("/api/v1/metadata", metadataFields, input, options);
    return new FileResult<{ readonly title: string | null; readonly author: string | null; readonly subject: string | null; readonly keywords: string | null; readonly creator: string | null; readonly producer: string | null; readonly creationDate: string | null; readonly modificationDate: string | null; readonly custom: Readonly<Record<string, string>>; readonly pageCount: number; readonly pdfVersion: string | null; readonly encrypted: boolean; readonly permissions: readonly ("print" | "print-high" | "modify" | "copy" | "annotate" | "fill-forms" | "accessibility" | "assemble")[]; readonly pages: readonly ({ readonly width: number; readonly height: number; readonly rotation: number })[]; readonly formFields: readonly ({ readonly name: string; readonly type: "text" | "checkbox" | "radio" | "dropdown" | "list" | "button" | "signature"; readonly value: string | boolean | readonly (string)[] | null; readonly options: readonly (string)[] | null; readonly page: number | null; readonly required: boolean; readonly readOnly: boolean; readonly maxLength: number | null })[] }>(answer);
  }

  /**
   * List API keys.
   *
   * Returns the keys of your account in the mode of the API key you use, newest first, including revoked keys. To get the next page, send `nextCursor` as `cursor`. Costs no credits.
   *
   * Requires the `keys:manage` scope.
   */
  listKeys(query?: ListKeysInput, options?: CallOptions): Promise<{ readonly data: readonly (ApiKey)[]; readonly count: number; readonly hasMore: boolean; readonly nextCursor: string | null }> {
    return this.sendJson({ method: "GET", path: `/api/v1/keys`, repeatable: true, query: { ...query }, options });
  }

  /**
   * Create an API key.
   *
   * Returns the full key, which is shown only once. The new key cannot do more than the key you use: it has the same mode, no
   * additional scopes, and expires no later. An account can have up to 100 active keys per mode. Costs no credits.
   *
   * Requires the `keys:manage` scope.
   */
  createKey(input: CreateKeyInput, options?: CallOptions): Promise<IssuedApiKey> {
    return this.sendJson({ method: "POST", path: `/api/v1/keys`, repeatable: false, json: input, options });
  }

  /**
   * Get an API key.
   *
   * Returns a key of your account in the mode of the API key you use. Costs no credits.
   *
   * Requires the `keys:manage` scope.
   */
  getKey(id: string, options?: CallOptions): Promise<ApiKey> {
    return this.sendJson({ method: "GET", path: `/api/v1/keys/${encodeURIComponent(id)}`, repeatable: true, options });
  }

  /**
   * Rename an API key.
   *
   * Changes the name of a key. The key must belong to the mode of the API key you use, and you can only change keys whose scopes your key has as well. Costs no credits.
   *
   * Requires the `keys:manage` scope.
   */
  renameKey(id: string, input: RenameKeyInput, options?: CallOptions): Promise<ApiKey> {
    return this.sendJson({ method: "PATCH", path: `/api/v1/keys/${encodeURIComponent(id)}`, repeatable: true, json: input, options });
  }

  /**
   * Revoke an API key.
   *
   * Requests with the key fail immediately. A key can revoke itself. Revoked keys stay in the list, with `revokedAt`. The key must belong to the mode of the API key you use, and you can only change keys whose scopes your key has as well.
   * Costs no credits.
   *
   * Requires the `keys:manage` scope.
   */
  revokeKey(id: string, options?: CallOptions): Promise<ApiKey> {
    return this.sendJson({ method: "DELETE", path: `/api/v1/keys/${encodeURIComponent(id)}`, repeatable: true, options });
  }

  /**
   * Rotate an API key.
   *
   * Creates a key with the same name, scopes, and `expiresAt`, and returns it in full, which happens only once. The old key
   * works for another `gracePeriodSeconds`, or until it expires. If you rotate the old key again in the meantime, that new key expires with it.
   * You cannot rotate revoked or expired keys, or keys that expire later than the key you use. The key must belong to the mode of the API key you use, and you can only change keys whose scopes your key has as well. Costs no credits.
   *
   * Requires the `keys:manage` scope.
   */
  rotateKey(id: string, input: RotateKeyInput = {}, options?: CallOptions): Promise<IssuedApiKey> {
    return this.sendJson({ method: "POST", path: `/api/v1/keys/${encodeURIComponent(id)}/rotate`, repeatable: false, json: input, options });
  }

  /**
   * List webhooks.
   *
   * Returns the webhooks of your account in the mode of the API key you use, newest first. To get the next page, send `nextCursor` as `cursor`. Costs no credits.
   *
   * Requires the `webhooks:read` scope.
   */
  listWebhooks(query?: ListWebhooksInput, options?: CallOptions): Promise<{ readonly data: readonly (WebhookSubscription)[]; readonly count: number; readonly hasMore: boolean; readonly nextCursor: string | null }> {
    return this.sendJson({ method: "GET", path: `/api/v1/webhooks`, repeatable: true, query: { ...query }, options });
  }

  /**
   * Create a webhook.
   *
   * Sends events of the given types, in the mode of the API key you use, to a URL. The response contains the full `secret`, which is
   * shown only once; use it to verify deliveries (Standard Webhooks 1.0).
   *
   * A delivery succeeds when your endpoint returns a 2xx response within 15 seconds, or within 5 after three timeouts in a row. Redirects are not followed. Failed deliveries are retried after
   * about 5 seconds, 5 and 30 minutes, and 2, 5, 10, and 10 hours, or later if `Retry-After` says so (up to a day). A 410 response, or five
   * days of failures, deactivates the webhook. An account can have up to 20 webhooks per mode. Costs no credits.
   *
   * Requires the `webhooks:write` scope.
   */
  createWebhook(input: CreateWebhookInput, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "POST", path: `/api/v1/webhooks`, repeatable: false, json: input, options });
  }

  /**
   * Get a webhook.
   *
   * Returns a webhook of your account in the mode of the API key you use. Costs no credits.
   *
   * Requires the `webhooks:read` scope.
   */
  getWebhook(id: string, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "GET", path: `/api/v1/webhooks/${encodeURIComponent(id)}`, repeatable: true, options });
  }

  /**
   * Update a webhook.
   *
   * Changes the given fields. `events` replaces the whole list. A new URL is also used for pending deliveries. Deactivating a webhook
   * cancels its pending deliveries. Costs no credits.
   *
   * Requires the `webhooks:write` scope.
   */
  updateWebhook(id: string, input: UpdateWebhookInput = {}, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "PATCH", path: `/api/v1/webhooks/${encodeURIComponent(id)}`, repeatable: true, json: input, options });
  }

  /**
   * Delete a webhook.
   *
   * Deletes the webhook and cancels its pending deliveries. Costs no credits.
   *
   * Requires the `webhooks:write` scope.
   */
  deleteWebhook(id: string, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "DELETE", path: `/api/v1/webhooks/${encodeURIComponent(id)}`, repeatable: true, options });
  }

  /**
   * Rotate the secret of a webhook.
   *
   * Returns the new `secret`, which is shown only once. For 24 hours, deliveries are signed with both the
   * new and the previous secret. If you rotate again within this time, the oldest secret stops working. Costs no credits.
   *
   * Requires the `webhooks:write` scope.
   */
  rotateWebhookSecret(id: string, options?: CallOptions): Promise<WebhookSubscription> {
    return this.sendJson({ method: "POST", path: `/api/v1/webhooks/${encodeURIComponent(id)}/rotate-secret`, repeatable: false, options });
  }

  /**
   * Send a test event.
   *
   * Sends a `webhook.test` event to this webhook, whatever its event types. The response does not wait for the delivery; list the
   * deliveries to see the result. An account can request up to 10 tests and replays per minute. Costs no credits.
   *
   * Requires the `webhooks:write` scope.
   */
  testWebhook(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.sendJson({ method: "POST", path: `/api/v1/webhooks/${encodeURIComponent(id)}/test`, repeatable: false, options });
  }

  /**
   * List the deliveries of a webhook.
   *
   * Returns the deliveries of the last 30 days with all their attempts, newest first. To get the next page, send `nextCursor` as `cursor`. Costs no credits.
   *
   * Requires the `webhooks:read` scope.
   */
  listWebhookDeliveries(id: string, query?: ListWebhookDeliveriesInput, options?: CallOptions): Promise<{ readonly data: readonly (WebhookDelivery)[]; readonly hasMore: boolean; readonly nextCursor: string | null }> {
    return this.sendJson({ method: "GET", path: `/api/v1/webhooks/${encodeURIComponent(id)}/deliveries`, repeatable: true, query: { ...query }, options });
  }

  /**
   * Replay a delivery.
   *
   * Sends the event again with the same `webhook-id`, whatever the state of the delivery, and with all retries if it fails. A pending delivery
   * is sent now. An account can request up to 10 tests and replays per minute. Costs no credits.
   *
   * Requires the `webhooks:write` scope.
   */
  replayWebhookDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.sendJson({ method: "POST", path: `/api/v1/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}/replay`, repeatable: false, options });
  }

  /**
   * Get usage.
   *
   * Returns the credits used in this calendar month (UTC). Live and test keys have separate credits; the response is about the mode of the API key you use. Costs no credits.
   *
   * Requires the `billing:read` scope.
   */
  getUsage(options?: CallOptions): Promise<UsageSummary> {
    return this.sendJson({ method: "GET", path: `/api/v1/usage`, repeatable: true, options });
  }

  /** Check the health of the service. */
  health(options?: CallOptions): Promise<{ readonly status: "ok"; readonly version: string }> {
    return this.sendJson({ method: "GET", path: `/api/v1/health`, repeatable: true, options });
  }

  /** Get the OpenAPI description. */
  openapi(options?: CallOptions): Promise<Readonly<Record<string, unknown>>> {
    return this.sendJson({ method: "GET", path: `/api/v1/openapi.json`, repeatable: true, options });
  }
}
