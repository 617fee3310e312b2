/** The key lives in this tab's session storage and nowhere else. */
const NAME = "api-key";
const KEY = /^sk_(live|test)_\w+$/;

let listeners: (() => void)[] = [];

/**
 * Takes the key out of `#key=sk_...`, which `npm start` prints: a fragment is not sent to any server, and here it leaves the address
 * bar and the history at once.
 */
export function takeKeyFromAddress(): void {
  const key = /^#key=([^&]+)/.exec(location.hash)?.[1];
  if (key === undefined) return;
  history.replaceState(null, "", location.pathname);
  // Elsewhere a link must not put another key in the place of one's own.
  if (KEY.test(key) && (currentKey() === "" || location.hostname === "localhost")) setKey(key);
}

export function currentKey(): string {
  return sessionStorage.getItem(NAME) ?? "";
}

/** Keeps a key, or forgets it where it is empty. */
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
