import { z } from "zod";
import { publicUrl } from "./url-schema.ts";
import { oneOf } from "../errors/schema-issues.ts";
import { eventTypes } from "../../events/event-types.ts";
import { limits } from "../../limits.ts";

/** The members of a subscription. */
export const webhookParts = {
  url: publicUrl,
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
