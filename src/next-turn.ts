/**
 * Resolves after everything else that is ready has had its turn. workerd looks for new requests only when no promise is left to resolve: a
 * copy from one local binding to another never gets there, so it has to ask.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 0);
  return promise;
}
