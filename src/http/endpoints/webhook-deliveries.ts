import { z } from "zod";
import { defineEndpoint } from "./define.ts";
import { dateTime } from "../../accounts/api-key-schema.ts";
import { eventTypes } from "../../events/event-types.ts";
import { limits } from "../../limits.ts";
import { formInteger, formText } from "../../operations/definition/values.ts";
import { attemptErrors } from "../../outbound/attempt.ts";
import { type Delivery, deliveryStates, listDeliveries } from "../../webhooks/deliveries.ts";
import { replay as replayDelivery, sendTest } from "../../webhooks/test-and-replay.ts";

const attemptSchema = z.object({
  attempt: z
    .int()
    .min(1)
    .describe("The number of the attempt, from 1. A number can be missing if the service was interrupted."),
  startedAt: dateTime("ISO 8601, UTC."),
  durationMilliseconds: z.int().min(0),
  status: z.int().nullable().describe("The HTTP status of the response. Null if there was none."),
  error: z
    .enum(attemptErrors)
    .nullable()
    .describe(
      "Why the attempt failed, other than its status: `target_refused` (the URL is no longer allowed), `unreachable`, `timeout` (no complete response in time: 15 seconds, or 5 after three timeouts in a row), `incomplete_response` (the response broke off), or `secret_unreadable` (rotate the secret).",
    ),
  response: z.string().nullable().describe("The first kilobyte of the response body, as text."),
});

const deliverySchema = z
  .object({
    id: z.string().describe("`evt_....wh_...`"),
    event: z.string().describe("`evt_...`: the ID of the event, sent as `webhook-id`."),
    type: z.enum(eventTypes),
    state: z
      .enum(deliveryStates)
      .describe(
        "`pending`, `succeeded`, `exhausted` (the last attempt failed), or `canceled` (the webhook was deactivated).",
      ),
    nextAttemptAt: dateTime("When the next attempt is due. Null if there is none.").nullable(),
    createdAt: dateTime("ISO 8601, UTC."),
    finishedAt: dateTime("When the delivery left the state `pending`.").nullable(),
    attempts: z.array(attemptSchema).describe("The finished attempts, oldest first."),
  })
  .meta({ id: "WebhookDelivery" });

const shown = (delivery: Delivery) => ({
  ...delivery,
  nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  createdAt: delivery.createdAt.toISOString(),
  finishedAt: delivery.finishedAt?.toISOString() ?? null,
  attempts: delivery.attempts.map((attempt) => ({ ...attempt, startedAt: attempt.startedAt.toISOString() })),
});

const asked = `An account can request up to ${limits.webhooks.askedPerMinute} tests and replays per minute. Costs no credits.`;

const test = defineEndpoint({
  name: "testWebhook",
  tag: "Webhooks",
  method: "POST",
  path: "/webhooks/{id}/test",
  summary: "Send a test event",
  description: `Sends a \`webhook.test\` event to this webhook, whatever its event types. The response does not wait for the delivery; list the
deliveries to see the result. ${asked}`,
  scope: "webhooks:write",
  status: 201,
  response: deliverySchema,
  errors: ["webhook_inactive"],
  async handle({ params, ...call }) {
    return shown(await sendTest(call, params.id));
  },
});

const list = defineEndpoint({
  name: "listWebhookDeliveries",
  tag: "Webhooks",
  method: "GET",
  path: "/webhooks/{id}/deliveries",
  summary: "List the deliveries of a webhook",
  description:
    "Returns the deliveries of the last 30 days with all their attempts, newest first. To get the next page, send `nextCursor` as `cursor`. Costs no credits.",
  scope: "webhooks:read",
  status: 200,
  query: z.object({
    limit: formInteger(1, limits.webhooks.page).describe(
      `The number of deliveries per page. Default: \`${limits.webhooks.page}\`.`,
    ),
    cursor: formText(200).describe("The `nextCursor` of the previous page."),
  }),
  response: z.object({
    data: z.array(deliverySchema),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().describe("Null on the last page."),
  }),
  errors: [],
  async handle({ db, caller, params, query }) {
    const { limit = limits.webhooks.page, cursor } = query;
    const page = await listDeliveries(db, caller, params.id, { limit, cursor });
    return { ...page, data: page.data.map(shown) };
  },
});

const replay = defineEndpoint({
  name: "replayWebhookDelivery",
  tag: "Webhooks",
  method: "POST",
  path: "/webhooks/{id}/deliveries/{deliveryId}/replay",
  summary: "Replay a delivery",
  description: `Sends the event again with the same \`webhook-id\`, whatever the state of the delivery, and with all retries if it fails. A pending delivery
is sent now. ${asked}`,
  scope: "webhooks:write",
  status: 200,
  response: deliverySchema,
  errors: ["webhook_inactive"],
  async handle({ params, ...call }) {
    return shown(await replayDelivery(call, params.id, params.deliveryId));
  },
});

export const deliveries = [test, list, replay];
