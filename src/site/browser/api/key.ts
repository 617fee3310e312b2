/** The key is kept in this tab's session storage and nowhere else. */
const NAME = "api-key";
const KEY = /^sk_(live|test)_\w+$/;

let listeners: (() => void)[] = [];

/**
 * Reads the key from `#key=sk_...`, which `npm start` prints. A fragment is never sent to a server, and this removes it from
 * the address bar and the history at once.
 */
export function takeKeyFromAddress(): void {
  const key = /^#key=([^&]+)/.exec(location.hash)?.[1];
  if (key === undefined) return;
  history.replaceState(null, "", location.pathname);
  // On other hosts, a link must not replace the user's own key.
  if (KEY.test(key) && (currentKey() === "" || location.hostname === "localhost")) setKey(key);
}

export function currentKey(): string {
  return sessionStorage.getItem(NAME) ?? "";
}

/** Stores the key; an empty one removes it. */
export function setKey(key: string): void {
  if (key === "") sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, key);
  for (const listener of listeners) listener();
}

export function onKeyChange(listener: () => void): () => void {
  listeners = [...listeners, listener];
  return () => {
    listeners = listeners.filter((one) => one !== listener);
  };
}

export const looksLikeKey = (text: string): boolean => KEY.test(text);

/** Enough to tell keys apart, and no more. */
export function maskedKey(key: string): string {
  return `${key.slice(0, 8)}…${key.slice(-4)}`;
}
