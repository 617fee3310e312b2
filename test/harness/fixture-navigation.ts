import type { Draft } from "./fixture-draft.ts";
import { pdfString } from "./pdf-writer.ts";

/** The name under which `destinations` puts a page: in the name tree for all, in the old `/Dests` for the first too. */
export const destinationName = (draft: Draft, index: number): string => `${draft.options.name}.page.${index + 1}`;

/** An explicit destination; the kind of fit varies with the page. */
export function explicitDestination(draft: Draft, index: number): string {
  const { ref } = draft.page(index);
  const fits = [`/XYZ 72 ${700 - (index % 50)} null`, "/Fit", `/FitH ${500 + (index % 50)}`, "/FitR 10 20 300 400"];
  return `[${ref} ${fits[index % fits.length] ?? "/Fit"}]`;
}

/** Named destinations: a name tree of two leaves, and one name in the catalog's old `/Dests` dictionary. */
export function addDestinations(draft: Draft): void {
  // The name `start` is the same in every fixture: what clashes in a merge.
  const names = [
    ...draft.pages.map((_page, index) => ({ name: destinationName(draft, index), index })),
    { name: "start", index: 0 },
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const middle = Math.ceil(names.length / 2);
  const leaves = [names.slice(0, middle), names.slice(middle)].filter((leaf) => leaf.length > 0);
  const kids = leaves.map((leaf) => {
    const entries = leaf.map(({ name, index }) => {
      const explicit = explicitDestination(draft, index);
      // Both forms of ISO 32000-2, 12.3.2.4: an array, or a dictionary with /D.
      return `${pdfString(name)} ${index % 2 === 0 ? explicit : `<< /D ${explicit} >>`}`;
    });
    const limits = `[${pdfString(leaf[0]?.name ?? "")} ${pdfString(leaf.at(-1)?.name ?? "")}]`;
    return draft.add(`<< /Limits ${limits} /Names [${entries.join(" ")}] >>`);
  });
  draft.names.set("Dests", draft.add(`<< /Kids [${kids.join(" ")}] >>`));
  draft.catalog.set("Dests", `<< /old.start ${explicitDestination(draft, 0)} >>`);
}

interface Entry {
  readonly title: string;
  readonly target: string;
  readonly style: number;
  readonly kids: readonly Entry[];
}

/**
 * A nested outline: a chapter for every three pages (an explicit destination), a section for every page below it (a GoTo
 * action, or a named destination where the fixture has them), one heading without a target and one link to the web.
 */
export function addOutline(draft: Draft): void {
  const named = draft.names.has("Dests");
  const chapters: Entry[] = [];
  for (let start = 0; start < draft.pages.length; start += 3) {
    const kids = draft.pages.slice(start, start + 3).map((_page, offset) => {
      const index = start + offset;
      const action = `/A << /S /GoTo /D ${explicitDestination(draft, index)} >>`;
      const target = named && index % 2 === 1 ? `/Dest ${pdfString(destinationName(draft, index))}` : action;
      return {
        title: `Section ${index + 1} \u2013 \u00fcber ${draft.options.name}`,
        target,
        style: index % 4,
        kids: [],
      };
    });
    const title = `Chapter ${start / 3 + 1} of ${draft.options.name}`;
    chapters.push({ title, target: `/Dest ${explicitDestination(draft, start)}`, style: 2, kids });
  }
  const web = { title: "Web", target: "/A << /S /URI /URI (https://example.com/) >>", style: 0, kids: [] };
  const last = draft.pages.length - 1;
  const end = { title: "End", target: `/Dest ${explicitDestination(draft, last)}`, style: 1, kids: [] };
  const heading = { title: "Appendix", target: "", style: 0, kids: [end] };
  const root = draft.reserve();
  const { first, final, count } = writeEntries(draft, root, [...chapters, heading, web]);
  draft.set(root, `<< /Type /Outlines /First ${first} /Last ${final} /Count ${count} >>`);
  draft.catalog.set("Outlines", root);
  draft.catalog.set("PageMode", "/UseOutlines");
}

function writeEntries(
  draft: Draft,
  parent: string,
  entries: readonly Entry[],
): { first: string; final: string; count: number } {
  const refs = entries.map(() => draft.reserve());
  let count = entries.length;
  entries.forEach((entry, index) => {
    const ref = refs[index] ?? "";
    let below = "";
    if (entry.kids.length > 0) {
      const kids = writeEntries(draft, ref, entry.kids);
      // Every second one is closed, which the sign of Count tells.
      const closed = index % 2 === 1;
      if (!closed) count += kids.count;
      below = `/First ${kids.first} /Last ${kids.final} /Count ${closed ? -kids.count : kids.count}`;
    }
    const previous = index > 0 ? `/Prev ${refs[index - 1]}` : "";
    const next = index < refs.length - 1 ? `/Next ${refs[index + 1]}` : "";
    const title = pdfString(entry.title);
    const place = `/Title ${title} /Parent ${parent} ${previous} ${next} ${below}`;
    draft.set(ref, `<< ${place} ${entry.target} /F ${entry.style} >>`);
  });
  return { first: refs[0] ?? "", final: refs.at(-1) ?? "", count };
}
