import { z } from "zod";
import { apiKeySchema } from "../accounts/api-key-schema.ts";
import { planNames } from "../accounts/plans.ts";

/** Everything that a subscription can ask for. */
export const eventTypes = [
  "operation.completed",
  "operation.failed",
  "usage.warning_80",
  "usage.limit_reached",
  "key.created",
  "key.revoked",
  "webhook.test",
] as const;

export type EventType = (typeof eventTypes)[number];

const livemode = z.boolean().describe("Whether a live key was used; otherwise a test key.");
const dateTime = (description: string) => z.string().meta({ format: "date-time", description });

/** Null where the instance that did the work was lost, which nobody can ask any more. */
const measured = (description: string) =>
  z.int().min(0).nullable().describe(`${description} Null where it is unknown.`);

const operation = {
  operation: z.string().describe("The operation's name, such as `merge`."),
  requestId: z.string().describe("`X-Request-Id` of the call."),
  credits: z
    .int()
    .min(0)
    .describe("What the call cost: 0 for one that repeated a paid request, or whose credits were given back."),
  durationMilliseconds: measured("From the request's arrival to the last byte of the answer."),
  inputBytes: measured("Bytes of the request's body."),
  outputBytes: measured("Bytes of the answer that were sent: fewer than there are where the caller went away."),
  pageCount: measured("Pages of the PDF in the answer."),
  livemode,
};

const usage = {
  plan: z.enum(planNames),
  limit: z.int().min(0).describe("Credits of the period."),
  used: z.int().min(0).describe("Credits charged in the period, and those set aside for calls at work."),
  currentPeriodStart: dateTime("The first instant of the period."),
  currentPeriodEnd: dateTime("The first instant of the next period."),
  livemode,
};

/** What each type tells: `data` but for `sequence`. Never anything of a document. */
const data = {
  "operation.completed": z.object({
    ...operation,
    status: z.literal(200),
    code: z.null(),
  }),
  "operation.failed": z.object({
    ...operation,
    status: z.int().describe("HTTP status; of an answer that broke off, that of the error which broke it."),
    code: z.string().describe("The error's code, as in the answer."),
  }),
  "usage.warning_80": z.object(usage),
  "usage.limit_reached": z.object(usage),
  "key.created": apiKeySchema,
  "key.revoked": apiKeySchema,
  "webhook.test": z.object({ webhook: z.string().describe("The subscription, `wh_...`."), livemode }),
} satisfies Record<EventType, z.ZodObject>;

/** `data` of a type, without the sequence. */
export type EventData<Type extends EventType> = z.infer<(typeof data)[Type]>;

const descriptions: Record<EventType, string> = {
  "operation.completed":
    "A call of an operation succeeded: told when the last byte of its answer is sent, or when the caller went away before that. Where the instance is lost while it sends, this comes some 15 minutes later.",
  "operation.failed":
    "A call of an operation failed after its credits were set aside. They were given back, unless the document broke off a response that was being streamed: `credits` then says what was charged. A call that is refused earlier (authentication, parameters, quota) is not told of. Where an answer broke off, a repetition under its `Idempotency-Key` may have kept the charge. It can follow an `operation.completed` of the same `requestId`, when that could not be told to the caller after all: the higher sequence holds. Where the instance was lost, this comes some 15 minutes later with `internal_error`.",
  "usage.warning_80": "80 % of the period's credits are used or set aside. Once a period, live and test keys apart.",
  "usage.limit_reached":
    "All credits of the period are used or set aside, or a call was refused because it costs more than are left. Once a period, live and test keys apart.",
  "key.created": "An API key was made, by itself or by rotating another one. It is shown as `GET /keys/{id}` does.",
  "key.revoked":
    "An API key was revoked, or replaced by rotating it: then `revokedAt` is null and it works until `expiresAt`, of which there is no further event. One that is revoked before that is told of again. It is shown as `GET /keys/{id}` does.",
  "webhook.test": "Somebody asked for it, with `POST /webhooks/{id}/test`. It goes to that subscription only.",
};

const sequence = z
  .int()
  .min(1)
  .describe(
    "Counts the account's events in the order in which they happened, those of both modes and of types that were not asked for included: deliveries may arrive in another order.",
  );

function bodyOf<Type extends EventType>(type: Type) {
  return z
    .object({
      type: z.literal(type),
      timestamp: dateTime("When it happened, ISO 8601, UTC."),
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
  "key.created": bodyOf("key.created"),
  "key.revoked": bodyOf("key.revoked"),
  "webhook.test": bodyOf("webhook.test"),
};
