import { z } from "zod";
import { jobSchema } from "./job-schema.ts";
import { apiKeySchema, dateTime } from "../accounts/api-key-schema.ts";
import { planNames } from "../accounts/plans.ts";

/** All event types that a webhook can have. */
export const eventTypes = [
  "operation.completed",
  "operation.failed",
  "job.succeeded",
  "job.partial",
  "job.failed",
  "job.canceled",
  "usage.warning_80",
  "usage.limit_reached",
  "key.created",
  "key.revoked",
  "webhook.test",
] as const;

export type EventType = (typeof eventTypes)[number];

const livemode = z.boolean().describe("True for live keys, false for test keys.");

/** Null if the isolate that did the work was lost, and the value with it. */
const measured = (description: string) => z.int().min(0).nullable().describe(`${description} Null if unknown.`);

const operation = {
  operation: z.string().describe("The name of the operation, such as `merge`."),
  requestId: z.string().describe("The `X-Request-Id` of the request."),
  credits: z
    .int()
    .min(0)
    .describe("The credits charged. 0 if they were refunded, or for a retry of a charged request."),
  durationMilliseconds: measured("From the arrival of the request to the last byte of the response."),
  inputBytes: measured("The size of the request body."),
  outputBytes: measured("The number of response bytes sent."),
  pageCount: measured("The number of pages of the resulting PDF."),
  livemode,
};

const usage = {
  plan: z.enum(planNames),
  limit: z.int().min(0).describe("The credits of the period."),
  used: z.int().min(0).describe("The credits charged in the period, including those reserved for running requests."),
  currentPeriodStart: dateTime("The start of the period."),
  currentPeriodEnd: dateTime("The start of the next period."),
  livemode,
};

/** `data` of each type, without `sequence`. Never any document content. */
const data = {
  "operation.completed": z.object({
    ...operation,
    status: z.literal(200),
    code: z.null(),
  }),
  "operation.failed": z.object({
    ...operation,
    status: z.int().describe("The HTTP status. If the response broke off, the status of the error that caused it."),
    code: z.string().describe("The error code, as in the response."),
  }),
  "job.succeeded": jobSchema,
  "job.partial": jobSchema,
  "job.failed": jobSchema,
  "job.canceled": jobSchema,
  "usage.warning_80": z.object(usage),
  "usage.limit_reached": z.object(usage),
  "key.created": apiKeySchema,
  "key.revoked": apiKeySchema,
  "webhook.test": z.object({ webhook: z.string().describe("The ID of the webhook, `wh_...`."), livemode }),
} satisfies Record<EventType, z.ZodObject>;

/** `data` of a type, without `sequence`. */
export type EventData<Type extends EventType> = z.infer<(typeof data)[Type]>;

const descriptions: Record<EventType, string> = {
  "operation.completed":
    "An operation succeeded. Emitted when the response has been sent or the client has disconnected. If the service was interrupted, it is emitted about 15 minutes later.",
  "operation.failed":
    "An operation failed after its credits were reserved. They were released or refunded, unless a page that cannot be drawn broke off a streamed response; `credits` is what was charged. Requests that are rejected earlier (authentication, parameters, quota) emit no event. If the response broke off, a retry with the same `Idempotency-Key` may have kept the charge. This event can follow an `operation.completed` with the same `requestId`; the higher sequence counts. If the service was interrupted, it is emitted about 15 minutes later with `internal_error`.",
  "job.succeeded": "A job is finished, and its result can be fetched.",
  "job.partial": "A job is finished without the pages that failed, which `pageErrors` lists.",
  "job.failed": "A job failed, and `error` says why. Its credits were released.",
  "job.canceled": "A job was canceled. `credits.charged` covers the pages that were done by then.",
  "usage.warning_80": "80% of the credits of the period are used or reserved. Emitted once per period and mode.",
  "usage.limit_reached":
    "All credits of the period are used or reserved, or a request was rejected because it costs more than is left. Emitted once per period and mode.",
  "key.created": "An API key was created, or it replaces a rotated key.",
  "key.revoked":
    "An API key was revoked or rotated. After a rotation, `revokedAt` is null and the key works until `expiresAt`; no event is emitted when it expires.",
  "webhook.test": "Requested with `POST /webhooks/{id}/test`. Sent to that webhook only.",
};

const sequence = z
  .int()
  .min(1)
  .describe(
    "The number of the event in the order in which the events of the account happened, across modes and types. Deliveries can arrive in another order.",
  );

function bodyOf<Type extends EventType>(type: Type) {
  return z
    .object({
      type: z.literal(type),
      timestamp: dateTime("When the event happened. ISO 8601, UTC."),
      data: z.object({ ...data[type].shape, sequence }),
    })
    .meta({ description: descriptions[type] });
}

/** The body of a delivery, by type (Standard Webhooks 1.0). */
export const eventBodies: Readonly<Record<EventType, z.ZodObject>> = {
  "operation.completed": bodyOf("operation.completed"),
  "operation.failed": bodyOf("operation.failed"),
  "usage.warning_80": bodyOf("usage.warning_80"),
  "usage.limit_reached": bodyOf("usage.limit_reached"),
  "job.succeeded": bodyOf("job.succeeded"),
  "job.partial": bodyOf("job.partial"),
  "job.failed": bodyOf("job.failed"),
  "job.canceled": bodyOf("job.canceled"),
  "key.created": bodyOf("key.created"),
  "key.revoked": bodyOf("key.revoked"),
  "webhook.test": bodyOf("webhook.test"),
};
