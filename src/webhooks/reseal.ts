import { and, asc, count, eq, isNull, type SQL } from "drizzle-orm";
import { resealed, type ServerSecrets } from "../accounts/sealed-secret.ts";
import type { Database } from "../db/client.ts";
import { webhooks } from "../db/schema.ts";

/** Webhooks per sweep. */
const ROWS = 200;
const MINUTE = 60_000;

/**
 * While the server's secret is being replaced: seals the signing secrets of webhooks, which can live for years, under the current
 * one. Each minute checks the next slice of them and begins again after the last. Returns how many webhooks have changed: none once
 * all are sealed under the current secret.
 */
export async function resealSecrets(db: Database, serverSecrets: ServerSecrets, now: Date): Promise<number> {
  if (serverSecrets.length === 1) return 0;
  const [{ all } = { all: 0 }] = await db.select({ all: count() }).from(webhooks);
  const slices = Math.max(1, Math.ceil(all / ROWS));
  const rows = await db
    .select({ id: webhooks.id, secret: webhooks.secret, previousSecret: webhooks.previousSecret })
    .from(webhooks)
    .orderBy(asc(webhooks.id))
    .limit(ROWS)
    .offset((Math.floor(now.getTime() / MINUTE) % slices) * ROWS);
  let done = 0;
  for (const row of rows) {
    const anew = (sealed: string) => resealed(serverSecrets, "webhook signing secrets", row.id, sealed);
    const secret = await anew(row.secret);
    const previousSecret = row.previousSecret === null ? undefined : await anew(row.previousSecret);
    if (secret === undefined && previousSecret === undefined) continue;
    // Unless its owner has rotated it in the meantime.
    const { meta } = await db
      .update(webhooks)
      .set({ ...(secret !== undefined && { secret }), ...(previousSecret !== undefined && { previousSecret }) })
      .where(and(eq(webhooks.id, row.id), eq(webhooks.secret, row.secret), isPrevious(row.previousSecret)));
    done += meta.changes;
  }
  return done;
}

const isPrevious = (sealed: string | null): SQL =>
  sealed === null ? isNull(webhooks.previousSecret) : eq(webhooks.previousSecret, sealed);
