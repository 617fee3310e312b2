import { isPlanName, type PlanName } from "./plans.ts";
import { scopes as allScopes, type Scope } from "./scopes.ts";
import { sameHash } from "./token.ts";
import type { apiKeys } from "../db/schema.ts";

/** The account and key that a request acts for. */
export interface Caller {
  readonly account: string;
  readonly plan: PlanName;
  /** The id of the key, `key_...`. */
  readonly key: string;
  readonly livemode: boolean;
  readonly scopes: readonly Scope[];
  /** When the key expires. Keys it creates cannot outlive it. */
  readonly expiresAt: Date | null;
}

/** Why a key is not accepted: malformed or unknown, revoked, or past its `expiresAt`. */
export type Rejection = "bad" | "revoked" | "expired";

export type Authentication =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly reason: Rejection };

/** The caller for a key that was looked up by its hash, or why the key is not accepted. */
export function callerOf(
  found: { readonly key: typeof apiKeys.$inferSelect; readonly plan: string } | undefined,
  hash: string,
  now: Date,
): Authentication {
  // The index lookup is safe because nobody can choose the 256 bits; this constant-time comparison decides.
  if (found === undefined || !sameHash(found.key.hash, hash)) return { ok: false, reason: "bad" };
  const { key, plan } = found;
  if (key.revokedAt !== null) return { ok: false, reason: "revoked" };
  if (key.expiresAt !== null && key.expiresAt <= now) return { ok: false, reason: "expired" };
  // A plan unknown to this version is a fault of the deployment, not of the client: no 401.
  if (!isPlanName(plan)) throw new Error(`account ${key.account} has the unknown plan "${plan}"`);
  return {
    ok: true,
    caller: {
      account: key.account,
      plan,
      key: key.id,
      livemode: key.livemode,
      scopes: allScopes.filter((scope) => key.scopes.includes(scope)),
      expiresAt: key.expiresAt,
    },
  };
}
