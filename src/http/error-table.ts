import type { RefusalCode } from "../engines/errors.ts";

export interface ErrorRow {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 499 | 500 | 503;
  readonly title: string;
  /** When it occurs, and how it differs from its neighbours. Goes into openapi.json. */
  readonly when: string;
  /** The members of `details`, where there are any. */
  readonly details?: readonly string[];
  /**
   * Which routes can answer it: every one, those that ask for a key, every operation, or only the routes that name it.
   */
  readonly from: "every route" | "authenticated" | "operations" | "named";
}

/** Every error of the service. What is thrown and what openapi.json describes both come from here. */
export const errorTable = {
  invalid_parameters: {
    status: 400,
    title: "The request's parameters are missing, wrong or unknown",
    when: "A field, a member of a JSON body or a query parameter is missing, malformed, unknown, given twice or belongs to another mode, or the body itself cannot be read (`fields` is then empty). All problems are listed at once; of form fields that do not take their value, `options` has the values that they take.",
    details: ["fields", "options"],
    from: "operations",
  },
  invalid_page_range: {
    status: 400,
    title: "The page range is malformed or out of bounds",
    when: "The only problem of the request is a page range. With other problems beside it, it is listed in `fields` of `invalid_parameters`.",
    details: ["field", "range", "maxPage"],
    from: "operations",
  },
  invalid_file: {
    status: 400,
    title: "The file cannot be read",
    when: "The format was recognised, but the file is empty, damaged beyond repair or has no pages, or it is an image of a kind that cannot be used: an animated WebP, a lossless or arithmetic JPEG. `missingPages` names pages that were lost.",
    details: ["input", "missingPages"],
    from: "operations",
  },
  password_required: {
    status: 400,
    title: "The file is encrypted and no password was given",
    when: "The input needs a password to be opened.",
    details: ["input"],
    from: "operations",
  },
  incorrect_password: {
    status: 400,
    title: "The password does not open the file",
    when: "A password was given and neither the user nor the owner password of the input is equal to it.",
    details: ["input"],
    from: "operations",
  },
  unsupported_encryption: {
    status: 400,
    title: "The file's encryption is not supported",
    when: "The input is encrypted with certificates, or its strings, streams and attachments are encrypted in different ways.",
    details: ["input"],
    from: "operations",
  },
  unsupported_text: {
    status: 400,
    title: "No font can draw the text",
    when: "The text of a stamp holds characters that none of the fonts has.",
    details: ["characters"],
    from: "operations",
  },
  unauthenticated: {
    status: 401,
    title: "No valid API key",
    when: "The key is missing, malformed, unknown, revoked or expired.",
    from: "authenticated",
  },
  forbidden: {
    status: 403,
    title: "The API key may not do this",
    when: "The key lacks the scope in `requiredScope`, or it would make or replace a key of the other mode or one that outlives it (no `requiredScope` then).",
    details: ["requiredScope"],
    from: "authenticated",
  },
  owner_password_required: {
    status: 403,
    title: "The file's owner password is needed",
    when: "The input's permissions are restricted, and the operation would lift them.",
    details: ["input"],
    from: "operations",
  },
  not_found: {
    status: 404,
    title: "There is nothing here",
    when: "The path is unknown, or the id in it: also where it belongs to another account or mode.",
    from: "every route",
  },
  method_not_allowed: {
    status: 405,
    title: "The path does not take this method",
    when: "The path exists; the header `Allow` names its methods.",
    from: "every route",
  },
  request_timeout: {
    status: 408,
    title: "The request's body stopped arriving",
    when: `The body stopped arriving, or came too slowly.`,
    from: "operations",
  },
  idempotency_conflict: {
    status: 409,
    title: "A request with this Idempotency-Key is in progress",
    when: "A request under the key is still at work. Ask again when it has ended.",
    from: "operations",
  },
  limit_reached: {
    status: 409,
    title: "The account has as many of these as it may have",
    when: "One of them has to be removed before another can be made.",
    details: ["limit"],
    from: "named",
  },
  webhook_inactive: {
    status: 409,
    title: "The subscription is not active",
    when: "A delivery was asked for that an inactive subscription would not get. `PATCH` it with `active: true` first.",
    from: "named",
  },
  file_too_large: {
    status: 413,
    title: "The request's body is too large",
    when: "The body has more bytes than the plan allows, or a JSON body more than 65,536. `actual` is what was announced or, without Content-Length, what was read until then.",
    details: ["limit", "actual"],
    from: "operations",
  },
  limit_exceeded: {
    status: 413,
    title: "The request is past a limit",
    when: "Too many pages, files, pixels, form fields or objects, or more memory than one request may have. The message names the limit; `actual` is what was counted until then.",
    details: ["limit", "actual", "input"],
    from: "operations",
  },
  unsupported_format: {
    status: 415,
    title: "The format is not supported",
    when: "The body is not multipart/form-data (not application/json where JSON is taken), or the file in `input` is not of a kind that the field takes: a PDF shows its signature in its first 1,024 bytes, an image begins with it. Names and declared types are not looked at.",
    details: ["input"],
    from: "operations",
  },
  idempotency_key_reused: {
    status: 422,
    title: "The Idempotency-Key belongs to another request",
    when: "The key was used with other parameters or files within the last 24 hours, for the same operation.",
    from: "operations",
  },
  unknown_fields: {
    status: 422,
    title: "The form has no such fields",
    when: "fill-form only. `strict` is true and `values` names fields that the form does not have.",
    details: ["unknownFields", "availableFields"],
    from: "operations",
  },
  no_form: {
    status: 422,
    title: "The PDF has no form",
    when: "fill-form only. The document has no AcroForm, or one without fields.",
    from: "operations",
  },
  unsupported_form: {
    status: 422,
    title: "The PDF's form is not supported",
    when: "fill-form only. The form is pure XFA: none of its pages has a field.",
    from: "operations",
  },
  raster_too_large: {
    status: 422,
    title: "The page's image cannot be encoded in memory",
    when: "to-images only. A WebP cannot be written in bands, and the whole page does not fit; `maxDpi` is the highest resolution that works, null where none does.",
    details: ["page", "format", "maxDpi"],
    from: "operations",
  },
  rate_limit_exceeded: {
    status: 429,
    title: "Too many requests",
    when: "The account's requests of this minute are used up, or its tests and replays of webhooks, or bad keys came from this address; `Retry-After` says when to try again.",
    from: "authenticated",
  },
  quota_exceeded: {
    status: 429,
    title: "The credits of the period are used up",
    when: "The call costs more credits than are left; `Retry-After` says when the next period begins.",
    details: ["limit", "used", "remaining", "resetAt"],
    from: "operations",
  },
  client_closed_request: {
    status: 499,
    title: "The client closed the connection",
    when: "The client went away before its response began. The work stops and nothing is charged; only the event `operation.failed` and the service's log show this code.",
    from: "named",
  },
  internal_error: {
    status: 500,
    title: "The service failed",
    when: "A fault of the service, logged under the request id. It is safe to try again.",
    from: "every route",
  },
  encryption_failed: {
    status: 500,
    title: "The encryption could not be verified",
    when: "protect only. The output was opened again and was not protected as asked; nothing of it was sent.",
    from: "operations",
  },
  ocr_failed: {
    status: 500,
    title: "The text recognition failed",
    when: "ocr only. The recognition broke down on `page`; nothing was charged.",
    details: ["page"],
    from: "operations",
  },
  overloaded: {
    status: 503,
    title: "The service is full",
    when: "There was no memory for the request within a few seconds. Try again after `Retry-After`.",
    from: "operations",
  },
  encryption_unavailable: {
    status: 503,
    title: "The cipher is not available",
    when: "protect only. The encryption asked for cannot be done here. The file is never sent unencrypted instead.",
    from: "operations",
  },
} as const satisfies Record<RefusalCode, ErrorRow> & Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** The rows with one type for all, for those who walk the table. */
export const errorRows: readonly (readonly [ErrorCode, ErrorRow])[] = Object.entries(errorTable).map(
  ([code, row]) => [code as ErrorCode, row] as const,
);
