import { z } from "zod";
import { limits } from "../../limits.ts";
import { eventTypes } from "../../webhooks/event-types.ts";
import { targetIssue } from "../../webhooks/target.ts";

export const dateTime = (description: string) => z.string().meta({ format: "date-time", description });

/** What a subscription is made of. */
export const webhookParts = {
  url: z
    .string({ error: (issue) => (issue.input === undefined ? "is required" : "must be a string") })
    // What no configuration takes is told with the other problems; loopback and the service's own host are known later.
    .check(({ value, issues }) => {
      const message = targetIssue(value, { baseUrl: "http://localhost:0", allowLocal: true });
      if (message !== undefined) issues.push({ code: "custom", input: value, message });
    })
    .meta({ format: "uri" })
    .describe(
      "An https URL on port 443 with a public host name: no IP address, no user name, nothing local or internal, and not this service. Checked again for every delivery.",
    ),
  events: z
    .array(
      z.enum(eventTypes, {
        error: ({ input }) =>
          `${typeof input === "string" ? `"${input.slice(0, 100)}" ` : ""}must be one of ${eventTypes.join(", ")}`,
      }),
      { error: (issue) => (issue.input === undefined ? "is required" : "must be an array of event types") },
    )
    .min(1, "must name at least one event type")
    .max(100, "must have 100 entries at most"),
  description: z
    .string({ error: "must be a string or null" })
    // No half of a surrogate pair, which no database text can hold, and no control characters.
    .regex(
      new RegExp(`^[^\\p{Cc}\\p{Cs}]{0,${limits.webhooks.description}}$`, "u"),
      `must be ${limits.webhooks.description} characters at most, none of them a control character`,
    )
    .nullable()
    .describe("For people; null: none."),
};
