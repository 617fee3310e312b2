import { z } from "zod";
import { defineEndpoint } from "./define.ts";
import { apiKeySchema } from "../../accounts/api-key-schema.ts";
import type { ApiKey } from "../../accounts/api-key.ts";
import { issueKey, type IssuedKey, rotateKey } from "../../accounts/issue-keys.ts";
import { fetchKey, listKeys, renameKey, revokeKey } from "../../accounts/manage-keys.ts";
import { labelPattern } from "../../accounts/names.ts";
import { scopes } from "../../accounts/scopes.ts";
import { limits } from "../../limits.ts";
import { formInteger, formText } from "../../operations/values.ts";

const issuedKeySchema = z
  .object({
    ...apiKeySchema.shape,
    key: z.string().describe("The full key, `sk_live_...` or `sk_test_...`. It is shown this once and not stored."),
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
  .regex(labelPattern, "must be 1 to 100 characters, none of them a control character")
  .describe("A label for people.");

const scopesSchema = z
  .array(z.enum(scopes, { error: `must be one of ${scopes.join(", ")}` }), { error: "must be an array of scopes" })
  .min(1, "must name at least one scope");

const expirySchema = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 date and time with its offset, such as 2027-01-31T00:00:00Z" })
  .transform((text) => new Date(text))
  .meta({ type: "string", format: "date-time" });

/** What may be done with keys, and with which: the same for every route that changes one. */
const reach =
  "Only keys of the calling key's own mode are seen, and only those changed whose scopes the calling key has all itself.";

const list = defineEndpoint({
  name: "listKeys",
  tag: "Keys",
  method: "GET",
  path: "/keys",
  summary: "List API keys",
  description:
    "The keys of the account in the calling key's mode, newest first, revoked ones included. Costs no credits. For the next page send `nextCursor` as `cursor`; keys that are made meanwhile shift nothing.",
  scope: "keys:manage",
  status: 200,
  query: z.object({
    limit: formInteger(1, limits.keys.page).describe(`Keys of a page; ${limits.keys.page} where it is not given.`),
    cursor: formText(200).describe("`nextCursor` of the page before."),
  }),
  answer: z.object({
    data: z.array(apiKeySchema),
    count: z.int().min(0).describe("All keys of the mode, revoked ones included."),
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
  summary: "Make an API key",
  description: `The answer is the only one that holds the full key. A key can do no more than the one that makes it: not in
another mode, not with more scopes, not for longer. An account has at most ${limits.keys.usable} keys a mode that are neither
revoked nor expired. Costs no credits.`,
  scope: "keys:manage",
  status: 201,
  body: z
    .strictObject({
      name: nameSchema,
      livemode: z
        .boolean({ error: "must be true or false" })
        .optional()
        .describe("The calling key's own mode, which is the default; the other one is 403."),
      scopes: scopesSchema.optional().describe("Those of the calling key where they are not given; others are 403."),
      expiresAt: expirySchema
        .nullable()
        .optional()
        .describe("In the future, not later than that of the calling key, which is the default; null: never."),
    })
    .meta({ examples: [{ name: "Deployment" }, { name: "Invoice worker", scopes: ["pdf:read", "pdf:write"] }] }),
  answer: issuedKeySchema,
  errors: ["limit_reached"],
  async handle({ db, caller, now, announce, body }) {
    return shownOnce(await issueKey(db, caller, body, now, announce));
  },
});

const fetchOne = defineEndpoint({
  name: "getKey",
  tag: "Keys",
  method: "GET",
  path: "/keys/{id}",
  summary: "Fetch an API key",
  description: "A key of the account in the calling key's mode. Costs no credits.",
  scope: "keys:manage",
  status: 200,
  answer: apiKeySchema,
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
  description: `Changes \`name\`, which is all that can change. ${reach} Costs no credits.`,
  scope: "keys:manage",
  status: 200,
  body: z.strictObject({ name: nameSchema }).meta({ examples: [{ name: "Invoice worker, Vienna" }] }),
  answer: apiKeySchema,
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
  description: `It fails on its next request; a key may revoke itself. It stays in the list with its \`revokedAt\`, and revoking it
again changes nothing. ${reach} Costs no credits.`,
  scope: "keys:manage",
  status: 200,
  answer: apiKeySchema,
  errors: [],
  async handle({ db, caller, now, announce, params }) {
    return shown(await revokeKey(db, caller, params.id, now, announce));
  },
});

const rotate = defineEndpoint({
  name: "rotateKey",
  tag: "Keys",
  method: "POST",
  path: "/keys/{id}/rotate",
  summary: "Replace an API key by a new one",
  description: `The new key has the old one's name, scopes and \`expiresAt\`; the answer is the only one that holds it in full. The old
key works until \`gracePeriodSeconds\` are over, or its own expiry if that is earlier: rotated once more within that time, its
successor ends with it. A revoked or expired key is 404; one that expires later than the calling key is 403. ${reach} Costs no
credits.`,
  scope: "keys:manage",
  status: 201,
  body: z
    .strictObject({
      gracePeriodSeconds: z
        .int({ error: "must be a whole number" })
        .min(0, "must be at least 0")
        .max(limits.keys.graceSeconds, `must be at most ${limits.keys.graceSeconds}`)
        .default(86_400)
        .describe("Seconds that the old key goes on working; 0: none."),
    })
    .meta({ examples: [{ gracePeriodSeconds: 3_600 }, {}] }),
  answer: issuedKeySchema,
  errors: ["limit_reached"],
  async handle({ db, caller, now, announce, params, body }) {
    return shownOnce(await rotateKey(db, caller, params.id, body.gracePeriodSeconds, now, announce));
  },
});

export const keys = [list, create, fetchOne, rename, revoke, rotate];
