/** Whether embedded files conform themselves, which part 2 requires of each (ISO 19005-2, 6.8). */
import { find } from "../../../bytes/find.ts";
import { Refusal } from "../../errors.ts";
import { type OpenPdf, openPdf } from "../document/document.ts";
import type { PlainDictionary } from "../objects/plain-values.ts";
import type { ModelDocument } from "./model/document.ts";

/** Embedded files that are opened, and bytes before a header. */
const [MOST_OPENED, MOST_BEFORE] = [20, 1024];
/** Refusals that end the request instead of saying something about the file. */
const OF_REQUEST: ReadonlySet<string> = new Set(["limit_exceeded", "overloaded"]);

/** Judges an open file: undefined if that is not decided. */
export type Judge = (open: OpenPdf, bytes: Uint8Array) => Promise<boolean | undefined>;

export class EmbeddedFiles {
  readonly #document: ModelDocument;
  readonly #judge: Judge | undefined;
  readonly #known = new Map<PlainDictionary, boolean | undefined>();
  #opened = 0;

  /** `judge`: none of files that are embedded themselves, whose own files are not judged. */
  constructor(document: ModelDocument, judge: Judge | undefined) {
    this.#document = document;
    this.#judge = judge;
  }

  /** Whether there are files that were not judged. */
  get areUndecided(): boolean {
    return [...this.#known.values()].includes(undefined);
  }

  /**
   * Whether a file conforms; undefined if that is not decided.
   * @throws Refusal `limit_exceeded`, `overloaded`
   */
  async conforms(file: PlainDictionary): Promise<boolean | undefined> {
    if (this.#known.has(file)) return this.#known.get(file);
    const result = this.#judge && (await this.#judged(file, this.#judge));
    this.#known.set(file, result);
    return result;
  }

  async #judged(file: PlainDictionary, judge: Judge): Promise<boolean | undefined> {
    const bytes = await this.#document.data(file);
    // What cannot be read is no PDF/A either.
    if (!bytes || find(bytes.subarray(0, MOST_BEFORE), "%PDF-", 0) < 0) return false;
    this.#opened += 1;
    if (this.#opened > MOST_OPENED) return undefined;
    const { engine } = this.#document.open;
    try {
      const copy = engine.bytesOf(new engine.mupdf.Buffer(bytes));
      using open = await openPdf(engine, { field: "file", bytes: copy, passwordIsOwn: false });
      return await judge(open, bytes);
    } catch (error) {
      if (error instanceof Refusal && !OF_REQUEST.has(error.code)) return false;
      throw error;
    }
  }
}
