/** E-books (EPUB 3.3, and EPUB 2): the documents of the spine in their order, each on pages of its own. */
import { notConvertible, partMissing } from "../../file-errors.ts";
import { textTooLarge } from "../../limit-errors.ts";
import { limits } from "../../../limits.ts";
import type { Archive } from "../source/archive.ts";
import { type AssetSource, archivedPath } from "../source/assets.ts";
import type { Conversion, DocumentPart } from "../source/document.ts";
import type { DocumentParts } from "../source/document-parts.ts";
import { prepareHtml } from "../source/html.ts";
import { decodeEntities, escapedAttribute } from "../source/markup.ts";
import { partAt } from "../source/relationships.ts";
import { ShownBudget } from "../source/shown.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";

const CONTAINER = "META-INF/container.xml";
/** Fonts in them are not loaded, so that their being obfuscated is no loss (EPUB 3.3, 4.3). */
const OBFUSCATION: ReadonlySet<string> = new Set([
  "http://www.idpf.org/2008/embedding",
  "http://ns.adobe.com/pdf/enc#RC",
]);
/** A drawing that is only a frame around a picture, as covers have it. */
const FRAMED = /<svg\b[^<>]*>\s*(<image\b[^<>]*>)\s*(?:<\/image\s*>\s*)?<\/svg\s*>/gi;
const TAG = /<([a-z][\w:-]*)([^<>]*)>/gi;
/** Elements that cannot begin with an inline element. */
const STRICT: ReadonlySet<string> = new Set("table thead tbody tfoot tr ul ol dl".split(" "));
const VOID: ReadonlySet<string> = new Set("img br hr".split(" "));

interface Chapter {
  readonly path: string;
  readonly html: string;
  readonly rule: Awaited<ReturnType<typeof prepareHtml>>["pageRule"];
}

/** @throws Refusal `invalid_file`, `unsupported_format` (rights management), `limit_exceeded` */
export async function readEpub(archive: Archive, parts: DocumentParts): Promise<Conversion> {
  const { work } = parts;
  await refuseLocked(archive, parts);
  const container = await partAt(work, archive, CONTAINER);
  if (container === undefined) throw partMissing(CONTAINER);
  const main = attribute(elementAt(container, "rootfiles", "rootfile"), "full-path") ?? "";
  const root = await partAt(work, archive, main);
  if (root === undefined) throw partMissing(main);
  const notConverted = new Set<string>();
  const chapters: Chapter[] = [];
  const shown = new ShownBudget();
  for (const { path, type } of spineOf(root, main)) {
    await work.rest();
    const chapter = await chapterOf(archive, parts, { path, type, shown, notConverted });
    if (chapter !== undefined) chapters.push(chapter);
  }
  const about = elementAt(root, "metadata");
  const fact = (name: string): string | undefined => textIn(elementAt(about, name)).trim() || undefined;
  return {
    parts: await linkedParts(parts, chapters),
    title: fact("title"),
    author: fact("creator"),
    language: fact("language"),
    notConverted,
  };
}

async function refuseLocked(archive: Archive, { work }: DocumentParts): Promise<void> {
  const root = await partAt(work, archive, "META-INF/encryption.xml");
  const methods = elementsIn(root, "EncryptedData").map((data) => elementAt(data, "EncryptionMethod"));
  if (methods.some((method) => !OBFUSCATION.has(attribute(method, "Algorithm") ?? "")))
    throw notConvertible("an e-book with rights management (EPUB)");
}

interface Item {
  readonly path: string;
  readonly type: string;
}

/** The files of the spine, each once. */
function spineOf(root: XmlElement, main: string): Item[] {
  const folder = main.slice(0, main.lastIndexOf("/") + 1);
  const items = new Map(
    elementsIn(elementAt(root, "manifest"), "item").map((item) => [
      attribute(item, "id") ?? "",
      { path: archivedPath(attribute(item, "href") ?? "", folder) ?? "", type: attribute(item, "media-type") ?? "" },
    ]),
  );
  const found = elementsIn(elementAt(root, "spine"), "itemref").flatMap(
    (reference) => items.get(attribute(reference, "idref") ?? "") ?? [],
  );
  return [...new Map(found.map((item) => [item.path, item])).values()];
}

async function chapterOf(
  archive: Archive,
  { work, options }: DocumentParts,
  { path, type, shown, notConverted }: Item & { shown: ShownBudget; notConverted: Set<string> },
): Promise<Chapter | undefined> {
  if (!archive.has(path)) throw partMissing(path);
  const isPicture = /^image\/(?!svg)/.test(type);
  if (!isPicture && !/x?html|x-dtbook|text\/xml/.test(type)) {
    notConverted.add("chapters");
    return undefined;
  }
  const name = path.slice(path.lastIndexOf("/") + 1);
  const source = isPicture
    ? `<html><body><p><img src="${escapedAttribute(encodeURI(name))}" alt=""/></p></body></html>`
    : ((await archive.readText(path)) ?? "");
  if (source.length > limits.conversion.textBytes) throw textTooLarge(source.length);
  const framed = source.replace(
    FRAMED,
    (_, image: string) => `<img alt="" src="${/href\s*=\s*["']([^"']*)/i.exec(image)?.[1] ?? ""}"/>`,
  );
  const assets = new Neighbors(archive, path.slice(0, path.lastIndexOf("/") + 1), shown);
  const prepared = await prepareHtml(work, framed, { css: options.css, isXml: true, assets });
  for (const lost of prepared.notConverted) notConverted.add(lost);
  return { path, html: prepared.html, rule: prepared.pageRule };
}

/** The files that a chapter refers to. */
class Neighbors implements AssetSource {
  readonly #archive: Archive;
  readonly #folder: string;
  readonly #shown: ShownBudget;

  constructor(archive: Archive, folder: string, shown: ShownBudget) {
    this.#archive = archive;
    this.#folder = folder;
    this.#shown = shown;
  }

  async at(reference: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const path = archivedPath(reference, this.#folder);
    const bytes = path === undefined ? undefined : await this.#archive.read(path);
    this.#shown.picture(bytes?.length ?? 0);
    return bytes;
  }
}

/** The chapters with links that lead from one to another. */
async function linkedParts(parts: DocumentParts, chapters: readonly Chapter[]): Promise<DocumentPart[]> {
  const numbers = new Map(chapters.map(({ path }, index) => [path, index]));
  /** The places in each chapter that links lead to: "" for its beginning. */
  const targets = chapters.map(() => new Set<string>());
  const linked: string[] = [];
  for (const { path, html } of chapters) {
    parts.work.spend(html.length);
    await parts.work.rest();
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    linked.push(
      html.replace(/(<a\b[^<>]*?\shref\s*=\s*)("[^"<>]*"|'[^'<>]*')/gi, (whole, before: string, quoted: string) => {
        const href = decodeEntities(quoted.slice(1, -1));
        const [file = "", place = ""] = href.split("#", 2);
        const to = numbers.get(file === "" ? path : (archivedPath(file, folder) ?? ""));
        if (to === undefined) return whole;
        targets[to]?.add(place);
        return `${before}"#${escapedAttribute(targetOf(to, place))}"`;
      }),
    );
  }
  const made: DocumentPart[] = [];
  for (const [index, html] of linked.entries()) {
    const places = targets[index] ?? new Set();
    const part = await parts.ofHtml(withTargets(html, index, places), {
      isXml: true,
      rule: chapters[index]?.rule ?? {},
    });
    made.push({ ...part, targets: Array.from(places, (place) => targetOf(index, place)) });
  }
  return made;
}

/** Identifiers are unique only in their chapter. */
const targetOf = (chapter: number, place: string): string => `chapter-${chapter}-${place}`;

/** An element at each place that links lead to. The own identifiers stay, as style sheets may select them. */
function withTargets(html: string, chapter: number, places: ReadonlySet<string>): string {
  if (places.size === 0) return html;
  return html.replace(TAG, (tag, name: string, attributes: string) => {
    const isBody = name.toLowerCase() === "body";
    const id = decodeEntities(/\s(?:id|name)\s*=\s*["']([^"']*)/i.exec(attributes)?.[1] ?? "");
    const place = isBody ? "" : id;
    if (!places.has(place) || (place === "" && !isBody)) return tag;
    const target = escapedAttribute(targetOf(chapter, place));
    const local = name.toLowerCase();
    if (STRICT.has(local)) return tag.replace(/(\sid\s*=\s*)(?:"[^"]*"|'[^']*')/i, `$1"${target}"`);
    const mark = `<span id="${target}"></span>`;
    return VOID.has(local) || attributes.endsWith("/") ? `${mark}${tag}` : `${tag}${mark}`;
  });
}
