/** The fonts that content uses: their dictionaries, programs, and each code that is shown (ISO 32000-2, 9). */
import type { Collection, DescendantFacts, FontFacts, FontProgram, GlyphFacts } from "./elements.ts";
import type { CodeMap } from "../../fonts/cmap.ts";
import { codeOf, predefinedMap, readCodeMap, readToUnicode } from "../../fonts/cmap.ts";
import { type PlainDictionary, PlainName } from "../../objects/plain-values.ts";
import type { Check } from "./check.ts";
import { readProgram } from "./font-programs.ts";
import { isArray, type ModelDocument } from "./document.ts";
import { predefinedCollection } from "./cid-collections.ts";

/** Fuel for each shown byte, and for each code that is checked. */
const [BYTE_WORK, CODE_WORK] = [2, 200];
/** Fuel for each value of a dictionary that other fonts may share. */
const VALUE_WORK = 20;
/** Strings of composite fonts that are kept until their codes are read, in bytes. */
const MOST_PENDING = 1024 * 1024;

const STANDARD = new Set([
  "Courier",
  "Courier-Bold",
  "Courier-Oblique",
  "Courier-BoldOblique",
  "Helvetica",
  "Helvetica-Bold",
  "Helvetica-Oblique",
  "Helvetica-BoldOblique",
  "Times-Roman",
  "Times-Bold",
  "Times-Italic",
  "Times-BoldItalic",
  "Symbol",
  "ZapfDingbats",
]);

/** How a code is shown, wherever it is. */
export interface Showing {
  readonly isVisible: boolean;
  /** Outside of an element or a sequence with `ActualText`. */
  readonly isUnreplaced: boolean;
}

/** The use of one font. */
export class FontUse {
  readonly dictionary: PlainDictionary;
  readonly page: number | undefined;
  isVisible = false;
  isShown = false;
  /** How each code is shown, by its bytes: that of a composite font is 8 times the code, and the number of its bytes. */
  readonly codes = new Map<number, Showing>();
  readonly isSimple: boolean;
  #pending: { readonly bytes: Uint8Array; readonly showing: Showing }[] = [];
  #pendingBytes = 0;

  constructor(dictionary: PlainDictionary, page: number | undefined, isSimple: boolean) {
    this.dictionary = dictionary;
    this.page = page;
    this.isSimple = isSimple;
  }

  add(bytes: Uint8Array, showing: Showing): void {
    if (!this.isSimple) {
      this.#pendingBytes += bytes.length;
      if (this.#pendingBytes <= MOST_PENDING) this.#pending.push({ bytes, showing });
      return;
    }
    for (const code of bytes) this.addCode(code, showing);
  }

  addCode(code: number, { isVisible, isUnreplaced }: Showing): void {
    const known = this.codes.get(code);
    if (!known) this.codes.set(code, { isVisible, isUnreplaced });
    else if ((isVisible && !known.isVisible) || (isUnreplaced && !known.isUnreplaced))
      this.codes.set(code, {
        isVisible: isVisible || known.isVisible,
        isUnreplaced: isUnreplaced || known.isUnreplaced,
      });
  }

  /** The strings of a composite font since the last time. */
  takePending(): readonly { readonly bytes: Uint8Array; readonly showing: Showing }[] {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    return pending;
  }
}

/** All fonts that a document uses. */
export class FontUses {
  readonly #document: ModelDocument;
  readonly #check: Check;
  /** Widths that glyphs of Type 3 fonts set, by the numbers of their streams. */
  readonly glyphWidths = new Map<number, number>();
  readonly #uses = new Map<PlainDictionary, FontUse>();
  readonly #maps = new Map<PlainDictionary, CodeMap>();
  readonly #procedures = new Map<PlainDictionary, ReadonlyMap<number, PlainDictionary>>();
  readonly #programs = new Map<number, Promise<FontProgram | undefined>>();

  constructor(document: ModelDocument, check: Check) {
    this.#document = document;
    this.#check = check;
  }

  of(font: PlainDictionary, page: number | undefined): FontUse {
    const known = this.#uses.get(font);
    if (known) return known;
    const use = new FontUse(font, page, this.#document.name(font, "Subtype") !== "Type0");
    this.#uses.set(font, use);
    return use;
  }

  /** Divides the strings of composite fonts into codes. */
  async readPending(): Promise<void> {
    const { work } = this.#document.open.engine;
    for (const use of this.#uses.values()) {
      if (use.isSimple) continue;
      for (const { bytes, showing } of use.takePending()) {
        work.spend(bytes.length * BYTE_WORK);
        await work.pause();
        const map = await this.#mapOf(use.dictionary);
        for (let at = 0; at < bytes.length;) {
          const length = Math.max(1, Math.min(map.lengthAt(bytes, at), bytes.length - at));
          const code = codeOf(bytes.subarray(at, at + length)) * 8 + length;
          use.addCode(code, showing);
          at += length;
        }
      }
    }
  }

  async #mapOf(font: PlainDictionary): Promise<CodeMap> {
    const known = this.#maps.get(font);
    if (known) return known;
    const map = await this.#readMap(font.entries.get("Encoding") ?? null, 0);
    this.#maps.set(font, map);
    return map;
  }

  async #readMap(encoding: Parameters<ModelDocument["resolve"]>[0], depth: number): Promise<CodeMap> {
    const document = this.#document;
    const value = document.resolve(encoding);
    if (value instanceof PlainName) return predefinedMap(value.value);
    const stream = document.stream(value);
    const data = stream && (await document.data(stream));
    if (!data || depth > 8) return predefinedMap("Identity-H");
    const base = stream.entries.get("UseCMap");
    const other = base === undefined ? undefined : await this.#readMap(base, depth + 1);
    return readCodeMap(data, document.open.engine.work, other);
  }

  /** Checks each font and its codes. */
  async checkAll(): Promise<void> {
    const { work } = this.#document.open.engine;
    for (const use of this.#uses.values()) {
      work.spend(CODE_WORK);
      await work.pause();
      await this.#checkFont(use);
    }
  }

  async #checkFont(use: FontUse): Promise<void> {
    const document = this.#document;
    const { work } = document.open.engine;
    const { dictionary, page } = use;
    const facts = await this.#profileFacts(use);
    const place = { object: dictionary.object, page, context: facts.baseFont };
    this.#check("font", facts, place);
    const toUnicode = document.stream(dictionary, "ToUnicode");
    const data = toUnicode && (await document.data(toUnicode));
    const meanings = data && (await readToUnicode(data, work));
    const map = use.isSimple ? undefined : await this.#mapOf(dictionary);
    const widths = use.isSimple ? undefined : this.#cidWidths(facts.descendant?.dictionary);
    for (const [key, { isVisible, isUnreplaced }] of use.codes) {
      work.spend(CODE_WORK);
      await work.pause();
      const code = use.isSimple ? key : Math.floor(key / 8);
      const cid = map ? map.cidOf(code, key % 8) : code;
      const glyph =
        facts.subtype === "Type3"
          ? this.#type3Glyph(dictionary, code)
          : cid === undefined
            ? undefined
            : facts.program?.glyphOf(cid, facts);
      const usual = document.number(facts.descendant?.dictionary, "DW") ?? 1000;
      const dictionaryWidth = widths
        ? cid === undefined
          ? undefined
          : (widths.get(cid) ?? usual)
        : this.#widthOf(dictionary, code);
      const units = meanings?.get(code);
      this.#check(
        "glyph",
        {
          font: facts,
          code,
          isVisible,
          isUnreplaced,
          glyph,
          dictionaryWidth,
          length: use.isSimple ? 1 : key % 8,
          unicode: units ? unitsOf(units) : undefined,
          hasUnicode: units !== undefined || this.#hasKnownUnicode(facts, code),
        },
        { ...place, context: `${facts.baseFont ?? ""} code ${code}` },
      );
    }
  }

  /** The streams that draw the glyphs of a Type 3 font, by code (9.6.4). */
  proceduresOf(font: PlainDictionary): ReadonlyMap<number, PlainDictionary> {
    const known = this.#procedures.get(font);
    if (known) return known;
    const document = this.#document;
    const found = new Map<number, PlainDictionary>();
    let code = 0;
    const differences = document.items(font, "Encoding", "Differences");
    document.open.engine.work.spend(differences.length * VALUE_WORK);
    for (const item of differences) {
      const [number, name] = [document.number(item), document.name(item)];
      if (number !== undefined) code = number;
      if (name === undefined) continue;
      const procedure = document.stream(font, "CharProcs", name);
      if (procedure) found.set(code, procedure);
      code += 1;
    }
    this.#procedures.set(font, found);
    return found;
  }

  #type3Glyph(font: PlainDictionary, code: number): GlyphFacts {
    const procedure = this.proceduresOf(font).get(code);
    const width = procedure && this.glyphWidths.get(procedure.object);
    return { isPresent: true, width, isNotdef: false };
  }

  /** Whether the characters of a font are known without `ToUnicode` (9.10.2). */
  #hasKnownUnicode(font: FontFacts, code: number): boolean {
    const { descendant, encoding } = font;
    if (descendant) {
      const { map, collection } = descendant;
      const ordering = collection?.ordering ?? "";
      const isKnown = collection?.registry === "Adobe" && /^(?:GB1|CNS1|Japan1|Korea1)$/.test(ordering);
      return isKnown || (map.isPredefined && !map.isIdentity);
    }
    if (font.subtype === "Type3") return font.program?.isNamed(code, font) ?? false;
    if (/^(?:WinAnsi|MacRoman|MacExpert)Encoding$/.test(encoding ?? "") && !font.hasDifferences) return true;
    if (font.subtype === "TrueType" && font.isSymbolic) return false;
    return font.program?.isNamed(code, font) ?? !font.isSymbolic;
  }

  #widthOf(font: PlainDictionary, code: number): number | undefined {
    const document = this.#document;
    const widths = document.items(font, "Widths");
    const at = code - (document.number(font, "FirstChar") ?? 0);
    const own = at >= 0 ? document.number(widths[at]) : undefined;
    return own ?? document.number(font, "FontDescriptor", "MissingWidth") ?? 0;
  }

  /** The widths of CIDs (9.7.4.3). */
  #cidWidths(font: PlainDictionary | undefined): ReadonlyMap<number, number> {
    const document = this.#document;
    const list = document.items(font, "W");
    const found = new Map<number, number>();
    for (let at = 0; at + 1 < list.length;) {
      const first = document.number(list[at]) ?? 0;
      const next = document.resolve(list[at + 1]);
      if (isArray(next)) {
        document.open.engine.work.spend(next.length * VALUE_WORK);
        for (const [index, width] of next.entries()) found.set(first + index, document.number(width) ?? 0);
        at += 2;
        continue;
      }
      const last = Math.min(document.number(next) ?? 0, 65_535);
      const width = document.number(list[at + 2]) ?? 0;
      document.open.engine.work.spend(Math.max(0, last - first) * BYTE_WORK);
      for (let cid = first; cid <= last; cid++) found.set(cid, width);
      at += 3;
    }
    return found;
  }

  async #profileFacts({ dictionary, isVisible }: FontUse): Promise<FontFacts> {
    const document = this.#document;
    const subtype = document.name(dictionary, "Subtype");
    const own =
      subtype === "Type0" ? document.dictionary(document.items(dictionary, "DescendantFonts")[0]) : dictionary;
    const descriptor = document.dictionary(own, "FontDescriptor");
    const programKey = ["FontFile", "FontFile2", "FontFile3"].find((key) => document.stream(descriptor, key));
    const stream = programKey === undefined ? undefined : document.stream(descriptor, programKey);
    const baseFont = document.name(dictionary, "BaseFont");
    const encoding = document.resolve(dictionary.entries.get("Encoding"));
    const isNamed = encoding instanceof PlainName;
    const differences = subtype === "Type0" ? [] : document.items(encoding, "Differences");
    const program = await this.#programOf(own, stream, programKey);
    const flags = document.number(descriptor, "Flags") ?? 0;
    const charSet = document.text(descriptor, "CharSet");
    document.open.engine.work.spend((differences.length + (charSet?.length ?? 0)) * VALUE_WORK);
    const widths = document.get(dictionary, "Widths");
    return {
      dictionary,
      subtype,
      baseFont,
      isStandard: STANDARD.has(baseFont ?? "") && stream === undefined,
      isVisible,
      program,
      hasProgram: stream !== undefined,
      programKey,
      programSubtype: document.name(stream, "Subtype"),
      isSymbolic: (flags & 4) !== 0,
      encoding: isNamed ? encoding.value : document.name(encoding, "BaseEncoding"),
      hasEncoding: encoding !== null,
      hasDifferences: differences.length > 0,
      differencesAreUnicode: program?.knowsNames(differences.flatMap((item) => document.name(item) ?? [])) ?? true,
      widthCount: isArray(widths) ? widths.length : undefined,
      firstCode: document.number(dictionary, "FirstChar"),
      lastCode: document.number(dictionary, "LastChar"),
      descendant: subtype === "Type0" && own ? await this.#descendantOf(dictionary, own, descriptor) : undefined,
      charSet:
        charSet === undefined
          ? undefined
          : new Set(
              charSet
                .split("/")
                .map((name) => name.trim())
                .filter(Boolean),
            ),
      isSubset: /^[A-Z]{6}\+/.test(baseFont ?? ""),
    };
  }

  #collectionOf(info: PlainDictionary | undefined): Collection | undefined {
    if (!info) return undefined;
    const document = this.#document;
    return {
      registry: document.text(info, "Registry") ?? "",
      ordering: document.text(info, "Ordering") ?? "",
      supplement: document.number(info, "Supplement") ?? 0,
    };
  }

  async #descendantOf(
    font: PlainDictionary,
    own: PlainDictionary,
    descriptor: PlainDictionary | undefined,
  ): Promise<DescendantFacts> {
    const document = this.#document;
    const encoding = document.resolve(font.entries.get("Encoding"));
    const stream = document.stream(encoding);
    const name = encoding instanceof PlainName ? encoding.value : undefined;
    const map = await this.#mapOf(font);
    const used = document.get(stream, "UseCMap");
    const cidSet = document.stream(descriptor, "CIDSet");
    return {
      dictionary: own,
      subtype: document.name(own, "Subtype"),
      hasGlyphMap:
        document.name(own, "CIDToGIDMap") === "Identity" || document.stream(own, "CIDToGIDMap") !== undefined,
      collection: this.#collectionOf(document.dictionary(own, "CIDSystemInfo")),
      cidSet: cidSet && (await document.data(cidSet)),
      map: {
        name,
        isPredefined: name !== undefined && predefinedCollection(name) !== undefined,
        isIdentity: name === "Identity-H" || name === "Identity-V",
        collection: stream
          ? this.#collectionOf(document.dictionary(stream, "CIDSystemInfo"))
          : predefinedCollection(name ?? ""),
        declaredMode: stream ? (document.number(stream, "WMode") ?? 0) : undefined,
        fileMode: stream ? (map.vertical ? 1 : 0) : undefined,
        base: used instanceof PlainName ? used.value : document.name(used, "CMapName"),
        largestCid: map.largestCid,
      },
    };
  }

  #programOf(
    font: PlainDictionary | undefined,
    stream: PlainDictionary | undefined,
    key: string | undefined,
  ): Promise<FontProgram | undefined> {
    if (!font || !stream || key === undefined) return readProgram(this.#document, font, undefined, "");
    const known = this.#programs.get(font.object);
    if (known && font.object > 0) return known;
    const program = readProgram(this.#document, font, stream, key);
    this.#programs.set(font.object, program);
    return program;
  }
}

function unitsOf(utf16: Uint8Array): readonly number[] {
  const units: number[] = [];
  for (let at = 0; at + 1 < utf16.length; at += 2) units.push(((utf16[at] ?? 0) << 8) | (utf16[at + 1] ?? 0));
  return units;
}
