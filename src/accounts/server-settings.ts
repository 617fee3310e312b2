import { eq } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { serverSettings } from "../db/schema.ts";

export type SettingName =
  /** `checkOf` the server's secret. */
  | "secret check"
  /** The account and the key of a server with one account, by their IDs. */
  | "single account"
  | "single key";

/** A setting of the server; undefined if it is not set. `db`: the first database. */
export async function settingOf(db: Database, name: SettingName): Promise<string | undefined> {
  const [row] = await db.select().from(serverSettings).where(eq(serverSettings.name, name));
  return row?.value;
}

/** The statement that sets it. */
export const setSetting = (db: Database, name: SettingName, value: string) =>
  db.insert(serverSettings).values({ name, value }).onConflictDoUpdate({ target: serverSettings.name, set: { value } });
