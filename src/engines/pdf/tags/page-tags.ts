/**
 * Reads the tags of single pages (ISO 32000-2, 14.7): from the tags that the parent tree names for the content of a page up to the root. From
 * there, it reads down again, since only the way down tells the order. So a page costs as much as its own tags, however large the tree is, and
 * cycles end by themselves.
 */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { fetchPages } from "../document/fetch-pages.ts";
import { lookUpNumber } from "../document/names.ts";
import { kidsOf, kindOf, MOST_LEVELS } from "../document/structure.ts";
import { type Branch, eachOf } from "../document/tree.ts";
import { items, objectNumber } from "../objects/objects.ts";
import { TextReader } from "../objects/text-string.ts";
import { type Load, loadOf } from "../objects/load.ts";
import { Roles } from "./roles.ts";
import type { PageTags, Tag } from "./tag.ts";

/** Marked content on a page: with more, the page is read as if it had no tags. MuPDF takes 85 ms to report 1,700, and four times that for twice as many. */
export const MOST_MARKED = 2_000;
/** Fuel per element, and per entry of its list of kids. */
const [ELEMENT_WORK, KID_WORK] = [2_000, 50];
/** Lists of kids from this length are remembered for the next page, up to so many kids in all. */
const [LONG_LIST, MOST_REMEMBERED] = [50, 500_000];
/** The largest span of a cell, and the most attributes of an element. */
const [MOST_SPAN, MOST_ATTRIBUTES] = [1_000, 50];

/** A page while it is read. */
interface Reading {
  readonly key: number;
  /** The object number of the page. */
  readonly page: number;
  /** The element that the parent tree names for each identifier, and all of these. */
  readonly owners: readonly number[];
  readonly owning: ReadonlySet<number>;
  /** The elements with content on the page, and those that they are in, by object number. */
  readonly elements: ReadonlyMap<number, PDFObject>;
  readonly reached: Set<number>;
  readonly entered: Set<number>;
}

export class TagReader {
  readonly #open: OpenPdf;
  readonly #load: Load;
  readonly #roles: Roles;
  readonly #texts: TextReader;
  readonly #root: PDFObject;
  /** The object numbers in long lists of kids, 0 for a kid that is no reference. */
  readonly #kids = new Map<number, readonly number[]>();
  #remembered = 0;

  /** A reader of the document's tags; undefined if it has none. */
  static async of(open: OpenPdf): Promise<TagReader | undefined> {
    const load = loadOf(open.engine);
    const root = await load(open.document.getTrailer().get("Root").get("StructTreeRoot"));
    if (!root.isDictionary() || !(await load(root.get("ParentTree"))).isDictionary()) return undefined;
    return new TagReader(open, root, await load(root.get("RoleMap")));
  }

  private constructor(open: OpenPdf, root: PDFObject, roleMap: PDFObject) {
    this.#open = open;
    this.#load = loadOf(open.engine);
    this.#roles = new Roles(this.#load, roleMap);
    this.#texts = new TextReader(open.engine);
    this.#root = root;
  }

  /** The tags of a page (0-based); undefined if none of its content is tagged. */
  ofPage(index: number): Promise<PageTags | undefined> {
    return this.#open.engine.scope(async () => {
      const reading = await this.#begin(index);
      if (reading === undefined) return undefined;
      const root = await this.#tag(this.#root, "Document", reading, 0);
      return reading.reached.size > 0 ? { key: reading.key, root, reached: reading.reached } : undefined;
    });
  }

  async #begin(index: number): Promise<Reading | undefined> {
    const { engine } = this.#open;
    const [page] = await fetchPages(this.#open, [index]);
    const key = page?.get("StructParents");
    if (page === undefined || key?.isNumber() !== true) return undefined;
    const parents = await lookUpNumber(this.#open, this.#root.get("ParentTree"), key.asNumber());
    if (parents?.isArray() !== true || parents.length > MOST_MARKED) return undefined;
    const owners: number[] = [];
    const elements = new Map<number, PDFObject>();
    for (const owner of items(parents)) {
      owners.push(objectNumber(owner));
      let element = owner;
      for (let level = 0; level < MOST_LEVELS; level++) {
        const number = objectNumber(element);
        if (number === 0 || number === objectNumber(this.#root) || elements.has(number)) break;
        engine.work.spend(ELEMENT_WORK);
        await engine.work.pause();
        if (!(await this.#load(element)).isDictionary()) break;
        elements.set(number, element);
        element = element.get("P");
      }
    }
    const number = objectNumber(page);
    const owning = new Set(owners);
    return { key: key.asNumber(), page: number, owners, owning, elements, reached: new Set(), entered: new Set() };
  }

  async #tag(element: PDFObject, role: string, reading: Reading, level: number): Promise<Tag> {
    const { work } = this.#open.engine;
    work.spend(ELEMENT_WORK);
    await work.pause();
    const kids: (Tag | number)[] = [];
    const list = await kidsOf(this.#open.engine, element);
    for (const [at, number] of this.#numbersOf(element, list).entries()) {
      const kid =
        number > 0
          ? await this.#referred(number, element, role, reading, level)
          : this.#marked(list.at(at), element, reading);
      if (kid !== undefined) kids.push(kid);
    }
    const texts = await this.#textsOf(element);
    const isAsked = texts.actualText !== undefined || texts.alt !== undefined || role === "LI" || role === "Table";
    return {
      role,
      kids,
      ...texts,
      ...(await this.#spansOf(element, role)),
      continued: isAsked && (await this.#beginsEarlier(element, reading, new Set())) === true,
    };
  }

  /** The object numbers of an element's kids, 0 for those that are no reference. */
  #numbersOf(element: PDFObject, list: Branch<unknown>): readonly number[] {
    const known = this.#kids.get(objectNumber(element));
    if (known !== undefined) return known;
    const numbers: number[] = [];
    for (let at = 0; at < list.length; at++) {
      this.#open.engine.work.spend(KID_WORK);
      numbers.push(this.#open.engine.scope(() => objectNumber(list.at(at))));
    }
    if (numbers.length >= LONG_LIST && this.#remembered + numbers.length <= MOST_REMEMBERED) {
      this.#remembered += numbers.length;
      this.#kids.set(objectNumber(element), numbers);
    }
    return numbers;
  }

  /** What a reference in an element's kids leads to, if it is on the page. */
  async #referred(
    number: number,
    parent: PDFObject,
    parentRole: string,
    reading: Reading,
    level: number,
  ): Promise<Tag | number | undefined> {
    const { engine, document } = this.#open;
    const element = reading.elements.get(number);
    if (element !== undefined) {
      if (reading.entered.has(number) || level >= MOST_LEVELS) return undefined;
      reading.entered.add(number);
      return this.#tag(element, await this.#roles.of(element), reading, level + 1);
    }
    // A cell that is empty still takes its place; content may be described by an object of its own.
    const isRow = parentRole === "TR";
    if (!isRow && !reading.owning.has(objectNumber(parent))) return undefined;
    engine.work.spend(ELEMENT_WORK);
    const kid = await this.#load(document.newIndirect(number));
    if (!isRow) return this.#marked(kid, parent, reading);
    const role = await this.#roles.of(kid);
    if (role !== "TD" && role !== "TH") return undefined;
    return { role, kids: [], ...(await this.#spansOf(kid, role)), continued: false };
  }

  /** The identifier of content of the page, unless another element has it. */
  #marked(kid: PDFObject, parent: PDFObject, { page, owners, reached }: Reading): number | undefined {
    const isReference = kindOf(kid) === "MCR";
    const identifier = isReference ? kid.get("MCID") : kid;
    if (!identifier.isNumber() || (isReference && !kid.get("Stm").isNull())) return undefined;
    const own = isReference ? objectNumber(kid.get("Pg")) : 0;
    const on = own === 0 ? objectNumber(parent.get("Pg")) : own;
    const number = identifier.asNumber();
    if ((on !== 0 && on !== page) || owners[number] !== objectNumber(parent) || reached.has(number)) return undefined;
    reached.add(number);
    return number;
  }

  /** Whether an element has content on another page before its first content on this one; undefined if it has neither. */
  async #beginsEarlier(element: PDFObject, reading: Reading, seen: Set<number>): Promise<boolean | undefined> {
    const { engine } = this.#open;
    for await (const kid of eachOf(engine, await kidsOf(engine, element))) {
      const kind = kindOf(await this.#load(kid));
      const own = kind === "identifier" ? 0 : objectNumber(kid.get("Pg"));
      const page = own === 0 ? objectNumber(element.get("Pg")) : own;
      if (kind === "identifier" || kind === "MCR") {
        if (page !== 0) return page !== reading.page;
      } else if (kind === "element") {
        if (own !== 0 && (await kidsOf(engine, kid)).length > 0) return own !== reading.page;
        const number = objectNumber(kid);
        if (seen.has(number) || seen.size >= MOST_LEVELS) continue;
        seen.add(number);
        const inside = await this.#beginsEarlier(kid, reading, seen);
        if (inside !== undefined) return inside;
      }
    }
    return undefined;
  }

  async #textsOf(element: PDFObject): Promise<Pick<Tag, "actualText" | "alt">> {
    const actualText = this.#texts.text(await this.#load(element.get("ActualText")));
    const alt = this.#texts.text(await this.#load(element.get("Alt")));
    return { ...(actualText !== undefined && { actualText }), ...(alt !== undefined && { alt }) };
  }

  async #spansOf(element: PDFObject, role: string): Promise<Pick<Tag, "rowSpan" | "columnSpan">> {
    let [rowSpan, columnSpan] = [1, 1];
    if (role !== "TD" && role !== "TH") return { rowSpan, columnSpan };
    const own = await this.#load(element.get("A"));
    const names = await this.#load(element.get("C"));
    const classes = await this.#load(this.#root.get("ClassMap"));
    const lists = [own];
    for (const name of names.isArray() ? items(names).slice(0, MOST_ATTRIBUTES) : [names]) {
      if ((await this.#load(name)).isName()) lists.unshift(await this.#load(classes.get(name.asName())));
    }
    for (const list of lists) {
      for (const attributes of list.isArray() ? items(list).slice(0, MOST_ATTRIBUTES) : [list]) {
        if (!(await this.#load(attributes)).isDictionary()) continue;
        rowSpan = spanOf(attributes.get("RowSpan")) ?? rowSpan;
        columnSpan = spanOf(attributes.get("ColSpan")) ?? columnSpan;
      }
    }
    return { rowSpan, columnSpan };
  }
}

const spanOf = (value: PDFObject): number | undefined =>
  value.isNumber() && value.asNumber() >= 1 ? Math.min(Math.floor(value.asNumber()), MOST_SPAN) : undefined;
