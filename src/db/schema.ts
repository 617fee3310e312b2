import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Who pays: keys, credits and limits belong to an account. Ids are `acct_...`. */
export const accounts = sqliteTable("accounts", {
  id: text().primaryKey(),
  /** For the operator, as given to `npm run account`. */
  name: text().notNull(),
  /** One of `plans` in accounts/plans.ts; text, so that a new plan needs no migration. */
  plan: text().notNull(),
  createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
});

/** API keys, of which only the hash is kept. Ids are `key_...`. */
export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    account: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    livemode: integer({ mode: "boolean" }).notNull(),
    scopes: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    /** SHA-256 of the whole key, lower-case hexadecimal. */
    hash: text().notNull().unique(),
    lastFour: text("last_four").notNull(),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    expiresAt: integer("expires_at", { mode: "timestamp_ms" }),
    revokedAt: integer("revoked_at", { mode: "timestamp_ms" }),
  },
  // For the list of an account's keys, which is kept apart by mode and paged by time.
  (table) => [index("api_keys_account").on(table.account, table.livemode, table.createdAt, table.id)],
);
