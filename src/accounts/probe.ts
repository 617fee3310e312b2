import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";

/** Reads as little as possible. Rejects if the database does not respond, or has no tables. */
export async function probe(db: Database): Promise<void> {
  await db.get(sql`select 1 from accounts limit 1`);
}
