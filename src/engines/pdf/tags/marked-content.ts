/** Which operators of a page belong to which marked content (ISO 32000-2, 14.6). */
import type { PDFObject } from "mupdf";
import { bytesOf } from "../../bytes/latin1.ts";
import { ContentOperators } from "../content/operators.ts";
import { parsedValue } from "../content/values.ts";
import { readContent } from "../content/read-content.ts";
import { streamsOf } from "../content/streams.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { Dictionary } from "../syntax/objects.ts";
import { loadOf } from "./load.ts";
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

const TEXT = new Set(["Tj", "TJ", "'", '"']);
const PAINTS = new Set([...TEXT, "Do", "BI", "sh", "f", "F", "f*", "S", "s", "B", "B*", "b", "b*"]);

export interface MarkedContent {
  /** The content, all of it marked; undefined if it is so as it is. */
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
  const operators = new ContentOperators(content);
  const changes: { at: number; identifier: number }[] = [];
  const open: number[] = [];
  /** What an interpreter takes the content for: that of the last identifier, also after its end. */
  let taken = LOOSE;
  let [highest, looseBytes, shownBytes] = [-1, 0, 0];
  while (operators.next()) {
    if (operators.isDue) await engine.work.rest();
    const { operator } = operators;
    const current = open.at(-1) ?? LOOSE;
    if (operator === "BDC" || operator === "BMC") {
      const name = operators.name(1);
      if (name !== undefined && !named.has(name)) named.set(name, identifierOf(await load(properties.get(name))));
      const identifier = name === undefined ? identifierIn(operators.text(1)) : named.get(name);
      if (identifier !== undefined) {
        if (identifier >= MOST_MARKED) return undefined;
        highest = Math.max(highest, identifier);
        taken = identifier;
      }
      open.push(identifier ?? (operators.name(0) === "Artifact" ? ARTIFACT : current));
    } else if (operator === "EMC") open.pop();
    else if (PAINTS.has(operator)) {
      if (TEXT.has(operator)) {
        const bytes = operators.end - operators.start;
        shownBytes += bytes;
        if (current === LOOSE) looseBytes += bytes;
      }
      if (taken === current) continue;
      if (changes.length >= MOST_CHANGES) return undefined;
      changes.push({ at: operators.start, identifier: current });
      taken = current;
    }
  }
  const [artifact, loose] = [highest + 1, highest + 2];
  const written = ({ identifier }: { identifier: number }): string =>
    ` /Span <</MCID ${identifier === ARTIFACT ? artifact : identifier === LOOSE ? loose : identifier}>> BDC EMC `;
  const changed = changes.length === 0 ? undefined : inserted(content, changes, written);
  return { changed, artifact, loose, looseBytes, shownBytes };
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
  const joined = new Uint8Array(length).fill(0x0a);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length + 1;
  }
  return joined;
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

function inserted<T extends { readonly at: number }>(
  content: Uint8Array,
  changes: readonly T[],
  written: (change: T) => string,
): Uint8Array {
  const texts = changes.map((change) => bytesOf(written(change)));
  const all = new Uint8Array(content.length + texts.reduce((sum, { length }) => sum + length, 0));
  let [from, to] = [0, 0];
  for (const [index, { at }] of changes.entries()) {
    const text = texts[index] ?? new Uint8Array();
    all.set(content.subarray(from, at), to);
    to += at - from;
    all.set(text, to);
    to += text.length;
    from = at;
  }
  all.set(content.subarray(from), to);
  return all;
}
