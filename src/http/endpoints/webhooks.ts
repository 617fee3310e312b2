import { z } from "zod";
import { dateTime, webhookParts as parts } from "./webhook-schemas.ts";
import { defineEndpoint } from "./define.ts";
import { limits } from "../../limits.ts";
import { formInteger, formText } from "../../operations/values.ts";
import { eventTypes } from "../../webhooks/event-types.ts";
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
      .describe("`whsec_****` and its last four characters; in full where it was just made, and never again."),
    previousSecretExpiresAt: dateTime("Until when the secret before the last rotation signs too.").nullable(),
    livemode: z.boolean().describe("Whether it gets the events of live keys; otherwise those of test keys."),
    active: z.boolean().describe("Whether deliveries are made."),
    failingSince: dateTime("Since when every attempt has failed; null while they succeed.").nullable(),
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
    "The subscriptions of the account in the calling key's mode, newest first. Costs no credits. For the next page send `nextCursor` as `cursor`.",
  scope: "webhooks:read",
  status: 200,
  query: z.object({
    limit: formInteger(1, limits.webhooks.subscriptions).describe(
      `Subscriptions of a page; ${limits.webhooks.subscriptions} where it is not given.`,
    ),
    cursor: formText(200).describe("`nextCursor` of the page before."),
  }),
  answer: z.object({
    data: z.array(webhookSchema),
    count: z.int().min(0).describe("All subscriptions of the mode."),
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
  summary: "Subscribe a URL to events",
  description: `From now on, each event of these types in the calling key's mode is sent to the URL. The answer is the only one that holds
the \`secret\` in full: it verifies what arrives (Standard Webhooks 1.0). An attempt succeeds with a 2xx within 15 seconds, or within
5 after three time-outs in a row; redirections are not followed. After a failure it is sent again: after 5 seconds, 5 and 30 minutes, 2, 5, 10 and 10 hours, a little later at random, and not
before \`Retry-After\` allows (up to a day). A 410, or five days without a success, deactivates the subscription. An account
has at most ${limits.webhooks.subscriptions} a mode. Costs no credits.`,
  scope: "webhooks:write",
  status: 201,
  body: z
    .strictObject({
      url: parts.url,
      events: parts.events,
      description: parts.description.optional(),
    })
    .meta({ examples: [{ url: "https://example.com/hooks", events: ["operation.completed", "operation.failed"] }] }),
  answer: webhookSchema,
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
  summary: "Fetch a webhook",
  description: "A subscription of the account in the calling key's mode. Costs no credits.",
  scope: "webhooks:read",
  status: 200,
  answer: webhookSchema,
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
  summary: "Change a webhook",
  description: `Changes the members that are given. \`events\` replaces the list. Deactivating cancels the deliveries that are pending; a URL is
used from the next attempt on, of older deliveries too. Costs no credits.`,
  scope: "webhooks:write",
  status: 200,
  body: z
    .strictObject({
      url: parts.url.optional(),
      events: parts.events.optional(),
      description: parts.description.optional(),
      active: z.boolean({ error: "must be true or false" }).optional().describe("Whether deliveries are made."),
    })
    .meta({ examples: [{ events: ["key.created", "key.revoked"] }, { active: false }] }),
  answer: webhookSchema,
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
  description:
    "Nothing more is sent, and what is pending is cancelled. The answer shows it a last time. Costs no credits.",
  scope: "webhooks:write",
  status: 200,
  answer: webhookSchema,
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
  summary: "Replace a webhook's secret",
  description: `The answer is the only one that holds the new \`secret\` in full. For ${limits.webhooks.overlapSeconds / 3_600} hours every delivery is
signed with both, so that receivers can change over; rotated again within that time, the oldest ends at once. Costs no credits.`,
  scope: "webhooks:write",
  status: 200,
  answer: webhookSchema,
  errors: [],
  async handle({ db, caller, now, webhooks, params }) {
    return shown(await rotateSecret(db, caller, params.id, webhooks, now));
  },
});

export const webhooks = [list, create, fetchOne, change, remove, rotate];
