/**
 * Reads operators as readers of damaged content may find them (ISO 32000-2, 7.8.2): a word that may be an operator is one, even in an array or a
 * dictionary, which it ends. Used for the cost of content, which must not be less than any reader finds, and for the constructs that content leaves
 * open.
 */
import { bytesOf } from "../../../bytes/latin1.ts";
import { ContentLexer } from "./lexer.ts";
import { LONGEST_OPERATOR, OPERATORS, type Operator, operatorAt, UNKNOWN } from "./operator-table.ts";
import type { Operators } from "./processor.ts";

/** Longest name in bytes that is distinguished: readers may truncate longer ones. */
const MOST_NAME = 120;
/** Maximum nesting of arrays and dictionaries. Readers stop earlier. */
const DEEPEST = 100;

const END_IMAGE = OPERATORS.get("EI") ?? UNKNOWN;
const VALUES = ["true", "false", "null"].map((text) => bytesOf(text));
const isValue = (bytes: Uint8Array, start: number, end: number): boolean =>
  VALUES.some((value) => value.length === end - start && value.every((byte, at) => bytes[start + at] === byte));

/** An open array or dictionary. */
interface Container {
  readonly isDictionary: boolean;
  items: number;
}

export class TolerantOperators implements Operators {
  /** The operator. */
  entry = UNKNOWN;
  /** Operands since the last operator. */
  count = 0;
  /** At least as many bytes as the strings among them have, also those in arrays. */
  stringBytes = 0;
  #names = 0;
  /** The last name among them, once it was requested, and its position. */
  #name: string | undefined;
  #nameStart = 0;
  #nameEnd = 0;
  /** Outermost first. */
  readonly #containers: Container[] = [];
  #bytes: Uint8Array = new Uint8Array();
  #lexer = new ContentLexer();
  /** Where an inline image began that has not ended. */
  #image: { readonly stream: number; readonly from: number } | undefined;
  #streams = -1;
  #isDoubtful = false;
  /** Whether the last token is an operator, and whether it is the data of an inline image. */
  #isComplete = false;
  #endsImage = false;

  get isDue(): boolean {
    return this.#lexer.isDue;
  }

  /** Where the operator begins and ends in its stream. */
  get start(): number {
    return this.#lexer.start;
  }

  get end(): number {
    return this.#lexer.end;
  }

  /** Continues in the next stream, in which a string, a comment, or an inline image may end. */
  feed(bytes: Uint8Array): void {
    this.#next(bytes);
    this.#lexer.feed(bytes);
  }

  /** Continues with a stream that begins with a token. */
  restart(bytes: Uint8Array): void {
    this.#next(bytes);
    this.#lexer = new ContentLexer(bytes);
    this.#image = undefined;
  }

  next(): boolean {
    if (this.#isComplete) {
      this.#isComplete = false;
      this.count = this.stringBytes = this.#names = 0;
    }
    if (this.#endsImage) {
      this.#endsImage = false;
      return this.#found(END_IMAGE);
    }
    const lexer = this.#lexer;
    for (let token = lexer.next(); token; token = lexer.next()) {
      const { start, end } = lexer;
      switch (token) {
        case "word":
          if (end - start > LONGEST_OPERATOR) this.#longWord(start, end);
          else return this.#word(start, end);
          break;
        case "image":
          this.#image = undefined;
          return this.#found(END_IMAGE);
        case "[":
        case "<<":
        case "{":
          this.#value();
          this.#open(token);
          break;
        case "]":
        case ">>":
        case "}":
          this.#close(token);
          break;
        case "name":
          this.#names++;
          this.#name = undefined;
          this.#nameStart = start + 1;
          this.#nameEnd = end;
          this.#value(true);
          break;
        default:
          if (token === "literal") this.stringBytes += end - start - 1;
          else if (token === "hex") this.stringBytes += (end - start - 1) >> 1;
          else if (token === "stray") this.#isDoubtful = true;
          this.#value();
      }
    }
    return false;
  }

  /**
   * The name among the operands; "" if it is not plain ASCII, or one of several, of which some readers use the first and others the last. Undefined if
   * there is none.
   */
  name(): string | undefined {
    if (this.#names !== 1) return this.#names === 0 ? undefined : "";
    return (this.#name ??= this.#readName());
  }

  /**
   * Whether readers disagree about the open constructs. The content has words that are not operators, or operators without their operands or
   * inside of arrays and dictionaries. Or it has dictionaries of anything but names and values, delimiters without their counterpart, or an
   * inline image that never ends. Each reader continues elsewhere after these, or stops.
   */
  get isDoubtful(): boolean {
    const { unfinished } = this.#lexer;
    const isOpen = this.#containers.length > 0 || (unfinished !== undefined && unfinished !== "comment");
    return this.#isDoubtful || isOpen || this.#image !== undefined;
  }

  /** The stream and the offset at which an inline image began that never ends. */
  get openImage(): { readonly stream: number; readonly from: number } | undefined {
    return this.#image;
  }

  #next(bytes: Uint8Array): void {
    // An operand may be in the stream before that of its operator.
    if (this.#names === 1) this.#name ??= this.#readName();
    this.#bytes = bytes;
    this.#streams++;
  }

  #readName(): string {
    if (this.#nameEnd - this.#nameStart >= MOST_NAME) return "";
    const name = this.#lexer.text(this.#nameStart, this.#nameEnd);
    return /^[^#\x7f-\xff]*$/.test(name) ? name : "";
  }

  #found(operator: Operator): true {
    this.entry = operator;
    this.#isComplete = true;
    return true;
  }

  #longWord(start: number, end: number): void {
    this.#names = 0;
    if (isValue(this.#bytes, start, end)) this.#value();
    else this.#isDoubtful = true;
  }

  #word(start: number, end: number): true {
    const operator = operatorAt(this.#bytes, start, end) ?? UNKNOWN;
    if (this.#containers.length > 0) {
      // An operator ends all open operands.
      this.#containers.length = 0;
      this.#isDoubtful = true;
    } else if (this.count < operator.operands) this.#isDoubtful = true;
    if (operator.family === "image") this.#image = { stream: this.#streams, from: start };
    else if (operator.family === "imageData" && this.#image) {
      this.#lexer.image();
      this.#endsImage = this.#lexer.unfinished === undefined;
      if (this.#endsImage) this.#image = undefined;
    }
    return this.#found(operator);
  }

  /** An operand, or an item of an open array or dictionary. */
  #value(isName = false): void {
    if (this.#containers.length === 0) this.count++;
    else this.#item(isName);
  }

  #item(isName: boolean): void {
    const container = this.#containers.at(-1);
    if (container?.isDictionary && container.items++ % 2 === 0 && !isName) this.#isDoubtful = true;
  }

  #open(token: "[" | "<<" | "{"): void {
    if (token === "{" || this.#containers.length >= DEEPEST) this.#isDoubtful = true;
    else this.#containers.push({ isDictionary: token === "<<", items: 0 });
  }

  #close(token: "]" | ">>" | "}"): void {
    const container = this.#containers.pop();
    const expected = container?.isDictionary ? ">>" : "]";
    if (!container || token !== expected || container.items % 2 !== 0) this.#isDoubtful = true;
  }
}
