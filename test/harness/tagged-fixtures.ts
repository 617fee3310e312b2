import { layoutDocument } from "./layout-fixtures.ts";
import type { PdfObject } from "./pdf-writer.ts";

/** A structure element: its type, its entries, and what is in it: elements, and content by page (0-based) and identifier. */
export interface Element {
  readonly type: string;
  readonly kids?: readonly (Element | Content)[];
  /** Further entries of its dictionary. */
  readonly entries?: string;
}

export interface Content {
  readonly page: number;
  readonly id: number;
}

export const element = (type: string, kids: Element["kids"] = [], entries = ""): Element => ({ type, kids, entries });

/** Content of page 0, or of another one. */
export const on = (id: number, page = 0): Content => ({ page, id });

/** What is drawn as marked content. */
export const marked = (id: number, drawn: string, type = "P"): string => `/${type} <</MCID ${id}>> BDC\n${drawn}EMC\n`;

export const artifact = (drawn: string): string => `/Artifact <</Type /Pagination>> BDC\n${drawn}EMC\n`;

interface TaggedOptions {
  /** Entries of the role map. */
  readonly roles?: string;
  /** Makes the parent of the document's element one of its own kids, and it a kid of that. */
  readonly cyclic?: boolean;
  /** Bytes that nothing uses. */
  readonly padding?: number;
}

/** A document with the structure tree of `top`. */
export function taggedDocument(
  pages: readonly string[],
  top: Element,
  { roles = "", cyclic = false, padding = 0 }: TaggedOptions = {},
): Uint8Array {
  // The objects of layoutDocument before the catalog's: fonts, contents, pages, the page tree.
  const fonts = 4;
  const pageAt = (page: number): string => `${fonts + pages.length + page + 1} 0 R`;
  return layoutDocument(
    pages,
    (page) => `/StructParents ${page}`,
    (add) => {
      let next = fonts + 2 * pages.length + 2;
      const owners: string[][] = pages.map(() => []);
      const bodies: string[] = [];
      const root = `${next++} 0 R`;
      const write = ({ type, kids = [], entries = "" }: Element, parent: string): string => {
        const own = `${next++} 0 R`;
        const place = bodies.push("") - 1;
        const list = kids.map((kid) => {
          if ("type" in kid) return write(kid, own);
          const ids = owners[kid.page];
          if (ids !== undefined) ids[kid.id] = own;
          return `<< /Type /MCR /Pg ${pageAt(kid.page)} /MCID ${kid.id} >>`;
        });
        if (cyclic && parent === root) list.push(own);
        const above = cyclic && parent === root ? `${next - 1} 0 R` : parent;
        bodies[place] = `<< /Type /StructElem /S /${type} /P ${above} /K [${list.join(" ")}] ${entries} >>`;
        return own;
      };
      const first = write(top, root);
      const parents = owners.map((ids, page) => `${page} [${Array.from(ids, (id) => id ?? "null").join(" ")}]`);
      const objects: PdfObject[] = [
        `<< /Type /StructTreeRoot /K ${first} /RoleMap << ${roles} >> /ParentTree << /Nums [${parents.join(" ")}] >> >>`,
        ...bodies,
      ];
      const [tree] = objects.map(add);
      if (padding > 0) add({ entries: "", data: new Uint8Array(padding) });
      return `/StructTreeRoot ${tree ?? ""} /MarkInfo << /Marked true >>`;
    },
  );
}
