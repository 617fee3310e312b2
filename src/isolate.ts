/**
 * State of the isolate, which one request leaves for the next. Each part of it is declared where it is used, and all of it is reset here. Values that
 * depend only on the configuration are not state: they may be cached by the configuration.
 */

/** A value that lasts as long as the isolate. */
export interface OfIsolate<T> {
  value: T;
}

const resets: (() => void)[] = [];

/** Declares state of the isolate, which begins as what `begin` returns. For the top level of a module only. */
export function ofIsolate<T>(begin: () => T): OfIsolate<T> {
  const state = { value: begin() };
  resets.push(() => {
    state.value = begin();
  });
  return state;
}

/** Resets the state to that of a new isolate, for tests. No request may be running. */
export function resetIsolate(): void {
  for (const reset of resets) reset();
}
