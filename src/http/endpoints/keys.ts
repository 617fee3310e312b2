import { z } from "zod";
import { defineEndpoint } from "./define.ts";
import { apiKeySchema } from "../../accounts/api-key-schema.ts";
import { labelPattern } from "../../accounts/label.ts";
import { scopes } from "../../accounts/scopes.ts";
import type { ApiKey } from "../../keys/api-key.ts";
import { issueKey, type IssuedKey, rotateKey } from "../../keys/issue-keys.ts";
import { fetchKey, listKeys, renameKey, revokeKey } from "../../keys/manage-keys.ts";
import { limits } from "../../limits.ts";
import { formInteger, formText } from "../../operations/definition/values.ts";

const issuedKeySchema = z
  .object({
    ...apiKeySchema.shape,
    key: z.string().describe("The full key, `sk_live_...` or `sk_test_...`. It is returned only once and not stored."),
  })
  .meta({ id: "IssuedApiKey" });

function shown(key: ApiKey) {
  return {
    ...key,
    scopes: [...key.scopes],
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
  };
}

const shownOnce = (issued: IssuedKey) => ({ ...shown(issued), key: issued.key });

const nameSchema = z
  .string({ error: (issue) => (issue.input === undefined ? "is required" : "must be a string") })
  .regex(labelPattern, "must be 1 to 100 characters long, without control characters")
  .describe("A name for the key.");

const scopesSchema = z
  .array(z.enum(scopes, { error: `must be one of ${scopes.join(", ")}` }), { error: "must be an array of scopes" })
  .min(1, "must list at least one scope");

const expirySchema = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 date and time with an offset, such as 2027-01-31T00:00:00Z" })
  .transform((text) => new Date(text))
  .meta({ type: "string", format: "date-time" });

/** What a key may manage, and which keys: the same for every route that changes one. */
const reach =
  "The key must belong to the mode of the API key you use, and you can only change keys whose scopes your key has as well.";

const list = defineEndpoint({
  name: "listKeys",
  tag: "Keys",
  method: "GET",
  path: "/keys",
  summary: "List API keys",
  description:
    "Returns the keys of your account in the mode of the API key you use, newest first, including revoked keys. To get the next page, send `nextCursor` as `cursor`. Costs no credits.",
  scope: "keys:manage",
  status: 200,
  query: z.object({
    limit: formInteger(1, limits.keys.page).describe(`The number of keys per page. Default: \`${limits.keys.page}\`.`),
    cursor: formText(200).describe("The `nextCursor` of the previous page."),
  }),
  response: z.object({
    data: z.array(apiKeySchema),
    count: z.int().min(0).describe("The number of keys in this mode, including revoked keys."),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().describe("Null on the last page."),
  }),
  errors: [],
  async handle({ db, caller, query }) {
    const page = await listKeys(db, caller, { limit: query.limit ?? limits.keys.page, cursor: query.cursor });
    return { ...page, data: page.data.map(shown) };
  },
});

const create = defineEndpoint({
  name: "createKey",
  tag: "Keys",
  method: "POST",
  path: "/keys",
  summary: "Create an API key",
  description: `Returns the full key, which is shown only once. The new key cannot do more than the key you use: it has no
additional scopes and expires no later, and a test key cannot create live keys. An account can have up to ${limits.keys.usable} active keys per mode. Costs no credits.`,
  scope: "keys:manage",
  status: 201,
  body: z
    .strictObject({
      name: nameSchema,
      livemode: z
        .boolean({ error: "must be true or false" })
        .optional()
        .describe("Default: the mode of the API key you use. A live key can also create test keys."),
      scopes: scopesSchema.optional().describe("Must be scopes of the API key you use. Default: all of them."),
      expiresAt: expirySchema
        .nullable()
        .optional()
        .describe(
          "Must be in the future and not later than the expiry of the API key you use, which is the default. Null for a key that never expires.",
        ),
    })
    .meta({ examples: [{ name: "Deployment" }, { name: "Invoice worker", scopes: ["pdf:read", "pdf:write"] }] }),
  response: issuedKeySchema,
  errors: ["limit_reached"],
  async handle({ db, caller, now, enqueue, body }) {
    return shownOnce(await issueKey(db, caller, body, now, enqueue));
  },
});

const fetchOne = defineEndpoint({
  name: "getKey",
  tag: "Keys",
  method: "GET",
  path: "/keys/{id}",
  summary: "Get an API key",
  description: "Returns a key of your account in the mode of the API key you use. Costs no credits.",
  scope: "keys:manage",
  status: 200,
  response: apiKeySchema,
  errors: [],
  async handle({ db, caller, params }) {
    return shown(await fetchKey(db, caller, params.id));
  },
});

const rename = defineEndpoint({
  name: "renameKey",
  tag: "Keys",
  method: "PATCH",
  path: "/keys/{id}",
  summary: "Rename an API key",
  description: `Changes the name of a key. ${reach} Costs no credits.`,
  scope: "keys:manage",
  status: 200,
  body: z.strictObject({ name: nameSchema }).meta({ examples: [{ name: "Invoice worker, Vienna" }] }),
  response: apiKeySchema,
  errors: [],
  async handle({ db, caller, params, body }) {
    return shown(await renameKey(db, caller, params.id, body.name));
  },
});

const revoke = defineEndpoint({
  name: "revokeKey",
  tag: "Keys",
  method: "DELETE",
  path: "/keys/{id}",
  summary: "Revoke an API key",
  description: `Requests with the key fail immediately. A key can revoke itself. Revoked keys stay in the list, with \`revokedAt\`. ${reach}
Costs no credits.`,
  scope: "keys:manage",
  status: 200,
  response: apiKeySchema,
  errors: [],
  async handle({ db, caller, now, enqueue, params }) {
    return shown(await revokeKey(db, caller, params.id, now, enqueue));
  },
});

const rotate = defineEndpoint({
  name: "rotateKey",
  tag: "Keys",
  method: "POST",
  path: "/keys/{id}/rotate",
  summary: "Rotate an API key",
  description: `Creates a key with the same name, scopes, and \`expiresAt\`, and returns it in full, which happens only once. The old key
works for another \`gracePeriodSeconds\`, or until it expires. If you rotate the old key again in the meantime, that new key expires with it.
You cannot rotate revoked or expired keys, or keys that expire later than the key you use. ${reach} Costs no credits.`,
  scope: "keys:manage",
  status: 201,
  body: z
    .strictObject({
      gracePeriodSeconds: z
        .int({ error: "must be a whole number" })
        .min(0, "must be at least 0")
        .max(limits.keys.graceSeconds, `must be at most ${limits.keys.graceSeconds}`)
        .default(86_400)
        .describe("How many seconds the old key continues to work."),
    })
    .meta({ examples: [{ gracePeriodSeconds: 3_600 }, {}] }),
  response: issuedKeySchema,
  errors: ["limit_reached"],
  async handle({ db, caller, now, enqueue, params, body }) {
    return shownOnce(await rotateKey(db, caller, params.id, body.gracePeriodSeconds, now, enqueue));
  },
});

export const keys = [list, create, fetchOne, rename, revoke, rotate];
