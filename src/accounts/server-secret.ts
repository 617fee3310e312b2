import { desc, ne } from "drizzle-orm";
import { type ServerSecrets, unseal } from "./sealed-secret.ts";
import { setSetting, settingOf } from "./server-settings.ts";
import { hex } from "../bytes/hex.ts";
import type { Database } from "../db/client.ts";
import { files, webhooks } from "../db/schema.ts";

const CHECKED = new TextEncoder().encode("pdf-service: the secret of this data");

/** A value by which a secret is recognized, and that does not reveal it: an HMAC of a constant, in hexadecimal. */
export async function checkOf(secret: string): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, CHECKED)));
}

/**
 * Whether the data belongs to one of the secrets. If so, it belongs to the first from now on. Data that has no check yet is new, or of a version that
 * stored none: then the newest webhook and the newest file have to open, if there are any. `databases`: all, the first with the settings.
 */
export async function claimData(
  databases: readonly [Database, ...Database[]],
  secrets: ServerSecrets,
): Promise<boolean> {
  const [first] = databases;
  const stored = await settingOf(first, "secret check");
  const checks = await Promise.all(secrets.map(checkOf));
  const [current = ""] = checks;
  if (stored === undefined ? !(await opensSamples(databases, secrets)) : !checks.includes(stored)) return false;
  if (stored !== current) await setSetting(first, "secret check", current);
  return true;
}

/** Makes the data that of this secret. What others have encrypted stays unreadable. */
export async function forceClaim(db: Database, secret: string): Promise<void> {
  await setSetting(db, "secret check", await checkOf(secret));
}

/** One of them is enough: a webhook may be older than a secret that was lost. */
async function opensSamples(databases: readonly Database[], secrets: ServerSecrets): Promise<boolean> {
  let found = false;
  for (const db of databases) {
    const [webhook] = await db
      .select({ id: webhooks.id, sealed: webhooks.secret })
      .from(webhooks)
      .orderBy(desc(webhooks.createdAt))
      .limit(1);
    const [file] = await db
      .select({ id: files.id, sealed: files.key })
      .from(files)
      .where(ne(files.key, ""))
      .orderBy(desc(files.createdAt))
      .limit(1);
    for (const [purpose, sample] of [["webhook signing secrets", webhook] as const, ["file keys", file] as const]) {
      if (sample === undefined) continue;
      found = true;
      if ((await unseal(secrets, purpose, sample.id, sample.sealed)) !== undefined) return true;
    }
  }
  return !found;
}
