import type { PdfObject } from "./pdf-writer.ts";

/** What a fixture can have beside text; see the function of each. */
export type Feature =
  | "outline"
  | "destinations"
  | "links"
  | "labels"
  | "form"
  | "tagged"
  | "attachments"
  | "shared-image"
  | "image-per-page"
  | "boxes"
  | "layers";

export interface DocumentOptions {
  /** Word that stands on each page: "Page 7 of alpha". */
  readonly name: string;
  readonly pages: number;
  readonly features?: readonly Feature[];
  /** Bytes of each image of `shared-image` and `image-per-page`, about. */
  readonly imageBytes?: number;
  readonly seed?: number;
}

export interface PageDraft {
  readonly ref: string;
  readonly entries: Map<string, string>;
  readonly annotations: string[];
  /** Content, in order; joined by new lines. */
  readonly content: string[];
}

/** A document in the making: objects by number, and the catalog's and pages' entries until they are written. */
export class Draft {
  readonly options: DocumentOptions;
  readonly objects: PdfObject[] = [];
  readonly pages: PageDraft[] = [];
  readonly catalog = new Map<string, string>([["Type", "/Catalog"]]);
  /** The Resources that all pages inherit: category, then name and value. */
  readonly resources = new Map<string, Map<string, string>>();
  /** The catalog's `/Names`. */
  readonly names = new Map<string, string>();
  /** Entries of the intermediate page tree nodes, by their place. */
  readonly nodeEntries = new Map<number, string>();

  constructor(options: DocumentOptions) {
    this.options = options;
  }

  /** A number for an object that is written later. */
  reserve(): string {
    this.objects.push("null");
    return `${this.objects.length} 0 R`;
  }

  set(ref: string, object: PdfObject): void {
    this.objects[Number.parseInt(ref, 10) - 1] = object;
  }

  add(object: PdfObject): string {
    const ref = this.reserve();
    this.set(ref, object);
    return ref;
  }

  resource(category: string, name: string, value: string): void {
    const entries = this.resources.get(category) ?? new Map<string, string>();
    entries.set(name, value);
    this.resources.set(category, entries);
  }

  /** The page at a 0-based index; the last for an index beyond it. */
  page(index: number): PageDraft {
    const page = this.pages[Math.min(index, this.pages.length - 1)];
    if (page === undefined) throw new Error("a fixture needs a page");
    return page;
  }
}

export const dictionary = (entries: ReadonlyMap<string, string>): string =>
  `<< ${[...entries].map(([key, value]) => `/${key} ${value}`).join(" ")} >>`;
