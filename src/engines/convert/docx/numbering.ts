/** The numbers and marks of lists (ECMA-376, part 1, 17.9). */
import { numbered } from "../source/numbers.ts";
import { attribute, elementAt, elementsIn, type XmlElement } from "../source/xml.ts";
import { type ParagraphStyle, paragraphStyleOf, runStyleOf } from "./styles.ts";

interface Level {
  readonly format: string;
  readonly text: string;
  readonly start: number;
  readonly paragraph: ParagraphStyle;
  readonly font: string | undefined;
}

/** Marks in fonts of symbols, at the places that Word uses. */
const SYMBOLS: Readonly<Record<string, string>> = {
  "\uf0b7": "\u2022",
  "\uf0a7": "\u25aa",
  "\uf0a8": "\u25ab",
  "\uf076": "\u2756",
  "\uf0d8": "\u27a2",
  "\uf0fc": "\u2713",
  "\uf0fe": "\u2611",
  "\uf06f": "\u25a1",
  "\uf071": "\u2751",
  "\uf0e0": "\u2192",
  "\uf02d": "\u2013",
  "\u00b7": "\u2022",
  "\u00a7": "\u25aa",
};

/** Lists have nine levels (17.9.3). */
const isLevel = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < 9;
/** Characters of a mark that are kept: Word has 255. */
const LONGEST_MARK = 255;

/** Counts the lists of a document in its order. */
export class Numbering {
  readonly #lists = new Map<
    string,
    { abstract: string; levels: ReadonlyMap<number, Level>; overrides: ReadonlyMap<number, number> }
  >();
  readonly #counts = new Map<string, number[]>();
  readonly #begun = new Set<string>();

  constructor(root: XmlElement | undefined) {
    const abstracts = new Map(
      elementsIn(root, "abstractNum").map((list) => [attribute(list, "abstractNumId") ?? "", levelsOf(list)] as const),
    );
    for (const list of elementsIn(root, "num")) {
      const abstract = attribute(elementAt(list, "abstractNumId"), "val") ?? "";
      const changes = elementsIn(list, "lvlOverride");
      const own = new Map(changes.flatMap((change) => [...levelsOf(change)]));
      const overrides = new Map(
        changes.flatMap((change) => {
          const start = attribute(elementAt(change, "startOverride"), "val");
          const level = Number(attribute(change, "ilvl"));
          return start === undefined || !isLevel(level) ? [] : [[level, Number(start)] as const];
        }),
      );
      const levels = new Map([...(abstracts.get(abstract) ?? []), ...own]);
      this.#lists.set(attribute(list, "numId") ?? "", { abstract, levels, overrides });
    }
  }

  /** The number or mark of the next paragraph of a list, and the indent of its level; undefined if it has none. */
  next({
    id,
    level,
  }: {
    readonly id: string;
    readonly level: number;
  }): { mark: string; paragraph: ParagraphStyle } | undefined {
    const list = this.#lists.get(id);
    const own = list?.levels.get(level);
    if (list === undefined || own === undefined) return undefined;
    const counts = this.#counts.get(list.abstract) ?? [];
    this.#counts.set(list.abstract, counts);
    if (!this.#begun.has(id)) {
      this.#begun.add(id);
      for (const [at, start] of list.overrides) counts[at] = start - 1;
    }
    counts[level] = (counts[level] ?? own.start - 1) + 1;
    counts.length = level + 1;
    if (own.format === "bullet")
      return {
        mark:
          SYMBOLS[own.text] ??
          (/^[\ue000-\uf8ff]/.test(own.text) ? "\u2022" : own.font?.startsWith("Courier") ? "\u25e6" : own.text),
        paragraph: own.paragraph,
      };
    const mark = own.text.replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const shown = list.levels.get(at);
      return numbered(counts[at] ?? shown?.start ?? 1, shown?.format ?? "decimal");
    });
    return { mark, paragraph: own.paragraph };
  }
}

function levelsOf(list: XmlElement): Map<number, Level> {
  return new Map(
    elementsIn(list, "lvl").flatMap((level) => {
      const place = Number(attribute(level, "ilvl") ?? 0);
      if (!isLevel(place)) return [];
      const start = Number(attribute(elementAt(level, "start"), "val") ?? 1);
      const found: Level = {
        format: attribute(elementAt(level, "numFmt"), "val") ?? "decimal",
        text: (attribute(elementAt(level, "lvlText"), "val") ?? "").slice(0, LONGEST_MARK),
        start: Number.isSafeInteger(start) && start >= 0 ? start : 1,
        paragraph: paragraphStyleOf(elementAt(level, "pPr")),
        font: runStyleOf(elementAt(level, "rPr")).font,
      };
      return [[place, found] as const];
    }),
  );
}
