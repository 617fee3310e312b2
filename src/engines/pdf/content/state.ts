/** Tracks what the content streams of a page leave open at their end (ISO 32000-2, 7.8.2 and 8.4.2). */
import { bytesOf } from "../../bytes/latin1.ts";
import type { Work } from "../../work.ts";
import type { TokenKind } from "../syntax/tokens.ts";
import { ContentLexer } from "./lexer.ts";

/** The bytes of a stream from one offset up to another. */
type ByteRange = readonly [from: number, to: number];

const word = (text: string): number =>
  [0, 1, 2].reduce((value, place) => (value << 8) | (place < text.length ? text.charCodeAt(place) : 0), 0);
const [SAVE, RESTORE, BEGIN_TEXT, END_TEXT] = [word("q"), word("Q"), word("BT"), word("ET")];
const [MARK, MARK_WITH, END_MARK] = [word("BMC"), word("BDC"), word("EMC")];
const [IMAGE, IMAGE_DATA] = [word("BI"), word("ID")];
/** All operators (annex A) by the number of their operands, of which those that set colors may have more. */
const OPERANDS: readonly string[] = [
  "b B b* B* BI BT BX EI EMC ET EX f F f* h ID n q Q s S T* W W* SC SCN sc scn",
  "BMC CS cs Do G g gs i J j M MP ri sh Tc Tj TJ TL Tr Ts Tw Tz w '",
  "BDC d d0 DP l m Td TD Tf",
  'RG rg "',
  "K k re v y",
  "",
  "c cm d1 Tm",
];
const OPERATORS = new Map(
  OPERANDS.flatMap((names, count) => names.split(" ").map((name) => [word(name), count] as const)),
);

const VALUES = ["true", "false", "null"].map((text) => bytesOf(text));
const isValue = (bytes: Uint8Array, start: number, end: number): boolean =>
  VALUES.some((value) => value.length === end - start && value.every((byte, at) => bytes[start + at] === byte));

/** An open array or dictionary. */
interface Container {
  readonly isDictionary: boolean;
  items: number;
}

/** Maximum nesting of arrays and dictionaries. Readers give up earlier. */
const DEEPEST = 100;

/**
 * Reads the content streams of a page in order. They form one content: an array, dictionary, or text object and, as readers
 * interpret it, even a string, comment, or inline image may begin in one stream and end in another.
 */
export class ContentState {
  /** Unmatched `q`, `BMC` and `BDC`, and `BT`. */
  #saved = 0;
  #marked = 0;
  #inText = false;
  /** Outermost first. */
  readonly #containers: Container[] = [];
  readonly #lexer = new ContentLexer();
  /** Where an open inline image began. */
  #image: { readonly stream: number; readonly from: number } | undefined;
  #streams = 0;
  #isDoubtful = false;
  /** Operands since the last operator. */
  #operands = 0;
  readonly #blanked: ByteRange[][] = [];

  /** Reads the next stream. Others have their turn meanwhile. */
  async read(bytes: Uint8Array, work: Work): Promise<void> {
    this.#blanked.push([]);
    const lexer = this.#lexer;
    lexer.feed(bytes);
    for (let token = lexer.next(); token; token = lexer.next()) {
      if (lexer.isDue) await work.rest();
      const { start, end } = lexer;
      if (token === "word") this.#word(bytes, start, end);
      else if (token === "image") this.#image = undefined;
      else if (token === "]" || token === ">>" || token === "}") this.#close(token);
      else {
        this.#value(token === "name");
        if (token === "stray") this.#isDoubtful = true;
        else if (token === "[" || token === "<<" || token === "{") this.#open(token);
      }
    }
    this.#streams++;
  }

  /**
   * Whether readers disagree about what is open: the content has words that are no operators, operators that lack operands or are inside of arrays
   * and dictionaries, dictionaries of something else than names and values, delimiters without their counterpart, or an inline image that never
   * ends. Each reader continues elsewhere after these, or gives up.
   */
  get isDoubtful(): boolean {
    const { unfinished } = this.#lexer;
    const isOpen = this.#containers.length > 0 || (unfinished !== undefined && unfinished !== "comment");
    return this.#isDoubtful || isOpen || this.#image !== undefined;
  }

  /** Operators that close what is open. A comment ends at the end of its line. */
  get closing(): string {
    return `\n${this.#inText ? "ET " : ""}${"EMC ".repeat(this.#marked)}${"Q ".repeat(this.#saved)}`;
  }

  /**
   * What must be blanked in each stream before anything can be put around them: a `Q` with nothing to restore, which readers
   * ignore until a `q` precedes it, and an inline image that never ends.
   */
  get blanked(): readonly (readonly ByteRange[])[] {
    const image = this.#image;
    if (!image) return this.#blanked;
    return this.#blanked.map((ranges, stream) =>
      stream < image.stream ? ranges : [...ranges, [stream === image.stream ? image.from : 0, Infinity]],
    );
  }

  /** An operand, or an item of an open array or dictionary. */
  #value(isName = false): void {
    const container = this.#containers.at(-1);
    if (!container) this.#operands++;
    else if (container.isDictionary && container.items++ % 2 === 0 && !isName) this.#isDoubtful = true;
  }

  #open(token: "[" | "<<" | "{"): void {
    if (token === "{" || this.#containers.length >= DEEPEST) this.#isDoubtful = true;
    else this.#containers.push({ isDictionary: token === "<<", items: 0 });
  }

  #close(token: TokenKind): void {
    const container = this.#containers.pop();
    const expected = container?.isDictionary ? ">>" : "]";
    if (!container || token !== expected || container.items % 2 !== 0) this.#isDoubtful = true;
  }

  #word(bytes: Uint8Array, start: number, end: number): void {
    if (end - start > 3) {
      if (isValue(bytes, start, end)) this.#value();
      else this.#isDoubtful = true;
      return;
    }
    let operator = 0;
    for (let place = 0; place < 3; place++) {
      operator = (operator << 8) | (start + place < end ? (bytes[start + place] ?? 0) : 0);
    }
    if (this.#containers.length > 0 || this.#operands < (OPERATORS.get(operator) ?? Infinity)) this.#isDoubtful = true;
    // An operator ends all open operands.
    this.#containers.length = 0;
    this.#operands = 0;
    if (operator === SAVE) this.#saved++;
    else if (operator === RESTORE) {
      if (this.#saved > 0) this.#saved--;
      else this.#blanked.at(-1)?.push([start, end]);
    } else if (operator === BEGIN_TEXT) this.#inText = true;
    else if (operator === END_TEXT) this.#inText = false;
    else if (operator === END_MARK) this.#marked = Math.max(0, this.#marked - 1);
    else if (operator === IMAGE) this.#image = { stream: this.#streams, from: start };
    else if (operator === MARK || operator === MARK_WITH) this.#marked++;
    else if (operator === IMAGE_DATA && this.#image) {
      this.#lexer.image();
      if (!this.#lexer.unfinished) this.#image = undefined;
    }
  }
}
