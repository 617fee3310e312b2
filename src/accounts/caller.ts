import { isPlanName, type PlanName } from "./plans.ts";
import { scopes as allScopes, type Scope } from "./scopes.ts";
import { sameHash } from "./token.ts";
import type { apiKeys } from "../db/schema.ts";

/** Who a request acts for. */
export interface Caller {
  readonly account: string;
  readonly plan: PlanName;
  /** The id of the key, `key_...`. */
  readonly key: string;
  readonly livemode: boolean;
  readonly scopes: readonly Scope[];
  /** When the key expires: nothing that it makes may outlive it. */
  readonly expiresAt: Date | null;
}

/** Why a key is not accepted: made up or unknown, revoked, or past its `expiresAt`. */
export type Rejection = "bad" | "revoked" | "expired";

export type Authentication =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly reason: Rejection };

/** Who a key that was looked up by its hash acts for, if it is good. */
export function callerOf(
  found: { readonly key: typeof apiKeys.$inferSelect; readonly plan: string } | undefined,
  hash: string,
  now: Date,
): Authentication {
  // The index was asked for 256 bits that nobody can choose; what decides is this comparison, which takes the same time always.
  if (found === undefined || !sameHash(found.key.hash, hash)) return { ok: false, reason: "bad" };
  const { key, plan } = found;
  if (key.revokedAt !== null) return { ok: false, reason: "revoked" };
  if (key.expiresAt !== null && key.expiresAt <= now) return { ok: false, reason: "expired" };
  // A plan that this version does not know is a fault of the deployment, not of the client: no 401.
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
