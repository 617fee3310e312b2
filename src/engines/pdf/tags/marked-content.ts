/** Which operators of a page belong to which marked content (ISO 32000-2, 14.6). */
import type { PDFObject } from "mupdf";
import { bytesOf } from "../../../bytes/latin1.ts";
import { ContentWriter } from "../content/content-writer.ts";
import { process, type Run, type Visitor } from "../content/processor.ts";
import { parsedValue } from "../content/values.ts";
import { readContent } from "../content/read-content.ts";
import { joined, streamsOf } from "../content/streams.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { Dictionary } from "../syntax/objects.ts";
import { loadOf } from "../objects/load.ts";
import { decodedSize, largestSize } from "../objects/stream-size.ts";
import { MOST_MARKED } from "./page-tags.ts";

/** Content that is marked as an artifact, and content that is not marked. */
const [ARTIFACT, LOOSE] = [-1, -2];

/** Fuel per byte that is read. */
const BYTE_WORK = 4;
/** Content of a page in bytes: more is not looked at. What cannot exceed the second number is decoded without being measured first. */
const [MOST_BYTES, UNMEASURED] = [4 * 1024 * 1024, 32 * 1024 * 1024];
/** The most stretches of content that are marked anew. */
const MOST_CHANGES = 20_000;

/** It keeps the identifiers of the content that has begun. */
type MarkedRun = Run<never, number>;

export interface MarkedContent {
  /** The content, all of it marked; undefined if it is all marked already. */
  readonly changed: Uint8Array | undefined;
  /** The identifiers of artifacts and of content that is not marked: one and two more than the highest of the page. */
  readonly artifact: number;
  readonly loose: number;
  /** Bytes of strings that are shown in content that is not marked, and in all. */
  readonly looseBytes: number;
  readonly shownBytes: number;
}

/** Reads the content of a page; undefined if it is too long, or if its identifiers are. */
export async function markedContent(engine: PdfEngine, page: PDFObject): Promise<MarkedContent | undefined> {
  const content = await joinedContent(engine, page);
  if (content === undefined) return undefined;
  engine.work.spend(content.length * BYTE_WORK);
  const load = loadOf(engine);
  const properties = await load((await load(page.getInheritable("Resources"))).get("Properties"));
  const named = new Map<string, number | undefined>();
  const changes: { at: number; identifier: number }[] = [];
  /** What an interpreter takes the content for: that of the last identifier, also after its end. */
  let taken = LOOSE;
  let [highest, looseBytes, shownBytes] = [-1, 0, 0];
  let isBeyondLimits = false;
  const giveUp = (run: MarkedRun): void => {
    isBeyondLimits = true;
    run.stop();
  };
  const paint = (run: MarkedRun): void => {
    const current = run.marks.at(-1) ?? LOOSE;
    if (taken === current) return;
    if (changes.length >= MOST_CHANGES) giveUp(run);
    changes.push({ at: run.operators.start, identifier: current });
    taken = current;
  };
  const begin = (run: MarkedRun, identifier: number | undefined): number => {
    const { operators, marks } = run;
    if (identifier === undefined) return operators.name(0) === "Artifact" ? ARTIFACT : (marks.at(-1) ?? LOOSE);
    if (identifier >= MOST_MARKED) giveUp(run);
    highest = Math.max(highest, identifier);
    return (taken = identifier);
  };
  const visitor: Visitor<never, number> = {
    keeps: [],
    mark: (run) => {
      const name = run.operators.name(1);
      if (name === undefined) return begin(run, identifierIn(run.operators.text(1)));
      if (named.has(name)) return begin(run, named.get(name));
      const look = (list: PDFObject): number => {
        named.set(name, identifierOf(list));
        return begin(run, named.get(name));
      };
      const list = load(properties.get(name));
      return list instanceof Promise ? list.then(look) : look(list);
    },
    show: (run) => {
      const bytes = run.operators.end - run.operators.start;
      shownBytes += bytes;
      if ((run.marks.at(-1) ?? LOOSE) === LOOSE) looseBytes += bytes;
      paint(run);
    },
    paint,
    draw: paint,
    image: paint,
    shade: paint,
  };
  await process(content, visitor, engine.work);
  if (isBeyondLimits) return undefined;
  const [artifact, loose] = [highest + 1, highest + 2];
  const writer = new ContentWriter(content);
  for (const { at, identifier } of changes) {
    const written = identifier === ARTIFACT ? artifact : identifier === LOOSE ? loose : identifier;
    writer.replace(at, at, ` /Span <</MCID ${written}>> BDC EMC `);
  }
  return { changed: writer.result(), artifact, loose, looseBytes, shownBytes };
}

/** The streams of a page's content as one. */
async function joinedContent(engine: PdfEngine, page: PDFObject): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const stream of streamsOf(page)) {
    if (engine.ranges) await engine.long.loadStream(stream);
    if (largestSize(stream) > UNMEASURED && (await decodedSize(engine, stream, MOST_BYTES)) > MOST_BYTES)
      return undefined;
    const part = await readContent(engine, stream, (bytes) => (bytes.length > MOST_BYTES ? undefined : bytes.slice()));
    length += (part?.length ?? MOST_BYTES) + 1;
    if (part === undefined || length > MOST_BYTES) return undefined;
    parts.push(part);
  }
  return joined(parts);
}

/** The identifier in a property list, as an object and as text. */
function identifierOf(properties: PDFObject): number | undefined {
  const identifier = properties.get("MCID");
  return identifier.isNumber() ? identifier.asNumber() : undefined;
}

function identifierIn(properties: string): number | undefined {
  const list = parsedValue(bytesOf(properties));
  const identifier = list instanceof Dictionary ? list.get("MCID") : undefined;
  return typeof identifier === "number" && identifier >= 0 ? identifier : undefined;
}
