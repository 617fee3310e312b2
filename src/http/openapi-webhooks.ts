import { sentSchema } from "./openapi-endpoints.ts";
import type { Json } from "./openapi-responses.ts";
import { eventBodies, eventTypes } from "../webhooks/event-types.ts";

const signature: Json = {
  "webhook-id": "The event's id: the same in every attempt, and in a replay.",
  "webhook-timestamp":
    "When the attempt was made, in seconds since 1970. Refuse one that is more than five minutes off.",
  "webhook-signature":
    "`v1,` and the base64 of an HMAC-SHA256 over `id.timestamp.body`, under the subscription's secret. Two of them, with a space between, for a day after a rotation.",
};

const parameters: readonly Json[] = Object.entries(signature).map(([name, description]) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
}));

/** The section `webhooks` of OpenAPI 3.1: what is sent to subscribers, by type. */
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
            "2XX": { description: "Taken." },
            "410": { description: "No more of these: the subscription is deactivated." },
            default: {
              description:
                "Failed, as redirections and a response that takes longer than 15 seconds are: it is sent again later.",
            },
          },
        },
      },
    ]),
  );
}
