/** The operators of contents that PDF/A forbids (ISO 19005-2, 6.1.6, 6.1.13, 6.2.2, 6.2.6, and 6.2.8). */
import type { PDFObject } from "mupdf";
import { FILTERS, INLINE_FILTERS, MOST_STRING } from "../conformance/rules/file-structure.ts";
import { RENDERING_INTENTS } from "../conformance/rules/graphics.ts";
import { ContentLexer } from "../content/lexer.ts";
import { ContentWriter } from "../content/content-writer.ts";
import type { ContentOperators } from "../content/operators.ts";
import { process, type Run } from "../content/processor.ts";
import { type Content, forEachContent, readStreams } from "../content/streams.ts";
import { inlineImage } from "../images/inline-images.ts";
import { hex } from "../../../bytes/hex.ts";
import { latin1 } from "../../../bytes/latin1.ts";
import { FreeNames, isNamed, objectNumber } from "../objects/objects.ts";
import { readString, writtenString } from "../syntax/strings.ts";
import type { ByteRange } from "../syntax/tokens.ts";
import { LONG_STRINGS } from "./long-strings.ts";
import type { ArchiveChanges, SurveyedTarget } from "./target.ts";
import type { Work } from "../../work.ts";

/** Rules about contents, by the pass that corrects them. */
const TOKENS = ["6.1.6-1", "6.1.6-2", "6.1.13-1", "6.1.13-2", "6.1.13-5"];
const OPERATORS = ["6.1.10-1", "6.2.2-1", "6.2.2-2", "6.2.6-1", "6.2.8-3", LONG_STRINGS];
const STATES = ["6.1.13-8"];

/** The most states that content may save within each other, and levels of forms that take the rest. */
const [MOST_SAVED, MOST_LEVELS] = [28, 16];
/** A box that clips nothing. */
const EVERYWHERE = [-32_768, -32_768, 32_767, 32_767];

/** The largest numbers (ISO 19005-2, 6.1.13). */
const [MOST_INTEGER, MOST_REAL, LEAST_REAL] = [2_147_483_647, 3.403e38, 1.175e-38];

/** Rewrites the contents that break rules. All others stay byte for byte. */
export async function archiveContents(target: SurveyedTarget): Promise<void> {
  const { open, survey } = target;
  const objectsOf = (rules: readonly string[]): ReadonlySet<number> =>
    new Set(rules.flatMap((rule) => (survey.get(rule) ?? []).map(({ object }) => object)));
  const [tokens, operators, states] = [objectsOf(TOKENS), objectsOf(OPERATORS), objectsOf(STATES)];
  if (tokens.size + operators.size + states.size === 0) return;
  const cleaner = new ContentCleaner(target);
  await forEachContent(open, async (content) => {
    const number = objectNumber(content.owner);
    const isTokens = tokens.has(number);
    if (!isTokens && !operators.has(number) && !states.has(number)) return;
    await cleaner.content(content, { tokens: isTokens, operators: operators.has(number), states: states.has(number) });
  });
}

interface Passes {
  readonly tokens: boolean;
  readonly operators: boolean;
  readonly states: boolean;
}

class ContentCleaner {
  readonly #target: SurveyedTarget;
  readonly #names = new FreeNames();

  constructor(target: SurveyedTarget) {
    this.#target = target;
  }

  async content({ kind, owner, streams, resources: found, outer }: Content, passes: Passes): Promise<void> {
    const { open, changes } = this.#target;
    const { document, engine } = open;
    const { bytes, isComplete } = await readStreams(open, streams);
    if (!isComplete) return;
    // A content has resources of its own (6.2.2-2).
    let resources = owner.get("Resources");
    if (passes.operators && kind !== "glyph" && !resources.isDictionary()) {
      resources = found.isDictionary() ? found : document.newDictionary();
      owner.put("Resources", resources);
      changes.add("resources_completed");
    }
    if (!resources.isDictionary()) resources = found;
    let cleaned = bytes;
    if (passes.tokens) cleaned = (await cleanTokens(cleaned, changes, engine.work)) ?? cleaned;
    if (passes.operators) cleaned = (await this.#operators(cleaned, resources, outer)) ?? cleaned;
    if (passes.states) {
      cleaned = (await withoutUnusedStates(cleaned, changes, engine.work)) ?? cleaned;
      cleaned = (await this.#nested(cleaned, resources, 0)) ?? cleaned;
    }
    if (cleaned === bytes) return;
    if (kind !== "page") {
      document.newIndirect(objectNumber(owner)).writeStream(cleaned);
      return;
    }
    owner.put("Contents", document.addStream(cleaned, {}));
  }

  async #operators(
    bytes: Uint8Array,
    resources: PDFObject,
    outer: readonly PDFObject[],
  ): Promise<Uint8Array | undefined> {
    const { open, changes } = this.#target;
    const complete = (category: string, name: string): boolean => this.#complete(resources, outer, category, name);
    const writer = new ContentWriter(bytes);
    let font: string | undefined;
    const replace = ({ start, end }: ContentOperators, text: string, kind: string): void => {
      writer.replace(start, end, text);
      changes.add(kind);
    };
    /** Drops an operator whose resource is nowhere: readers skip it. */
    const needs = (category: string, operators: ContentOperators, index: number): void => {
      const name = operators.name(index);
      if (name === undefined || !complete(category, name)) replace(operators, "", "operators_removed");
    };
    await process(
      bytes,
      {
        keeps: [],
        each: (run: Run<never, void, ContentOperators>) => {
          const { operators } = run;
          switch (operators.entry.name) {
            case "":
              replace(operators, "", "operators_removed");
              break;
            case "ri":
              if (!RENDERING_INTENTS.has(operators.name(0) ?? ""))
                replace(operators, "/RelativeColorimetric ri", "rendering_intents_corrected");
              break;
            case "gs":
              needs("ExtGState", operators, 0);
              break;
            case "sh":
              needs("Shading", operators, 0);
              break;
            case "Do":
              needs("XObject", operators, 0);
              break;
            case "cs":
            case "CS": {
              const name = operators.name(0) ?? "";
              if (!/^(?:Device(?:Gray|RGB|CMYK)|Pattern)$/.test(name)) needs("ColorSpace", operators, 0);
              break;
            }
            case "scn":
            case "SCN":
              if (operators.name(operators.count - 1) !== undefined) needs("Pattern", operators, operators.count - 1);
              break;
            case "BDC":
            case "DP": {
              const properties = operators.name(1);
              if (properties === undefined || complete("Properties", properties)) break;
              const mark = operators.entry.name === "DP" ? "MP" : "BMC";
              replace(operators, `${operators.text(0)} ${mark}`, "operators_removed");
              break;
            }
            case "Tf":
              font = operators.name(0);
              if (operators.name(0) === undefined) replace(operators, "", "operators_removed");
              else if (!complete("Font", operators.name(0) ?? "")) this.#font(resources, operators.name(0) ?? "");
              break;
            case "BI":
              this.#image(operators, bytes, resources, (text) => replace(operators, text, "images_not_interpolated"));
              break;
            default:
              if (operators.entry.family !== "show") break;
              const divided = dividedText(operators, bytes, () => codeLength(resources.get("Font", font ?? "")));
              if (divided !== undefined) replace(operators, divided, "strings_divided");
          }
        },
      },
      open.engine.work,
    );
    return writer.result();
  }

  /**
   * Moves content that saves too many states into forms, which begin to count anew. Content of the structure tree stays: a form would take it out of the
   * page.
   */
  async #nested(bytes: Uint8Array, resources: PDFObject, level: number): Promise<Uint8Array | undefined> {
    const { open, changes } = this.#target;
    const { document } = open;
    if (level > MOST_LEVELS) return undefined;
    const writer = new ContentWriter(bytes);
    const moved: { readonly from: ByteRange; readonly to: ByteRange }[] = [];
    let [depth, deepest] = [0, 0];
    let begun: ByteRange | undefined;
    let isTagged = false;
    await process(
      bytes,
      {
        keeps: [],
        each: ({ operators }: Run<never, void, ContentOperators>) => {
          const { start, end } = operators;
          const { family } = operators.entry;
          if (family === "save") {
            depth += 1;
            if (depth === MOST_SAVED) [begun, isTagged, deepest] = [{ start, end }, false, depth];
            deepest = Math.max(deepest, depth);
          } else if (family === "restore") {
            if (depth === MOST_SAVED && begun && deepest > MOST_SAVED && !isTagged)
              moved.push({ from: begun, to: { start, end } });
            depth = Math.max(0, depth - 1);
          } else if (family === "mark" && operators.count > 1) isTagged = true;
        },
      },
      open.engine.work,
    );
    for (const { from, to } of moved) {
      const inner = bytes.slice(from.end, to.start);
      const form = document.addStream((await this.#nested(inner, resources, level + 1)) ?? inner, {
        Type: "XObject",
        Subtype: "Form",
        BBox: EVERYWHERE,
        Resources: resources,
      });
      writer.replace(from.start, to.end, `/${this.#add(resources, "Nested", form)} Do`);
    }
    changes.add("saved_states_removed", moved.length);
    return writer.result();
  }

  /** Adds an object to resources. Returns its name. */
  #add(resources: PDFObject, name: string, object: PDFObject): string {
    const free = this.#names.of(name, (used) => !resources.get("XObject", used).isNull());
    this.#put(resources, "XObject", free, object);
    return free;
  }

  /** Readers show text in a font that is not there in one like Helvetica. */
  #font(resources: PDFObject, name: string): void {
    const font = this.#target.open.document.addObject({ Type: "Font", Subtype: "Type1", BaseFont: "Helvetica" });
    this.#put(resources, "Font", name, font);
    this.#target.changes.add("resources_completed");
  }

  /** Adds a resource that only the contents around have, where readers find it (6.2.2-2). Returns whether there is one. */
  #complete(resources: PDFObject, outer: readonly PDFObject[], category: string, name: string): boolean {
    if (!resources.get(category, name).isNull()) return true;
    const found = outer.map((each) => each.get(category, name)).findLast((value) => !value.isNull());
    if (!found) return false;
    this.#put(resources, category, name, found);
    this.#target.changes.add("resources_completed");
    return true;
  }

  #put(resources: PDFObject, category: string, name: string, value: PDFObject): void {
    const present = resources.get(category);
    const all = present.isDictionary()
      ? present
      : (resources.put(category, this.#target.open.document.newDictionary()) as PDFObject);
    all.put(name, value);
  }

  /** An inline image that is interpolated or has a filter that is forbidden becomes an object, which is cleaned like others. */
  #image(operators: ContentOperators, bytes: Uint8Array, resources: PDFObject, replace: (text: string) => void): void {
    const { open } = this.#target;
    const { engine } = open;
    let isBad = false;
    for (let index = 0; index + 1 < operators.count; index += 2) {
      const [key, value] = [operators.name(index), operators.text(index + 1)];
      if ((key === "I" || key === "Interpolate") && value === "true") isBad = true;
      if (key === "F" || key === "Filter")
        isBad ||= [...value.matchAll(/\/([^\s/[\]]+)/g)].some(([, filter = ""]) => !INLINE_FILTERS.has(filter));
      if (key === "Intent" && !RENDERING_INTENTS.has(value.slice(1))) isBad = true;
    }
    if (!isBad) return;
    const image = inlineImage(open, operators, bytes, resources);
    if (!image) return;
    for (const key of ["Interpolate", "Intent"]) if (!image.get(key).isNull()) image.delete(key);
    const filter = image.get("Filter");
    const filters = filter.isArray() ? Array.from({ length: filter.length }, (_, at) => filter.get(at)) : [filter];
    if (filters.some((one) => one.isName() && !FILTERS.has(one.asName()))) {
      const data = image.readStream();
      engine.countDecoded(data.getLength());
      for (const key of ["Filter", "DecodeParms"]) image.delete(key);
      image.writeStream(data);
      data.destroy();
    }
    const name = this.#add(resources, "InlineImage", image);
    replace(`/${name} Do`);
  }
}

/** Bytes per code of a font; undefined if it varies. */
function codeLength(font: PDFObject): number | undefined {
  if (!isNamed(font.get("Subtype"), "Type0")) return 1;
  return ["Identity-H", "Identity-V"].some((name) => isNamed(font.get("Encoding"), name)) ? 2 : undefined;
}

/** The same text with strings that are not too long; undefined if they are not, or cannot be divided between codes. */
function dividedText(
  operators: ContentOperators,
  bytes: Uint8Array,
  bytesPerCode: () => number | undefined,
): string | undefined {
  const { start, count, entry } = operators;
  const shown = operators.operand(count - 1);
  if (!shown || shown.end - shown.start <= MOST_STRING) return undefined;
  const length = bytesPerCode();
  if (length === undefined) return undefined;
  const most = MOST_STRING - (MOST_STRING % length);
  const partsOf = (at: number): string[] | undefined => {
    const { value } = readString(bytes, at);
    if (value.length <= MOST_STRING) return undefined;
    return Array.from({ length: Math.ceil(value.length / most) }, (_, index) =>
      writtenString(value.subarray(index * most, (index + 1) * most)),
    );
  };
  if (!operators.text(count - 1).startsWith("[")) {
    const [first, ...rest] = partsOf(shown.start) ?? [];
    if (first === undefined) return undefined;
    const before = latin1(bytes.subarray(start, shown.start));
    return `${before}${first} ${entry.name}${rest.map((part) => ` ${part} Tj`).join("")}`;
  }
  const array = bytes.subarray(shown.start, shown.end);
  const lexer = new ContentLexer(array);
  const writer = new ContentWriter(array);
  for (let kind = lexer.next(); kind !== undefined; kind = lexer.next()) {
    const parts = kind === "literal" || kind === "hex" ? partsOf(shown.start + lexer.start) : undefined;
    if (parts) writer.replace(lexer.start, lexer.end, parts.join(" "));
  }
  const divided = writer.result();
  return divided && `${latin1(divided)} ${entry.name}`;
}

/** Numbers out of range, and strings in hexadecimal that are malformed, as readers read them. */
async function cleanTokens(bytes: Uint8Array, changes: ArchiveChanges, work: Work): Promise<Uint8Array | undefined> {
  const writer = new ContentWriter(bytes);
  const lexer = new ContentLexer(bytes);
  for (let kind = lexer.next(); kind !== undefined; kind = lexer.next()) {
    const { start, end } = lexer;
    if (kind === "number") {
      const text = numberInRange(lexer.text(start, end));
      if (text === undefined) continue;
      writer.replace(start, end, text);
      changes.add("numbers_corrected");
    } else if (kind === "hex") {
      const digits = lexer.text(start + 1, end - 1).replaceAll(/[\0\t\n\f\r ]/g, "");
      if (digits.length % 2 === 0 && /^[\dA-Fa-f]*$/.test(digits)) continue;
      writer.replace(start, end, `<${hex(readString(bytes, start).value)}>`);
      changes.add("strings_corrected");
    } else if (kind === "word" && lexer.isKeyword("ID")) lexer.image();
    if (lexer.isDue) await work.rest();
  }
  return writer.result();
}

/** The nearest number in range; undefined if it is. */
function numberInRange(text: string): string | undefined {
  const value = Number.parseFloat(text);
  if (!Number.isFinite(value) && !/\d/.test(text)) return undefined;
  const size = Math.abs(value);
  const sign = value < 0 ? "-" : "";
  if (!text.includes(".")) return size > MOST_INTEGER ? `${sign}${MOST_INTEGER}` : undefined;
  if (size > MOST_REAL) return `${sign}${MOST_INTEGER}`;
  return size > 0 && size < LEAST_REAL ? "0" : undefined;
}

/** Drops states that are saved and never restored, or restored at once. */
async function withoutUnusedStates(
  bytes: Uint8Array,
  changes: ArchiveChanges,
  work: Work,
): Promise<Uint8Array | undefined> {
  /** The places of `q` that are open. */
  const saved: { start: number; end: number; isUsed: boolean }[] = [];
  const dropped: { start: number; end: number }[] = [];
  await process(
    bytes,
    {
      keeps: [],
      each: ({ operators }: Run<never, void, ContentOperators>) => {
        const { start, end } = operators;
        const { family } = operators.entry;
        if (family === "save") saved.push({ start, end, isUsed: false });
        else if (family === "restore") {
          const opened = saved.pop();
          if (opened?.isUsed === false) dropped.push(opened, { start, end });
          else {
            // Saved by the state around it, if it restores at once after this one.
            const outer = saved.at(-1);
            if (outer) outer.isUsed = true;
          }
        } else {
          const innermost = saved.at(-1);
          if (innermost) innermost.isUsed = true;
        }
      },
    },
    work,
  );
  for (const one of saved) dropped.push(one);
  if (dropped.length === 0) return undefined;
  const writer = new ContentWriter(bytes);
  for (const { start, end } of dropped.toSorted((a, b) => a.start - b.start)) writer.replace(start, end, "");
  changes.add("saved_states_removed", dropped.length);
  return writer.result();
}
