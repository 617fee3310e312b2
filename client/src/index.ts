export type { FileInput, FileSource } from "./body.ts";
export { type FailureCode, type FieldIssue, PdfServiceError } from "./errors.ts";
export type { ErrorCode } from "./error-codes.ts";
export * from "./generated.ts";
export { PdfService, type UploadOptions } from "./service.ts";
export { PipelineResult, type StepFacts } from "./pipeline.ts";
export { FileResult, type JsonResult } from "./result.ts";
export type { CallOptions, ClientOptions } from "./transport.ts";
export { type VerifyOptions, verifyWebhook, WebhookVerificationError } from "./webhook.ts";
