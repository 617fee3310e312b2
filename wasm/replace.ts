const problems: string[] = [];

/**
 * Replaces text that occurs in a source exactly so often, or at least once. Otherwise `requireAllReplaced` throws. `by` may have
 * `$1` for the first group of a regular expression.
 */
export function replace(text: string, what: string | RegExp, by: string, times: number | "all"): string {
  const pattern = typeof what === "string" ? what : new RegExp(what, `${what.flags.replace("g", "")}g`);
  const found =
    typeof pattern === "string" ? text.split(pattern).length - 1 : Array.from(text.matchAll(pattern)).length;
  if (times === "all" ? found > 0 : found === times) {
    return typeof pattern === "string" ? text.replaceAll(pattern, () => by) : text.replaceAll(pattern, by);
  }
  problems.push(`expected ${times} of ${String(what)}, found ${found}`);
  return text;
}

/** Notes what else does not fit, so that all of it is known at once. */
export function attempt<T>(about: string, edit: () => T): T | undefined {
  try {
    return edit();
  } catch (error) {
    problems.push(`${about}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Throws with all edits that did not fit. */
export function requireAllReplaced(): void {
  if (problems.length > 0)
    throw new Error(`wasm/prepare.ts: ${problems.length} edits do not fit:\n${problems.join("\n")}`);
}
