import { canonical, type FieldNames, type Trace } from "./compare-trace.ts";
import type { DocumentView, OutlineEntry } from "../engines/pdfjs.ts";
import type { Target } from "../engines/pdfjs-page.ts";
import type { Plain } from "../engines/pdfjs-values.ts";

type Views = readonly DocumentView[];

/** Compares what belongs to no page: outline, names, labels, fields, attachments, metadata, encryption, layers. */
export function compareDocument(trace: Trace, names: FieldNames, sources: Views, output: DocumentView): void {
  compareOutline(trace, sources, output);
  compareDestinations(trace, sources, output);
  compareLabels(trace, sources, output);
  compareFields(trace, names, sources, output);
  compareAttachments(trace, sources, output);
  compareLayers(trace, sources, output);
  compareProperties(trace, sources, output);
}

interface ExpectedEntry {
  readonly entry: OutlineEntry;
  readonly source: number;
  /** May be missing: it belongs to no page (a heading, a link to the web) of a document of which pages are gone. */
  readonly optional: boolean;
  /** Its own target is gone; it stays for the sake of what is below it. */
  readonly targetGone: boolean;
  readonly items: readonly ExpectedEntry[];
}

function compareOutline(trace: Trace, sources: readonly DocumentView[], output: DocumentView): void {
  const { kind, outline = "keep", fileNames } = trace.mapping;
  const expect = (entry: OutlineEntry, source: number): ExpectedEntry[] => {
    const items = entry.items.flatMap((item) => expect(item, source));
    const { target } = entry;
    const leads = target !== undefined && target.page !== null;
    const isKept = leads && trace.isKept(source, target.page ?? -1);
    const targetGone = leads && !isKept;
    if (targetGone && items.length === 0) return [];
    const optional = kind === "select" && !isKept && items.every((item) => item.optional);
    return [{ entry, source, optional, targetGone, items }];
  };
  const trees = sources.map((view, source) => view.outline.flatMap((entry) => expect(entry, source)));
  if (outline === "none") {
    compareEntries(trace, [], output.outline, "outline");
  } else if (outline === "keep") {
    compareEntries(trace, trees.flat(), output.outline, "outline");
  } else {
    trace.equal(
      null,
      "outline: one entry for each file",
      fileNames ?? [],
      output.outline.map(({ title }) => title),
    );
    trees.forEach((tree, source) => {
      const top = output.outline[source];
      const page = top?.target?.page ?? -1;
      trace.equal(
        null,
        `outline entry of file ${source} leads to its first page`,
        [source, 0],
        [trace.mapping.pages[page]?.source ?? -1, trace.mapping.pages[page]?.page ?? -1],
      );
      compareEntries(trace, tree, top?.items ?? [], `outline > file ${source}`);
    });
  }
}

const look = ({ bold, italic, color, url, action }: OutlineEntry): string =>
  canonical({ bold, italic, color, url, action });

function compareEntries(
  trace: Trace,
  expected: readonly ExpectedEntry[],
  actual: readonly OutlineEntry[],
  path: string,
): void {
  let at = 0;
  for (const { entry, source, optional, targetGone, items } of expected) {
    const candidate = actual[at];
    const where = `${path} > ${entry.title}`;
    if (candidate?.title !== entry.title) {
      if (!optional) trace.report(null, where, trace.targetText(entry.target), candidate?.title ?? "nothing");
      continue;
    }
    at++;
    if (!targetGone && !trace.leadsToSame(source, entry.target, candidate.target)) {
      trace.report(null, `${where}: target`, trace.targetText(entry.target), trace.targetText(candidate.target));
    }
    if (targetGone && (candidate.target?.page ?? null) !== null) {
      trace.report(null, `${where}: its page is gone`, "no target", trace.targetText(candidate.target));
    }
    trace.equal(null, `${where}: style and action`, look(entry), look(candidate));
    if (items.length > 0 && candidate.items.length > 0) trace.equal(null, `${where}: open`, entry.open, candidate.open);
    compareEntries(trace, items, candidate.items, where);
  }
  for (const extra of actual.slice(at)) {
    trace.report(
      null,
      `${path}: entry that should not be there`,
      "nothing",
      `${extra.title} (${trace.targetText(extra.target)})`,
    );
  }
}

function compareDestinations(trace: Trace, sources: readonly DocumentView[], output: DocumentView): void {
  const targets = [...output.destinations];
  const explained = new Set<string>();
  const taken = new Set<string>();
  sources.forEach((view, source) => {
    for (const [name, target] of view.destinations) {
      const matches = targets.filter(([, actual]) => trace.leadsToSame(source, target, actual));
      if (target.page === null || trace.isKept(source, target.page)) {
        // A later source may find its name taken by an earlier one; its links are compared by where they lead.
        const own = output.destinations.get(name);
        const isRenamed = taken.has(name) && matches.some(([other]) => other !== name);
        const isThere = own !== undefined && trace.leadsToSame(source, target, own);
        if (!isThere && !isRenamed && target.page !== null) {
          trace.report(null, `destination ${name}`, trace.targetText(target), trace.targetText(own));
        }
      }
      for (const [match] of matches) explained.add(match);
    }
    for (const name of view.destinations.keys()) taken.add(name);
  });
  for (const [name, target] of targets) {
    if (!explained.has(name)) trace.report(null, `destination ${name}`, "nothing", trace.targetText(target));
  }
}

function compareLabels(trace: Trace, sources: readonly DocumentView[], output: DocumentView): void {
  trace.mapping.pages.forEach((origin, index) => {
    const expected = sources[origin.source]?.labels?.[origin.page];
    // Without labels a viewer counts from 1.
    const actual = output.labels === null ? String(index + 1) : output.labels[index];
    if (expected !== undefined) {
      trace.equal(index + 1, "page label", expected, actual);
      return;
    }
    // What a page without a label is called among pages with labels is not laid down: its old or its new number.
    const acceptable = ["", String(index + 1), String(origin.page + 1)];
    if (!acceptable.includes(actual ?? "")) trace.report(index + 1, "page label", acceptable, actual);
  });
}

function compareFields(trace: Trace, names: FieldNames, sources: readonly DocumentView[], output: DocumentView): void {
  const explained = new Set<string>();
  const repeats =
    new Set(trace.mapping.pages.map(({ source, page }) => `${source} ${page}`)).size < trace.mapping.pages.length;
  sources.forEach((view, source) => {
    for (const [name, widgets] of view.fields) {
      const given = names.of(source, name);
      const actual = output.fields.get(given) ?? [];
      explained.add(given);
      for (const widget of widgets) {
        const page = pageOf(widget);
        if (page !== undefined && !trace.isKept(source, page)) continue;
        const found = actual.some((candidate) => isSameWidget(trace, source, widget, candidate));
        // A widget whose page pdf.js does not tell may have gone with its page.
        if (!found && !(page === undefined && trace.mapping.kind === "select")) {
          trace.report(
            null,
            `field ${name}`,
            withoutPage(widget),
            actual.length === 0 ? "nothing" : actual.map(withoutPage),
          );
        }
      }
    }
  });
  for (const name of output.fields.keys()) {
    if (!explained.has(name) && !(repeats && /_\d+/.test(name)))
      trace.report(null, `field ${name}`, "nothing", "a field");
  }
}

function pageOf(widget: Plain): number | undefined {
  const { page } = widget;
  return typeof page === "number" && page >= 0 ? page : undefined;
}

function withoutPage(widget: Plain): Plain {
  return Object.fromEntries(Object.entries(widget).filter(([key]) => key !== "page"));
}

function isSameWidget(trace: Trace, source: number, expected: Plain, actual: Plain): boolean {
  if (canonical(trace.seen(withoutPage(expected))) !== canonical(trace.seen(withoutPage(actual)))) return false;
  const [from, to] = [pageOf(expected), pageOf(actual)];
  if (from === undefined) return true;
  const origin = trace.mapping.pages[to ?? -1];
  return origin?.source === source && origin.page === from;
}

const files = (view: DocumentView, named: boolean): string[] =>
  view.attachments
    .map(({ name, description, hash }) => canonical({ name: named ? name : "", description, hash }))
    .toSorted();

function compareAttachments(trace: Trace, sources: readonly DocumentView[], output: DocumentView): void {
  const { kind, keepsAttachments = false } = trace.mapping;
  if (kind === "select" && !keepsAttachments) trace.equal(null, "attachments", [], files(output, true));
  else if (kind === "rotate" || kind === "select")
    trace.equal(
      null,
      "attachments",
      sources.flatMap((view) => files(view, true)),
      files(output, true),
    );
  // Two inputs may have files of the same name; both stay, one under another name.
  else trace.equal(null, "attachments", sources.flatMap((view) => files(view, false)).toSorted(), files(output, false));
}

function compareLayers(trace: Trace, sources: readonly DocumentView[], output: DocumentView): void {
  const expected = sources.flatMap(({ layers }) => layers).map((layer) => canonical(layer));
  const actual = output.layers.map((layer) => canonical(layer));
  if (trace.mapping.kind !== "select") trace.equal(null, "layers", expected.toSorted(), actual.toSorted());
  else for (const layer of actual) if (!expected.includes(layer)) trace.report(null, "layer", expected, layer);
}

/** The properties of a claim to conform to PDF/A, as elements or as attributes. */
const CLAIM = /\s*<pdfaid:(\w+)>[^<]*<\/pdfaid:\1>|\s+pdfaid:\w+="[^"]*"/g;

function compareProperties(trace: Trace, sources: readonly DocumentView[], output: DocumentView): void {
  const { kind, info, encryption } = trace.mapping;
  const [first] = sources;
  if (first === undefined) return;
  trace.equalEntries(null, "Info dictionary", { ...first.info, ...info }, output.info);
  // An operation may end a claim to conform to PDF/A, and nothing else of the packet.
  const isClaimed = output.xmp?.includes("pdfaid:part") === true;
  const [before, after] = [first.xmp, output.xmp].map((xmp) =>
    isClaimed ? xmp : xmp?.replaceAll(CLAIM, "").replaceAll(/\s/g, ""),
  );
  if (info === undefined) trace.equal(null, "XMP", before, after);
  // A merge may take the language of the first document that has one; elements of another one say so themselves.
  const [language] = sources.flatMap((source) => source.language ?? []);
  if (kind !== "merge" || first.language !== null || output.language !== language) {
    trace.equal(null, "language", first.language, output.language);
  }
  if (kind !== "merge") trace.equal(null, "MarkInfo", first.markInfo, output.markInfo);
  if (kind === "rotate") {
    trace.equal(null, "PageMode", first.pageMode, output.pageMode);
    trace.equal(null, "XFA", first.hasXfa && trace.mapping.fieldsDrawn !== true, output.hasXfa);
  }
  const kept = kind === "merge" ? { encryptFilter: null, permissions: null } : first;
  for (const key of ["encryptFilter", "permissions"] as const) {
    trace.equal(null, key, (encryption ?? kept)[key], output[key]);
  }
  const { openAction } = first;
  const isGone = (target: Target): boolean => target.page !== null && !trace.isKept(0, target.page);
  const same =
    openAction !== undefined && isGone(openAction)
      ? (output.openAction?.page ?? null) === null
      : trace.leadsToSame(0, openAction, output.openAction);
  // That a document opens at a page is promised for rotate alone; elsewhere it must only not lead astray.
  if (!same && (kind === "rotate" || output.openAction !== undefined)) {
    trace.report(null, "OpenAction", trace.targetText(openAction), trace.targetText(output.openAction));
  }
}
