import { sentSchema } from "./endpoints.ts";
import type { Json } from "./responses.ts";
import { eventBodies, eventTypes } from "../../events/event-types.ts";

const signature: Json = {
  "webhook-id": "The ID of the event. It stays the same for every attempt and replay.",
  "webhook-timestamp":
    "The time of the attempt, in seconds since 1970. Reject deliveries that are more than five minutes off.",
  "webhook-signature":
    "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` with the secret of the webhook. For a day after a rotation, two signatures separated by a space.",
};

const parameters: readonly Json[] = Object.entries(signature).map(([name, description]) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
}));

/** The `webhooks` section of OpenAPI 3.1: the events sent to subscribers, by type. */
export function describeWebhooks(schemas: Record<string, Json>): Json {
  return Object.fromEntries(
    eventTypes.map((type) => [
      type,
      {
        post: {
          summary: type,
          description: eventBodies[type].description,
          tags: ["Webhooks"],
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { "application/json": { schema: sentSchema(eventBodies[type], schemas) } },
          },
          responses: {
            "2XX": { description: "Delivered." },
            "410": { description: "The webhook is deactivated." },
            default: {
              description:
                "Failed, as are redirects and responses that take longer than 15 seconds. The delivery is retried later.",
            },
          },
        },
      },
    ]),
  );
}
