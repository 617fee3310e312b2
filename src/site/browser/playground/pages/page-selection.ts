/** The pages (from 1) of one item of a range; undefined if it names none of this document. */
function pagesOfItem(item: string, pageCount: number): number[] | undefined {
  const all = between(1, pageCount);
  if (item === "all") return all;
  if (item === "odd" || item === "even") return all.filter((page) => page % 2 === (item === "odd" ? 1 : 0));
  const tail = /^last(?:-(\d+))?$/.exec(item);
  if (tail) {
    const count = Number(tail[1] ?? 1);
    return count >= 1 && count <= pageCount ? all.slice(-count) : undefined;
  }
  const span = /^(\d+)(?:-(\d+|end))?$/.exec(item);
  if (span === null) return undefined;
  const from = Number(span[1]);
  const to = span[2] === "end" ? pageCount : Number(span[2] ?? from);
  return Math.min(from, to) >= 1 && Math.max(from, to) <= pageCount ? between(from, to) : undefined;
}

/** The pages (from 1) that a range names, in its order; undefined if it is not valid for this document. */
export function pagesIn(text: string, pageCount: number): number[] | undefined {
  const items = text.replaceAll(/\s/g, "").split(",");
  let pages = items[0]?.startsWith("!") ? between(1, pageCount) : [];
  for (const item of items) {
    const leavesOut = item.startsWith("!");
    const named = pagesOfItem(leavesOut ? item.slice(1) : item, pageCount);
    if (named === undefined) return undefined;
    const out = new Set(leavesOut ? named : []);
    pages = leavesOut ? pages.filter((page) => !out.has(page)) : [...pages, ...named];
  }
  return pages.length === 0 ? undefined : pages;
}

/** The range of pages in this order, as short as it can be written: `3,1-2`, `5-3`. */
export function textOf(pages: readonly number[]): string {
  const items: string[] = [];
  let start = 0;
  while (start < pages.length) {
    const first = pages[start] ?? 0;
    const step = pages[start + 1] === first - 1 ? -1 : 1;
    let end = start;
    while (pages[end + 1] === (pages[end] ?? 0) + step) end += 1;
    items.push(end === start ? String(first) : `${first}-${pages[end]}`);
    start = end + 1;
  }
  return items.join(",");
}

/** The range of a set of pages. */
export function textOfSet(pages: ReadonlySet<number>, pageCount: number): string {
  return pages.size === pageCount ? "all" : textOf([...pages].toSorted((a, b) => a - b));
}

/** All pages from one to another, in either direction. */
export const between = (from: number, to: number): number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + (to < from ? -index : index));

/** The pages with which parts begin, if the groups are the document cut into parts; undefined otherwise. */
export function cutsIn(text: string, pageCount: number): number[] | undefined {
  if (text.trim() === "") return [1];
  const parts = text.split("|").map((part) => pagesIn(part, pageCount));
  const all = parts.flatMap((part) => part ?? [0]);
  const isWhole = all.length === pageCount && all.every((page, index) => page === index + 1);
  return isWhole ? parts.map((part) => part?.[0] ?? 1) : undefined;
}

/** The document cut before these pages. */
export function textOfCuts(cuts: readonly number[], pageCount: number): string {
  const starts = [...new Set([1, ...cuts])].toSorted((a, b) => a - b);
  return starts
    .map((start, index) => {
      const end = (starts[index + 1] ?? pageCount + 1) - 1;
      return start === end ? String(start) : `${start}-${end}`;
    })
    .join("|");
}
