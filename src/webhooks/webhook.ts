import { and, eq, type SQL } from "drizzle-orm";
import type { UrlPolicy } from "../public-url.ts";
import type { Caller } from "../accounts/caller.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import type { ServerSecrets } from "../accounts/sealed-secret.ts";
import type { Database } from "../db/client.ts";
import { webhooks } from "../db/schema.ts";
import { type EventType, eventTypes } from "../events/event-types.ts";

/** A webhook as its owner sees it. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description: string | null;
  /** `whsec_****` and the last four characters. The full secret is only in the response that creates it. */
  readonly secret: string;
  /** When the previous secret stops signing; null if there is none. */
  readonly previousSecretExpiresAt: Date | null;
  readonly livemode: boolean;
  readonly active: boolean;
  /** The time since which every attempt has failed; null if the last one succeeded. */
  readonly failingSince: Date | null;
  readonly createdAt: Date;
}

/** The visible columns. The secrets are not among them. */
export const shownColumns = {
  id: webhooks.id,
  url: webhooks.url,
  events: webhooks.events,
  description: webhooks.description,
  secretLastFour: webhooks.secretLastFour,
  previousSecretExpiresAt: webhooks.previousSecretExpiresAt,
  livemode: webhooks.livemode,
  active: webhooks.active,
  failingSince: webhooks.failingSince,
  createdAt: webhooks.createdAt,
};

type ShownRow = Pick<typeof webhooks.$inferSelect, keyof typeof shownColumns>;

export function webhookOf({ secretLastFour, previousSecretExpiresAt, events, ...row }: ShownRow, now: Date): Webhook {
  return {
    ...row,
    events: eventTypes.filter((type) => events.includes(type)),
    secret: `whsec_****${secretLastFour}`,
    previousSecretExpiresAt:
      previousSecretExpiresAt !== null && previousSecretExpiresAt > now ? previousSecretExpiresAt : null,
  };
}

/** The webhooks visible to a caller: those of its account and mode. Every query about webhooks has this condition. */
export const visibleTo = ({ account, livemode }: Caller): SQL | undefined =>
  and(eq(webhooks.account, account), eq(webhooks.livemode, livemode));

/** The webhook with this ID, if the caller can see it. */
export const visibleAs = (caller: Caller, id: string): SQL | undefined => and(eq(webhooks.id, id), visibleTo(caller));

export const noSuchWebhook = (): AccountRefusal => new AccountRefusal("not_found", "No such webhook.");

/** Throws `not_found` for a webhook of another account or mode exactly as for one that never existed: it is the same query. */
export async function fetchWebhook(db: Database, caller: Caller, id: string, now: Date): Promise<Webhook> {
  const [row] = await db.select(shownColumns).from(webhooks).where(visibleAs(caller, id));
  if (row === undefined) throw noSuchWebhook();
  return webhookOf(row, now);
}

/** The webhook configuration. */
export interface WebhookSettings {
  /** The key that encrypts signing secrets in the database is derived from these. */
  readonly serverSecrets: ServerSecrets;
  readonly endpoints: UrlPolicy;
  /** Seconds from a failed attempt to the next. */
  readonly retrySeconds: readonly number[];
}
