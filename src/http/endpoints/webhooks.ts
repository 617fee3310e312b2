import { z } from "zod";
import { defineEndpoint } from "./define.ts";
import { webhookParts as parts } from "./webhook-schemas.ts";
import { dateTime } from "../../accounts/api-key-schema.ts";
import { eventTypes } from "../../events/event-types.ts";
import { limits } from "../../limits.ts";
import { formInteger, formText } from "../../operations/definition/values.ts";
import { changeWebhook, deleteWebhook, listWebhooks } from "../../webhooks/manage-webhooks.ts";
import { createWebhook, rotateSecret } from "../../webhooks/subscribe.ts";
import { fetchWebhook, type Webhook } from "../../webhooks/webhook.ts";

const webhookSchema = z
  .object({
    id: z.string().describe("`wh_...`"),
    url: z.string().meta({ format: "uri" }),
    events: z.array(z.enum(eventTypes)),
    description: z.string().nullable(),
    secret: z
      .string()
      .describe(
        "The signing secret, masked except for its last four characters. Returned in full only when it is created or rotated.",
      ),
    previousSecretExpiresAt: dateTime("Until when deliveries are also signed with the previous secret.").nullable(),
    livemode: z.boolean().describe("True for events of live keys, false for events of test keys."),
    active: z.boolean().describe("Whether events are delivered."),
    failingSince: dateTime("Since when all attempts have failed. Null if the last attempt succeeded.").nullable(),
    createdAt: dateTime("ISO 8601, UTC."),
  })
  .meta({ id: "WebhookSubscription" });

const shown = (webhook: Webhook) => ({
  ...webhook,
  events: [...webhook.events],
  previousSecretExpiresAt: webhook.previousSecretExpiresAt?.toISOString() ?? null,
  failingSince: webhook.failingSince?.toISOString() ?? null,
  createdAt: webhook.createdAt.toISOString(),
});

const list = defineEndpoint({
  name: "listWebhooks",
  tag: "Webhooks",
  method: "GET",
  path: "/webhooks",
  summary: "List webhooks",
  description:
    "Returns the webhooks of your account in the mode of the API key you use, newest first. To get the next page, send `nextCursor` as `cursor`. Costs no credits.",
  scope: "webhooks:read",
  status: 200,
  query: z.object({
    limit: formInteger(1, limits.webhooks.subscriptions).describe(
      `The number of webhooks per page. Default: \`${limits.webhooks.subscriptions}\`.`,
    ),
    cursor: formText(200).describe("The `nextCursor` of the previous page."),
  }),
  response: z.object({
    data: z.array(webhookSchema),
    count: z.int().min(0).describe("The number of webhooks in this mode."),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().describe("Null on the last page."),
  }),
  errors: [],
  async handle({ db, caller, now, query }) {
    const { limit = limits.webhooks.subscriptions, cursor } = query;
    const page = await listWebhooks(db, caller, { limit, cursor }, now);
    return { ...page, data: page.data.map(shown) };
  },
});

const create = defineEndpoint({
  name: "createWebhook",
  tag: "Webhooks",
  method: "POST",
  path: "/webhooks",
  summary: "Create a webhook",
  description: `Sends events of the given types, in the mode of the API key you use, to a URL. The response contains the full \`secret\`, which is
shown only once; use it to verify deliveries (Standard Webhooks 1.0).

A delivery succeeds when your endpoint returns a 2xx response within 15 seconds, or within 5 after three timeouts in a row. Redirects are not followed. Failed deliveries are retried after
about 5 seconds, 5 and 30 minutes, and 2, 5, 10, and 10 hours, or later if \`Retry-After\` says so (up to a day). A 410 response, or five
days of failures, deactivates the webhook. An account can have up to ${limits.webhooks.subscriptions} webhooks per mode. Costs no credits.`,
  scope: "webhooks:write",
  status: 201,
  body: z
    .strictObject({
      url: parts.url,
      events: parts.events,
      description: parts.description.optional(),
    })
    .meta({ examples: [{ url: "https://example.com/hooks", events: ["operation.completed", "operation.failed"] }] }),
  response: webhookSchema,
  errors: ["limit_reached"],
  async handle({ db, caller, now, webhooks, body }) {
    return shown(await createWebhook(db, caller, body, webhooks, now));
  },
});

const fetchOne = defineEndpoint({
  name: "getWebhook",
  tag: "Webhooks",
  method: "GET",
  path: "/webhooks/{id}",
  summary: "Get a webhook",
  description: "Returns a webhook of your account in the mode of the API key you use. Costs no credits.",
  scope: "webhooks:read",
  status: 200,
  response: webhookSchema,
  errors: [],
  async handle({ db, caller, now, params }) {
    return shown(await fetchWebhook(db, caller, params.id, now));
  },
});

const change = defineEndpoint({
  name: "updateWebhook",
  tag: "Webhooks",
  method: "PATCH",
  path: "/webhooks/{id}",
  summary: "Update a webhook",
  description: `Changes the given fields. \`events\` replaces the whole list. A new URL is also used for pending deliveries. Deactivating a webhook
cancels its pending deliveries. Costs no credits.`,
  scope: "webhooks:write",
  status: 200,
  body: z
    .strictObject({
      url: parts.url.optional(),
      events: parts.events.optional(),
      description: parts.description.optional(),
      active: z.boolean({ error: "must be true or false" }).optional().describe("Whether events are delivered."),
    })
    .meta({ examples: [{ events: ["key.created", "key.revoked"] }, { active: false }] }),
  response: webhookSchema,
  errors: [],
  async handle({ db, caller, now, webhooks, params, body }) {
    return shown(await changeWebhook(db, caller, params.id, body, webhooks, now));
  },
});

const remove = defineEndpoint({
  name: "deleteWebhook",
  tag: "Webhooks",
  method: "DELETE",
  path: "/webhooks/{id}",
  summary: "Delete a webhook",
  description: "Deletes the webhook and cancels its pending deliveries. Costs no credits.",
  scope: "webhooks:write",
  status: 200,
  response: webhookSchema,
  errors: [],
  async handle({ db, caller, now, params }) {
    return shown(await deleteWebhook(db, caller, params.id, now));
  },
});

const rotate = defineEndpoint({
  name: "rotateWebhookSecret",
  tag: "Webhooks",
  method: "POST",
  path: "/webhooks/{id}/rotate-secret",
  summary: "Rotate the secret of a webhook",
  description: `Returns the new \`secret\`, which is shown only once. For ${limits.webhooks.overlapSeconds / 3_600} hours, deliveries are signed with both the
new and the previous secret. If you rotate again within this time, the oldest secret stops working. Costs no credits.`,
  scope: "webhooks:write",
  status: 200,
  response: webhookSchema,
  errors: [],
  async handle({ db, caller, now, webhooks, params }) {
    return shown(await rotateSecret(db, caller, params.id, webhooks, now));
  },
});

export const webhooks = [list, create, fetchOne, change, remove, rotate];
