import { z } from "zod";
import { scopes } from "./scopes.ts";

const dateTime = (description: string) => z.string().meta({ format: "date-time", description });

/** An API key as the routes answer it and as events tell of it (SPEC.md, ApiKey). */
export const apiKeySchema = z
  .object({
    id: z.string().describe("`key_...`"),
    name: z.string(),
    livemode: z.boolean().describe("Whether it is a live key; otherwise a test key."),
    scopes: z.array(z.enum(scopes)),
    lastFour: z.string().describe("The last four characters of the key."),
    createdAt: dateTime("ISO 8601, UTC."),
    expiresAt: dateTime("The instant from which on the key is refused; null: never.").nullable(),
    revokedAt: dateTime("Null while the key is not revoked.").nullable(),
  })
  .meta({ id: "ApiKey" });
