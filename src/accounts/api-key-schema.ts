import { z } from "zod";
import { scopes } from "./scopes.ts";

/** A date and time in a response. */
export const dateTime = (description: string) => z.string().meta({ format: "date-time", description });

/** An API key in responses and events. */
export const apiKeySchema = z
  .object({
    id: z.string().describe("`key_...`"),
    name: z.string(),
    livemode: z.boolean().describe("True for live keys, false for test keys."),
    scopes: z.array(z.enum(scopes)),
    lastFour: z.string().describe("The last four characters of the key."),
    createdAt: dateTime("ISO 8601, UTC."),
    expiresAt: dateTime("When the key expires. Null if it never expires.").nullable(),
    revokedAt: dateTime("When the key was revoked. Null if it was not revoked.").nullable(),
  })
  .meta({ id: "ApiKey" });
