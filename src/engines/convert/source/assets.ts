/** The files that an HTML or Markdown document refers to: a ZIP archive with them at their relative paths. */
import type { InputBytes } from "../../memory/heap.ts";
import { notArchive } from "../../file-errors.ts";
import { assetsTooLarge, tooManyAssets } from "../../limit-errors.ts";
import type { PdfEngine } from "../../pdf/mupdf/mupdf.ts";
import { limits } from "../../../limits.ts";
import { Archive } from "./archive.ts";
import { assetOutsideOfArchive, assetTwice, assetsUnused } from "../../parameter-errors.ts";

const FIELD = "assets";
/** Files that programs add to archives on their own. */
const NO_ASSET = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$)|\/$/;

/** Where the files are that HTML refers to. */
export interface AssetSource {
  /** The file at a relative URL; undefined if there is none. */
  at(reference: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

export class Assets implements AssetSource {
  readonly #archive: Archive;
  /** The name in the archive, by path. */
  readonly #names = new Map<string, string>();
  readonly #read = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #unused = new Set<string>();
  #bytes = 0;

  /**
   * @throws Refusal `unsupported_format`, `invalid_parameters` (a path that is there twice or leads out of the archive), `limit_exceeded`
   */
  constructor(engine: PdfEngine, bytes: InputBytes) {
    const archive = Archive.open(engine, bytes, FIELD);
    if (archive === undefined) throw notArchive(FIELD);
    this.#archive = archive;
    for (const name of archive.names) {
      if (NO_ASSET.test(name)) continue;
      const path = normalized(name);
      if (path === undefined) throw assetOutsideOfArchive(name);
      if (this.#names.has(path)) throw assetTwice(path);
      this.#names.set(path, name);
      this.#unused.add(path);
    }
    const actual = this.#names.size;
    if (actual > limits.conversion.assets) throw tooManyAssets(actual);
  }

  /** The file that a document refers to by a relative URL, which counts as used; undefined if there is none. */
  async at(reference: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const path = archivedPath(reference);
    const name = path === undefined ? undefined : this.#names.get(path);
    if (path === undefined || name === undefined) return undefined;
    this.#unused.delete(path);
    const bytes = this.#read.get(path) ?? (await this.#archive.read(name));
    if (bytes === undefined) return undefined;
    this.#read.set(path, bytes);
    // Each use is one in the HTML.
    this.#bytes += bytes.length;
    if (this.#bytes > limits.conversion.assetBytes) throw assetsTooLarge(this.#bytes);
    return bytes;
  }

  /**
   * All files, by their paths.
   * @throws Refusal `invalid_file`, `limit_exceeded`
   */
  async all(): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
    const files = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const path of this.#names.keys()) {
      const bytes = await this.at(encodeURI(path));
      if (bytes !== undefined) files.set(path, bytes);
    }
    return files;
  }

  /** @throws Refusal `invalid_parameters` */
  refuseUnused(): void {
    if (this.#unused.size > 0) throw assetsUnused([...this.#unused]);
  }
}

/** The path of a relative URL (RFC 3986, 5.2), from a document in a folder of the archive: "" for its root, else with `/` at its end. */
export function archivedPath(reference: string, folder = ""): string | undefined {
  const trimmed = reference.trim();
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(trimmed)) return undefined;
  const [path = ""] = trimmed.split(/[?#]/, 1);
  try {
    return normalized(folder + decodeURIComponent(path));
  } catch {
    return normalized(folder + path);
  }
}

/** Without `.` and `..`; undefined if it leads out of the root. */
function normalized(path: string): string | undefined {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.join("/").normalize("NFC");
}
