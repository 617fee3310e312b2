import { z } from "zod";
import { defineEndpoint } from "./define.ts";
import { dateTime } from "./webhook-schemas.ts";
import { limits } from "../../limits.ts";
import { formInteger, formText } from "../../operations/values.ts";
import { replay as replayDelivery, sendTest } from "../../webhooks/asked-deliveries.ts";
import { attemptErrors } from "../../webhooks/deliver.ts";
import { type Delivery, deliveryStates, listDeliveries } from "../../webhooks/deliveries.ts";
import { eventTypes } from "../../webhooks/event-types.ts";

const attemptSchema = z.object({
  attempt: z
    .int()
    .min(1)
    .describe("1 for the first. A number is missing where the service was lost in the middle of it."),
  startedAt: dateTime("ISO 8601, UTC."),
  durationMilliseconds: z.int().min(0),
  status: z.int().nullable().describe("HTTP status of the answer; null where none began."),
  error: z
    .enum(attemptErrors)
    .nullable()
    .describe(
      "Why it failed, beside the status: `target_refused` (the URL is not allowed any more), `unreachable`, `timeout` (no complete response in time: 15 seconds, or 5 after three time-outs in a row), `broken_answer`, `secret_unreadable` (rotate the secret).",
    ),
  answer: z.string().nullable().describe("The first kilobyte of the answer's body, as text."),
});

const deliverySchema = z
  .object({
    id: z.string().describe("`evt_....wh_...`"),
    event: z.string().describe("`evt_...`, the `webhook-id` of every attempt."),
    type: z.enum(eventTypes),
    state: z
      .enum(deliveryStates)
      .describe(
        "`pending` until an attempt succeeds (`succeeded`), the last one fails (`exhausted`) or the subscription is deactivated (`cancelled`).",
      ),
    nextAttemptAt: dateTime("When the next attempt is due; null where there is none.").nullable(),
    createdAt: dateTime("ISO 8601, UTC."),
    finishedAt: dateTime("When it left `pending`.").nullable(),
    attempts: z.array(attemptSchema).describe("Those that have ended, in their order."),
  })
  .meta({ id: "WebhookDelivery" });

const shown = (delivery: Delivery) => ({
  ...delivery,
  nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  createdAt: delivery.createdAt.toISOString(),
  finishedAt: delivery.finishedAt?.toISOString() ?? null,
  attempts: delivery.attempts.map((attempt) => ({ ...attempt, startedAt: attempt.startedAt.toISOString() })),
});

const asked = `At most ${limits.webhooks.askedPerMinute} tests and replays a minute are taken from an account. Costs no credits.`;

const test = defineEndpoint({
  name: "testWebhook",
  tag: "Webhooks",
  method: "POST",
  path: "/webhooks/{id}/test",
  summary: "Send a test event",
  description: `A \`webhook.test\` is sent to this subscription, whether it asks for that type or not. The answer does not wait for it: look at the
deliveries. ${asked}`,
  scope: "webhooks:write",
  status: 201,
  answer: deliverySchema,
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
  summary: "List a webhook's deliveries",
  description:
    "What was sent or is to be sent to the subscription in the last 30 days, newest first, with every attempt. Costs no credits. For the next page send `nextCursor` as `cursor`.",
  scope: "webhooks:read",
  status: 200,
  query: z.object({
    limit: formInteger(1, limits.webhooks.page).describe(
      `Deliveries of a page; ${limits.webhooks.page} where it is not given.`,
    ),
    cursor: formText(200).describe("`nextCursor` of the page before."),
  }),
  answer: z.object({
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
  summary: "Send a delivery again",
  description: `The same event under the same \`webhook-id\`, whatever became of the delivery, and with all retries before it again; one that is
pending is tried now. ${asked}`,
  scope: "webhooks:write",
  status: 200,
  answer: deliverySchema,
  errors: ["webhook_inactive"],
  async handle({ params, ...call }) {
    return shown(await replayDelivery(call, params.id, params.deliveryId));
  },
});

export const deliveries = [test, list, replay];
