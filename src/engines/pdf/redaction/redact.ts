/** Removes text, images, and drawings from a document, with everything that would give them away. */
import { limits } from "../../../limits.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import type { Engines } from "../../lease/engines.ts";
import type { ShownBox } from "../content/shown-box.ts";
import { checkContents } from "../content/size.ts";
import { streamsOf } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { repairPageTree } from "../document/page-tree.ts";
import { fileKeyOf } from "../encryption/file-key.ts";
import { objectNumber } from "../objects/objects.ts";
import { dropPrivateData } from "../optimize/private-data.ts";
import { rewritePdf } from "../write/save.ts";
import { type RedactedBox, removeAnnotations } from "./annotations.ts";
import { redactAttachments } from "./attachments.ts";
import { boxesOf, type Covering } from "./cover.ts";
import { namingPage } from "../images/undecodable.ts";
import { encodeBlanked } from "../erasure/encode-blanked.ts";
import { drawnNowhere, Eraser } from "../erasure/eraser.ts";
import { eraseOnPage, MOST_ROUNDS } from "./erase.ts";
import { foldPieces } from "./search/folded-text.ts";
import { goneFrom } from "./gone.ts";
import { redactBytes, redactHidden } from "./hidden-content.ts";
import { showHiddenLayers } from "./layers.ts";
import { Matcher, type WantedText } from "./matcher.ts";
import { Original } from "./original.ts";
import type { GlyphRun, PageMatch } from "./distinct-matches.ts";
import { boxOfQuad, boxesIn, findOnPage, foldedPiece, leftOnPage, matchAreas } from "./page-matches.ts";
import type { Gap } from "./proof/glyphs.ts";
import { type Gaps, type PageAreas, type PageProof, proofOfPage, proveRedacted, proveRegions } from "./proof/prove.ts";
import type { Sought } from "./proof/written-text.ts";
import { boxAsShown, checkRegions, toPageArea } from "./regions.ts";
import { redactStreams } from "./streams.ts";
import { StringRedactor } from "./strings.ts";
import { tooManyMatches } from "../../limit-errors.ts";
import { redactionFailed } from "../../result-errors.ts";

/**
 * Glyphs that are held to be compared once all is erased, 17 MB. The pages of larger documents are compared as soon as each is erased, and not
 * again after the passes that follow.
 */
const MOST_HELD = 100_000;

export interface Redaction extends WantedText, Covering {
  /** 0-based, in order. Text is searched on these. */
  readonly pages: readonly number[];
  readonly regions: readonly ShownBox[];
}

/** The matches on a page. */
export interface FoundOnPage {
  /** 1-based. */
  readonly page: number;
  readonly text: string;
  /** Points, from the top left of the visible page. */
  readonly boxes: readonly {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
}

export interface Findings {
  readonly matches: readonly FoundOnPage[];
  /** Matches that are not on a page: in hidden content, annotations, fields, metadata, and so on. */
  readonly elsewhere: number;
  /** 1-based. */
  readonly pagesWithoutText: readonly number[];
  /** Embedded files that are removed. */
  readonly attachments: number;
  /** Names of embedded fonts that may still have glyphs that only redacted text used. */
  readonly fontsKept: readonly string[];
}

/** A page with its matches and the content to remove. */
interface PageFindings {
  readonly index: number;
  readonly matches: readonly PageMatch[];
  readonly regions: readonly RedactedBox[];
}

/** Finds what a redaction would remove, by the same work. The document must not be written afterwards. */
export async function findRedactions(open: OpenPdf, engines: Engines, redaction: Redaction): Promise<Findings> {
  return (await redactDocument(open, engines, redaction)).findings;
}

/**
 * Redacts a document and writes it. Nothing of the file is kept as it was: its earlier revisions and unused objects are gone. The document is closed
 * before the file is read back, so that its objects are not held twice. `repaired`: whether it was damaged.
 * @throws Refusal `redaction_failed`, `limit_exceeded`, `invalid_parameters`, `unsupported_text`
 */
export async function redactPdf(
  open: OpenPdf,
  engines: Engines,
  redaction: Redaction,
): Promise<{ readonly bytes: EngineBytes; readonly findings: Findings; readonly repaired: boolean }> {
  const { findings, changed, matcher, gaps } = await redactDocument(open, engines, redaction);
  open.engine.work.stage("redact");
  const written = await rewritePdf(open, { changed });
  const { repaired } = open;
  if (matcher.isEmpty) return { bytes: written, findings, repaired };
  // The search needs all bytes at once.
  const bytes = open.engine.bytesOf(await open.engine.copied(written, written.length));
  const key = fileKeyOf(open.engine, open.document);
  open[Symbol.dispose]();
  await proveRedacted(open, bytes, soughtBy(matcher), { pages: redaction.pages, key, gaps });
  return { bytes, findings, repaired };
}

/** Redacts a document in memory. `changed`: its pages (0-based) on which something was found. `gaps`: where glyphs of these are gone. */
async function redactDocument(
  open: OpenPdf,
  engines: Engines,
  redaction: Redaction,
): Promise<{
  readonly findings: Findings;
  readonly changed: readonly number[];
  readonly matcher: Matcher;
  readonly gaps: Gaps;
}> {
  const { engine, document } = open;
  const matcher = await prepare(open, redaction);
  const layers = await showHiddenLayers(open);
  const { pages, pagesWithoutText } = await findOnPages(open, redaction, matcher);
  const findings = pages.flatMap((page) => foundOn(open, page));
  const changed = pages.filter(({ matches, regions }) => matches.length + regions.length > 0);
  const dropped = new Set<number>();
  const original = new Original(open);
  const tools = { eraser: new Eraser(open), matcher, original };
  if (changed.length > 0) await original.note();
  const proofs: PageProof[] = [];
  const gaps = new Map<number, readonly Gap[]>();
  const erased = new Set<number>();
  let held = 0;
  for (const page of changed) {
    const proof = await proofOfPage(open, page.index, areasOf(page));
    if (await namingPage(page.index, () => erase(open, page, tools, [0, 1]))) erased.add(page.index);
    held += proof.glyphs;
    if (held > MOST_HELD) {
      held -= proof.glyphs;
      gaps.set(page.index, await proof.check({ unknownMayGo: false }));
    } else proofs.push(proof);
  }
  const cover = boxesOf(open, engines, redaction);
  const hidden = await redactHidden(open, new Set(redaction.pages), tools, cover);
  const rewritten = new Set<number>();
  for (const page of changed) {
    // Nothing has changed since it was looked at.
    if (hidden === 0 && erased.has(page.index)) continue;
    if (await namingPage(page.index, () => checkErased(open, page, tools))) rewritten.add(page.index);
  }
  const inBytes = await redactBytes(open, new Set(redaction.pages), tools);
  for (const proof of proofs)
    gaps.set(proof.index, await proof.check({ unknownMayGo: inBytes.changed.has(proof.index) }));
  const attachments = await redactAttachments(open, matcher);
  for (const { index, matches, regions } of pages) {
    const areas = { regions, matches: matches.flatMap(({ marks }) => marks.map(areaOf)) };
    for (const number of await removeAnnotations(open, index, areas, matcher)) dropped.add(number);
    document.findPage(index).delete("Thumb");
  }
  engine.work.stage("redact");
  await encodeBlanked(open, engines.codecs, tools.eraser);
  for (const { index, regions } of changed) await proveRegions(open, index, regions);
  await cover(changed.map(toCover));
  layers.restore();
  await dropPrivateData(open);
  for (const number of await drawnNowhere(open, tools.eraser)) dropped.add(number);
  engine.work.stage("redact");
  const fontsKept = await original.forgetCodes();
  const strings = new StringRedactor(open, matcher);
  if (!matcher.isEmpty || dropped.size > 0) await strings.redactAll(dropped);
  for (const number of dropped) document.deleteObject(number);
  if (!matcher.isEmpty) {
    const replaced = new Set([...rewritten].flatMap((index) => streamsOf(document.findPage(index)).map(objectNumber)));
    await redactStreams(open, matcher, strings, { replaced });
  }
  return {
    findings: {
      matches: findings,
      elsewhere: hidden + inBytes.count + strings.count,
      pagesWithoutText,
      attachments,
      fontsKept,
    },
    changed: changed.map(({ index }) => index),
    matcher,
    gaps,
  };
}

async function prepare(open: OpenPdf, { pages, regions, ...wanted }: Redaction): Promise<Matcher> {
  await repairPageTree(open);
  checkRegions(open, regions);
  await checkContents(open, pages);
  return new Matcher(wanted, open.engine.work);
}

async function findOnPages(
  open: OpenPdf,
  { pages, regions }: Redaction,
  matcher: Matcher,
): Promise<{ pages: readonly PageFindings[]; pagesWithoutText: readonly number[] }> {
  const { document, engine } = open;
  const found: PageFindings[] = [];
  const pagesWithoutText: number[] = [];
  let count = 0;
  const all = [...new Set([...pages, ...regions.map(({ page }) => page - 1)])].sort((a, b) => a - b);
  for (const index of all) {
    engine.work.stage("redact");
    const areas = regions.filter(({ page }) => page === index + 1).map((region) => toPageArea(open, region));
    if (matcher.isEmpty || !pages.includes(index)) {
      found.push({ index, matches: [], regions: areas });
      continue;
    }
    const page = await engine.long.loadPage(document, index);
    const { matches, hasText } = await findOnPage(open, page, matcher, { annotations: true }).finally(() =>
      page.destroy(),
    );
    if (!hasText) pagesWithoutText.push(index + 1);
    count += matches.length;
    if (count > limits.redaction.matches) throw tooManyMatches();
    found.push({ index, matches, regions: areas });
    await engine.work.pause();
  }
  return { pages: found, pagesWithoutText };
}

/**
 * Erases the matches on a page until no glyph of them is left, or no method is left to try. Returns whether the glyphs are verifiably gone. Regions
 * are not checked.
 */
async function erase(
  open: OpenPdf,
  { index, matches, regions }: PageFindings,
  tools: { readonly eraser: Eraser; readonly matcher: Matcher },
  rounds: readonly number[],
): Promise<boolean> {
  const { document, engine } = open;
  let left: readonly PageMatch[] = matches;
  for (const round of rounds) {
    if (round === 0) await eraseOnPage(open, index, tools, { matches: left, regions, round });
    else if (left.length > 0) await eraseOnPage(open, index, tools, { matches: left, regions: [], round });
    if (matches.length === 0) return false;
    const page = await engine.long.loadPage(document, index);
    left = await leftOnPage(open, page, goneFrom(matches, [], engine.work)).finally(() => page.destroy());
    if (left.length === 0) return regions.length === 0;
  }
  return false;
}

/**
 * Checks each glyph before boxes are drawn, whose labels could be mistaken for the erased text. A single remaining letter is not found by the search
 * for whole matches in the written file. Remaining glyphs are erased with MuPDF. Returns whether that was necessary, since MuPDF rewrites the
 * content.
 */
async function checkErased(
  open: OpenPdf,
  { index, matches, regions }: PageFindings,
  tools: { readonly eraser: Eraser; readonly matcher: Matcher },
): Promise<boolean> {
  const { document, engine } = open;
  for (let round = MOST_ROUNDS - 1; ; round++) {
    engine.work.stage("redact");
    const page = await engine.long.loadPage(document, index);
    const isGone = goneFrom(matches, regions, engine.work);
    const left = await leftOnPage(open, page, isGone).finally(() => page.destroy());
    if (left.length === 0) return round > MOST_ROUNDS - 1;
    if (round === MOST_ROUNDS) throw redactionFailed(`the text of page ${index + 1}`);
    await eraseOnPage(open, index, tools, { matches: left, regions: [], round });
  }
}

const soughtBy = (matcher: Matcher): Sought => ({
  isIn: (text) => matcher.isIn(text),
  isInAny: (texts) => matcher.isInAny(texts),
  isRead: async (pieces) => (await matcher.inFolded(foldPieces(pieces.map(foldedPiece)))).length > 0,
  found: matcher.found,
  ignoresCase: matcher.ignoresCase,
});

/** The areas from which content is removed. */
const areasOf = ({ matches, regions }: PageFindings): PageAreas => ({ regions, matches: matchAreas(matches) });

/** The rectangle around the middle of a mark. */
const areaOf = ({ middle }: GlyphRun): RedactedBox => boxOfQuad(middle);

const toCover = ({ index, matches, regions }: PageFindings) => ({
  index,
  quads: [
    ...boxesIn(matches),
    ...regions.map(([left, bottom, right, top]) => [left, top, right, top, left, bottom, right, bottom] as const),
  ],
});

function foundOn(open: OpenPdf, { index, matches }: PageFindings): FoundOnPage[] {
  return matches.map(({ text, marks }) => ({
    page: index + 1,
    text,
    boxes: marks.map(({ box }) => boxAsShown(open, index, box)),
  }));
}
