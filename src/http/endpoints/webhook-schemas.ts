import { z } from "zod";
import { oneOf } from "../errors/schema-issues.ts";
import { eventTypes } from "../../events/event-types.ts";
import { limits } from "../../limits.ts";
import { publicUrlIssue } from "../../public-url.ts";

/** The members of a subscription. */
export const webhookParts = {
  url: z
    .string({ error: (issue) => (issue.input === undefined ? "is required" : "must be a string") })
    // URLs that no configuration allows are reported with the other problems; loopback and the service's own host are checked
    // later.
    .check(({ value, issues }) => {
      const message = publicUrlIssue(value, { baseUrl: "http://localhost:0", allowLocal: true });
      if (message !== undefined) issues.push({ code: "custom", input: value, message });
    })
    .meta({ format: "uri" })
    .describe(
      "An HTTPS URL on port 443 with a public host name. IP addresses, credentials, local and internal names, and this service are not allowed.",
    ),
  events: z
    .array(
      z.enum(eventTypes, {
        error: ({ input }) =>
          `${typeof input === "string" ? `is "${input.slice(0, 100)}", but ` : ""}must be ${oneOf(eventTypes)}`,
      }),
    )
    .min(1, "must list at least one event type")
    .max(100, "must have at most 100 items"),
  description: z
    .string({ error: "must be a string or null" })
    // No lone surrogates, which the database cannot store, and no control characters.
    .regex(
      new RegExp(`^[^\\p{Cc}\\p{Cs}]{0,${limits.webhooks.description}}$`, "u"),
      `must be at most ${limits.webhooks.description} characters long, without control characters`,
    )
    .nullable()
    .describe("A note for people."),
};
