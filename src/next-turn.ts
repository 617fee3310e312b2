/**
 * Resolves after all other ready work has run. workerd looks for new requests only when no promise is left to resolve. A copy from one local binding
 * to another always has one, so it has to yield.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 0);
  return promise;
}
