import { hashToken, newId, newToken, shardOfAccount } from "../accounts/token.ts";

/** A key that no row has yet, and what its row holds of it. */
export async function newKey(account: string, livemode: boolean, now: Date) {
  const token = newToken(livemode, shardOfAccount(account) ?? 0);
  const [id, hash] = [newId("key"), await hashToken(token)];
  return { token, row: { id, hash, lastFour: token.slice(-4), createdAt: now, revokedAt: null } };
}
