/** Replaces text that stands in a source so often, and no other number of times. Throws where it does not. */
export function replace(text: string, what: string | RegExp, by: string, times: number): string {
  const parts = text.split(what);
  if (parts.length - 1 !== times) {
    throw new Error(`wasm/prepare.ts: expected ${times} of ${String(what)}, found ${parts.length - 1}`);
  }
  return parts.join(by);
}
