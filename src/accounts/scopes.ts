/** What a key may do: the operations (`pdf:*`) and the account's own routes. */
export const scopes = [
  "pdf:read",
  "pdf:write",
  "files:read",
  "files:write",
  "keys:manage",
  "webhooks:read",
  "webhooks:write",
  "billing:read",
] as const;

export type Scope = (typeof scopes)[number];
