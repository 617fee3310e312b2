import type { RefusalCode } from "../../engines/errors.ts";

export interface ErrorRow {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 410 | 413 | 415 | 416 | 422 | 429 | 499 | 500 | 501 | 503;
  /** A sentence without its period: the default message. */
  readonly title: string;
  /** When it occurs. Appended to the title in openapi.json. */
  readonly when: string;
  /** The members of `details`, if any. */
  readonly details?: readonly string[];
  /**
   * The routes that can return it: every route, those that need an API key, all operations, those that accept PDFs, or those with a page range.
   * Otherwise, only routes that list it in their `errors`.
   */
  readonly from: "every route" | "authenticated" | "operations" | "PDF inputs" | "page ranges" | "named";
}

/** Every error of the service. Thrown errors and openapi.json both derive from this table. */
export const errorTable = {
  invalid_parameters: {
    status: 400,
    title: "The request has invalid parameters",
    when: "A parameter is missing, malformed, unknown, or repeated, or the body cannot be read (`fields` is then empty). `fields` lists all problems of the request. `options` lists the values that a form field accepts.",
    details: ["fields", "options"],
    from: "operations",
  },
  invalid_page_range: {
    status: 400,
    title: "The page range is invalid",
    when: "A page range is malformed or names pages that the document does not have. If the request has other problems, they are all listed in `fields` of `invalid_parameters` instead.",
    details: ["field", "range", "maxPage"],
    from: "page ranges",
  },
  invalid_certificate: {
    status: 400,
    title: "The certificate or its key cannot be used",
    when: "The file is no PKCS#12 or PEM with one private key and its certificate, the password is wrong, the key does not fit, or the certificate has expired, is not valid yet, or is not for signatures.",
    details: ["input"],
    from: "named",
  },
  invalid_file: {
    status: 400,
    title: "The file cannot be read",
    when: "The file is empty, has no pages, is damaged beyond repair, or is an image that cannot be used: an animated WebP, or a lossless or arithmetic-coded JPEG. Or a part of an image is to be removed that cannot be decoded. `missingPages` lists the pages that are lost.",
    details: ["input", "missingPages"],
    from: "operations",
  },
  password_required: {
    status: 400,
    title: "The file is encrypted and needs a password",
    when: "The file cannot be opened without a password, and none was sent.",
    details: ["input"],
    from: "PDF inputs",
  },
  incorrect_password: {
    status: 400,
    title: "The password is incorrect",
    when: "The password is neither the user password nor the owner password of the file.",
    details: ["input"],
    from: "PDF inputs",
  },
  unsupported_encryption: {
    status: 400,
    title: "The file's encryption is not supported",
    when: "The file is encrypted with certificates or another method that does not use a password.",
    details: ["input"],
    from: "PDF inputs",
  },
  unsupported_text: {
    status: 400,
    title: "No available font has these characters",
    when: "The text contains characters that none of the service's fonts can draw.",
    details: ["characters"],
    from: "named",
  },
  unauthenticated: {
    status: 401,
    title: "Invalid API key",
    when: "The API key is missing, malformed, unknown, revoked, or expired.",
    from: "authenticated",
  },
  forbidden: {
    status: 403,
    title: "The API key does not have permission",
    when: "The API key lacks the scope in `requiredScope`. Without `requiredScope`: the key to create or rotate belongs to the other mode, or would expire later than the key that makes the request.",
    details: ["requiredScope"],
    from: "authenticated",
  },
  owner_password_required: {
    status: 403,
    title: "The owner password is required",
    when: "The file restricts its permissions, and the operation would remove these restrictions.",
    details: ["input"],
    from: "named",
  },
  signature_forbidden: {
    status: 403,
    title: "The document does not allow this signature",
    when: "An earlier signature certifies the document and does not allow it, or locks the field, or the field asks for something that the signature does not have. The message says which.",
    details: ["field"],
    from: "named",
  },
  not_found: {
    status: 404,
    title: "Not found",
    when: "The path does not exist, or no object with this ID exists for the account and mode of the API key.",
    details: ["input"],
    from: "every route",
  },
  method_not_allowed: {
    status: 405,
    title: "The method is not supported",
    when: "The path exists, but not with this method. The `Allow` header lists the methods it supports.",
    from: "every route",
  },
  request_timeout: {
    status: 408,
    title: "The request body arrived too slowly",
    when: "The request body stopped arriving, or arrived too slowly: below 32 KiB a second, or below 256 KiB a second for longer than 20 seconds while other requests waited for the memory that it held.",
    from: "operations",
  },
  idempotency_conflict: {
    status: 409,
    title: "A request with this Idempotency-Key is still in progress",
    when: "Retry after the first request has finished.",
    from: "operations",
  },
  limit_reached: {
    status: 409,
    title: "The account has reached its limit",
    when: "The account cannot have more objects of this kind, or its files would take more space than the plan has: remove one before you create another. Or the account has as many jobs that have not ended as its plan allows: wait until one ends, or cancel one.",
    details: ["limit"],
    from: "operations",
  },
  already_signed: {
    status: 409,
    title: "The document or the field is already signed",
    when: "Only the first signature can certify a document, and a field holds one signature.",
    details: ["field"],
    from: "named",
  },
  webhook_inactive: {
    status: 409,
    title: "The webhook is inactive",
    when: "Tests and replays need an active webhook. Set `active` to `true` first.",
    from: "named",
  },
  not_ready: {
    status: 409,
    title: "The file is not complete, or the job has no result",
    when: "Parts of the file are missing, or the upload has not been completed; `missingParts` lists the first parts that are missing. Or the job has not ended, or was canceled.",
    details: ["input", "missingParts"],
    from: "operations",
  },
  upload_finished: {
    status: 409,
    title: "The upload is already complete",
    when: "The file is complete and cannot be changed. Upload another one instead.",
    from: "named",
  },
  expired: {
    status: 410,
    title: "The file, or the result of the job, has expired",
    when: "The file or the job has passed its `expiresAt`, or the file is no longer stored. Upload it again, or send the request again.",
    details: ["input"],
    from: "operations",
  },
  file_too_large: {
    status: 413,
    title: "The request body is too large",
    when: "The body, together with documents from URLs, or the file is larger than the plan allows, or a JSON body is larger than 64 KiB. `actual` is the announced size or, without `Content-Length`, the number of bytes read so far.",
    details: ["limit", "actual"],
    from: "operations",
  },
  limit_exceeded: {
    status: 413,
    title: "The request exceeds a limit",
    when: "The request has too many pages, files, pixels, form fields, or objects, or needs too much memory. The message names the limit. `actual` is the count at which processing stopped.",
    details: ["limit", "actual", "input"],
    from: "operations",
  },
  unsupported_format: {
    status: 415,
    title: "The format is not supported",
    when: "The body is not multipart/form-data (for keys and webhooks: application/json), or the file in `input` is not of an accepted type. The type is detected from the content: a PDF has its signature within the first 1,024 bytes, an image starts with it. File names and declared types are ignored.",
    details: ["input"],
    from: "operations",
  },
  unsupported_encoding: {
    status: 415,
    title: "The request body is compressed",
    when: "The request has a `Content-Encoding`. Send the body as it is.",
    from: "operations",
  },
  range_not_satisfiable: {
    status: 416,
    title: "The range is outside the file",
    when: "The `Range` header names bytes that the file does not have. `Content-Range` has the size of the file.",
    from: "named",
  },
  idempotency_key_reused: {
    status: 422,
    title: "The Idempotency-Key was used for another request",
    when: "The key was used within the last 24 hours for the same operation with other parameters or files.",
    from: "operations",
  },
  fetch_failed: {
    status: 422,
    title: "The URL could not be fetched",
    when: "The server of the URL in `input` cannot be reached, responds with another status than 200, redirects more than three times or to a URL that is not allowed, sends nothing for 60 seconds, sends a compressed response that is too large, or breaks off before the document is complete. `status` is the status of its response.",
    details: ["input", "status"],
    from: "operations",
  },
  unknown_fields: {
    status: 422,
    title: "The form has no fields with these names",
    when: "`strict` is `true`, and `values` names fields that the form does not have.",
    details: ["unknownFields", "availableFields"],
    from: "named",
  },
  no_form: {
    status: 422,
    title: "The PDF has no form",
    when: "The PDF has no AcroForm, or its AcroForm has no fields.",
    from: "named",
  },
  no_tables: {
    status: 422,
    title: "The document has no tables",
    when: "No table was found on the selected pages.",
    from: "named",
  },
  no_invoice: {
    status: 422,
    title: "The PDF has no invoice",
    when: "`invoice` with `action=extract` or `inspect`: no XML of Factur-X, ZUGFeRD, or XRechnung is attached to the PDF.",
    details: ["input"],
    from: "named",
  },
  not_conforming: {
    status: 422,
    title: "The document does not conform to the profile",
    when: "`validate` with `require=true`, or `archive`: the document breaks rules of the profile, or rules that apply could not be checked. `failures` lists them as the report does.",
    details: ["profile", "failures"],
    from: "named",
  },
  unsupported_form: {
    status: 422,
    title: "The form is not supported",
    when: "The form is pure XFA: none of its pages has an AcroForm field.",
    from: "named",
  },
  raster_too_large: {
    status: 422,
    title: "The page is too large for this image format",
    when: "The page does not fit into memory as WebP. `maxDpi` is the highest resolution that works, or null if there is none. PNG and JPEG do not have this limit.",
    details: ["page", "format", "maxDpi"],
    from: "named",
  },
  timestamp_failed: {
    status: 422,
    title: "The time stamp could not be made",
    when: "The time-stamp service does not respond within 15 seconds, refuses the request, or sends a token that does not fit it. Nothing was sent.",
    from: "named",
  },
  revocation_unavailable: {
    status: 422,
    title: "It is not known whether a certificate was revoked",
    when: "`level` needs the responses of all issuers, of the signer's chain and of the time-stamp service's, and one is missing: its certificate names no service, or the service does not respond within 5 seconds, or not in a way that can be used. Nothing was sent.",
    from: "named",
  },
  rate_limit_exceeded: {
    status: 429,
    title: "Too many requests",
    when: "The account has used its requests for this minute, or its webhook tests and replays, or this address has sent too many invalid API keys. `Retry-After` is the number of seconds to wait.",
    from: "authenticated",
  },
  quota_exceeded: {
    status: 429,
    title: "Not enough credits",
    when: "The request costs more credits than are left this month. `Retry-After` is the number of seconds until credits reset.",
    details: ["limit", "used", "remaining", "resetAt"],
    from: "operations",
  },
  client_closed_request: {
    status: 499,
    title: "The client closed the connection",
    when: "The client disconnected before the response started. Nothing is charged. Only the event `operation.failed` has this code.",
    from: "named",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    when: "Something failed on our side. You can safely retry the request.",
    from: "every route",
  },
  encryption_failed: {
    status: 500,
    title: "The encryption could not be verified",
    when: "The encrypted file was opened again and failed verification. Nothing was sent.",
    from: "named",
  },
  redaction_failed: {
    status: 500,
    title: "The redaction could not be verified",
    when: "A match was still found in the redacted file, or text that should stay has moved or is lost. Nothing was sent.",
    from: "named",
  },
  ocr_failed: {
    status: 500,
    title: "Text recognition failed",
    when: "Recognition failed on the page in `page`.",
    details: ["page"],
    from: "named",
  },
  overloaded: {
    status: 503,
    title: "The service is overloaded",
    when: "There was not enough memory for the request. `Retry-After` is the number of seconds to wait.",
    from: "operations",
  },
  browser_unavailable: {
    status: 501,
    title: "This service has no browser",
    when: "`engine=browser`, or a parameter that only a browser has, was sent to a service without one. `docs/conversion.md` describes how its operator adds one.",
    details: ["input"],
    from: "named",
  },
  browser_failed: {
    status: 503,
    title: "The browser did not finish the document",
    when: "The browser could not be reached, stopped responding, or ended while it printed the document. `Retry-After` is the number of seconds to wait.",
    from: "named",
  },
  office_unavailable: {
    status: 501,
    title: "This service has no office converter",
    when: "`engine=office`, or a parameter that only an office converter has, was sent to a service without one. `docs/self-hosting.md` describes how its operator adds one.",
    details: ["input"],
    from: "named",
  },
  office_failed: {
    status: 503,
    title: "The office converter did not convert the document",
    when: "The converter could not be reached, took too long, failed, or returned a file that is not a usable PDF. `Retry-After` is the number of seconds to wait.",
    from: "named",
  },
  encryption_unavailable: {
    status: 503,
    title: "The cipher is not available",
    when: "The service cannot use this cipher. The file is never sent unencrypted instead.",
    from: "named",
  },
} as const satisfies Record<RefusalCode, ErrorRow> & Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** The rows with a common type, for iterating over the table. */
export const errorRows: readonly (readonly [ErrorCode, ErrorRow])[] = Object.entries(errorTable).map(
  ([code, row]) => [code as ErrorCode, row] as const,
);
