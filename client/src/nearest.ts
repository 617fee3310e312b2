/** A name without what people mistake: its case, and how its words are joined. */
const folded = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, "");

/** The name that somebody may have meant, if one is near: a third of the letters may differ, and at least one. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const meant = folded(typed);
  const most = Math.max(1, Math.floor(meant.length / 3));
  const ranked = names
    .filter((name) => Math.abs(folded(name).length - meant.length) <= most)
    .map((name) => [distance(meant, folded(name)), name] as const)
    .sort(([one], [other]) => one - other);
  const [best] = ranked;
  return best && best[0] <= most ? best[1] : undefined;
}

/** How many letters differ, are missing, are too many, or are swapped with the next one (optimal string alignment). */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const change = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      const isSwap = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      const swap = isSwap ? (before[to - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(change, swap, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
