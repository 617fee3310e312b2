/** Rich Text (RTF 1.9.1) as HTML. */
import { latin1 } from "../../../bytes/latin1.ts";
import { fileDamaged } from "../../file-errors.ts";
import type { InputBytes } from "../../memory/heap.ts";
import { richTextTooLarge } from "../../limit-errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import { limits } from "../../../limits.ts";
import type { Conversion } from "../source/document.ts";
import type { DocumentParts } from "../source/document-parts.ts";
import { escapedAttribute, htmlDocument, noteHtml, noteReference } from "../source/markup.ts";
import { pictureHtml } from "../source/picture.ts";
import { ShownBudget } from "../source/shown.ts";
import { hyperlinkOf } from "../docx/fields.ts";
import { RichTextWriter } from "./body.ts";
import { CHARACTERS, LOST, OPTIONAL, SKIPPED } from "./control-words.ts";
import { encodingOfCodePage, symbolOf } from "./encodings.ts";
import { paragraphAfter, runAfter } from "./formatting.ts";
import { ColorTable, FontTable, StyleSheet } from "./header-tables.ts";
import { PLAIN_PARAGRAPH, PLAIN_RUN, type ParagraphLook, type RunLook } from "./looks.ts";
import { pageRule, type PageWords, TWIPS } from "./page.ts";
import { PictureReader } from "./pictures.ts";
import { tokensOf } from "./tokens.ts";

const STYLE = "p{margin:0}h1,h2,h3,h4,h5,h6{margin:0}td p{margin:0}";
/** Groups within each other that are read. */
const DEEPEST = 500;

/** What the text of a group is. */
type Destination =
  | "body"
  | "skip"
  | "fonts"
  | "colors"
  | "styles"
  | "picture"
  | "code"
  | "title"
  | "author"
  | "bookmark"
  | "lost";

interface Group {
  readonly run: RunLook;
  readonly paragraph: ParagraphLook;
  readonly destination: Destination;
  /** Characters after a `\u` that stand for it. */
  readonly unicodeSkip: number;
  readonly end?: (() => void) | undefined;
}

/** @throws Refusal `invalid_file`, `limit_exceeded` */
export async function readRtf(bytes: InputBytes, parts: DocumentParts): Promise<Conversion> {
  if (bytes.length > limits.conversion.rtfBytes) throw richTextTooLarge(bytes.length);
  const meter = new ParseMeter(parts.work, "rtf");
  meter.bytes(bytes.length);
  const reader = new RtfReader(parts, latin1(bytes.view(0, bytes.length).slice()));
  return reader.read(meter);
}

class RtfReader {
  readonly #parts: DocumentParts;
  readonly #text: string;
  readonly #notConverted = new Set<string>();
  readonly #shown = new ShownBudget();
  readonly #body = new RichTextWriter(this.#shown);
  readonly #fonts = new FontTable((page) => this.#encodingOf(page));
  readonly #colors = new ColorTable();
  readonly #styles = new StyleSheet();
  readonly #facts: { title: string; author: string } = { title: "", author: "" };
  readonly #page: PageWords = {};
  readonly #open: Group[] = [];
  readonly #notes: string[] = [];
  #group: Group = { run: PLAIN_RUN, paragraph: PLAIN_PARAGRAPH, destination: "body", unicodeSkip: 1 };
  #encoding = "windows-1252";
  /** Bytes of text that are not decoded yet: a character may have several. */
  #bytes: number[] = [];
  /** Characters that stand for the last `\u`. */
  #skip = 0;
  #isOptional = false;
  #code = "";
  #collected = "";
  #picture: PictureReader | undefined;

  constructor(parts: DocumentParts, text: string) {
    this.#parts = parts;
    this.#text = text;
  }

  async read(meter: ParseMeter): Promise<Conversion> {
    for (const token of tokensOf(this.#text)) {
      meter.element();
      await meter.pause();
      if (token.kind !== "text" && token.kind !== "byte") this.#decodeBytes();
      switch (token.kind) {
        case "open":
          if (this.#open.length >= DEEPEST) throw fileDamaged("file");
          this.#open.push(this.#group);
          this.#group = { ...this.#group, end: undefined };
          this.#skip = 0;
          this.#isOptional = false;
          break;
        case "close": {
          this.#skip = 0;
          const { end } = this.#group;
          const before = this.#open.pop();
          end?.();
          if (before === undefined || this.#open.length === 0) return this.#end();
          this.#group = before;
          break;
        }
        case "byte":
          if (this.#skip > 0) this.#skip -= 1;
          else this.#bytes.push(token.value);
          break;
        case "text":
          this.#addText(token.text);
          break;
        case "binary":
          if (this.#group.destination === "picture") this.#picture?.binary(this.#text.slice(token.start, token.end));
          break;
        case "word":
          this.#word(token.name, token.value);
      }
    }
    // Programs read a file whose end is missing.
    this.#decodeBytes();
    return this.#end();
  }

  async #end(): Promise<Conversion> {
    const body = this.#body.end();
    const notes = this.#notes.length === 0 ? "" : `<hr>${this.#notes.join("")}`;
    const html = htmlDocument({ style: STYLE, body: `${body}${notes}` });
    return {
      parts: [await this.#parts.ofHtml(html, { rule: pageRule(this.#page) })],
      title: this.#facts.title.trim() || undefined,
      author: this.#facts.author.trim() || undefined,
      notConverted: this.#notConverted,
    };
  }

  #addText(text: string): void {
    const skipped = Math.min(this.#skip, text.length);
    this.#skip -= skipped;
    for (let at = skipped; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code < 0x80 && this.#bytes.length === 0) {
        // All of an ASCII text at once; bytes of others may belong to a character of several.
        const end = text.slice(at).search(/[\x80-\xff]/);
        this.#characters(end < 0 ? text.slice(at) : text.slice(at, at + end));
        if (end < 0) return;
        at += end - 1;
      } else this.#bytes.push(code);
    }
  }

  #decodeBytes(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    const font = this.#fonts.get(this.#group.run.font);
    if (font?.isSymbol) this.#characters(latin1(bytes).replace(/[^\t]/g, symbolOf));
    else this.#characters(new TextDecoder(font?.encoding ?? this.#encoding).decode(bytes));
  }

  /** Text in Unicode. */
  #characters(text: string): void {
    switch (this.#group.destination) {
      case "body":
        if (!this.#group.run.hidden) this.#body.text(text, this.#group.run, this.#group.paragraph);
        return;
      case "picture":
        this.#picture?.text(text);
        return;
      case "fonts":
        this.#fonts.text(text);
        return;
      case "colors":
        this.#colors.text(text);
        return;
      case "styles":
        this.#styles.text(text);
        return;
      case "code":
        this.#code = `${this.#code}${text}`.slice(0, 4_096);
        return;
      case "title":
      case "author":
        this.#facts[this.#group.destination] = `${this.#facts[this.#group.destination]}${text}`.slice(0, 1_000);
        return;
      case "bookmark":
        this.#collected = `${this.#collected}${text}`.slice(0, 200);
        return;
      case "lost":
        this.#collected = `${this.#collected}${text}`.trim().slice(0, 10);
        return;
      case "skip":
    }
  }

  #into(destination: Destination, end?: () => void): void {
    this.#group = { ...this.#group, destination, end };
  }

  #word(name: string, value: number | undefined): void {
    if (name === "*") {
      this.#isOptional = true;
      return;
    }
    const isOptional = this.#isOptional;
    this.#isOptional = false;
    if (name === "upr") {
      // What follows is repeated in Unicode.
      this.#into("skip");
      return;
    }
    if (name === "ud") {
      const outer = this.#open.at(-2);
      this.#into(outer?.destination ?? "body");
      return;
    }
    const { destination } = this.#group;
    if (destination === "skip" || destination === "lost") {
      if (name === "u" && destination === "lost") this.#collected += "u";
      return;
    }
    if (name === "u") {
      this.#skip = this.#group.unicodeSkip;
      const unit = String.fromCharCode((value ?? 0) & 0xffff);
      const font = this.#fonts.get(this.#group.run.font);
      const isPrivate = font?.isSymbol === true && unit >= "\uf000" && unit <= "\uf0ff";
      this.#characters(isPrivate ? symbolOf(unit) : unit);
      return;
    }
    if (name === "uc") {
      this.#group = { ...this.#group, unicodeSkip: Math.min(Math.max(value ?? 1, 0), 10) };
      return;
    }
    const character = CHARACTERS[name];
    if (character !== undefined) {
      if (this.#skip > 0) this.#skip -= 1;
      else this.#characters(character);
      return;
    }
    if (this.#destination(name)) return;
    if (isOptional && !OPTIONAL.has(name)) {
      this.#into("skip");
      return;
    }
    if (destination === "fonts") this.#fonts.word(name, value);
    else if (destination === "colors") this.#colors.word(name, value);
    else if (destination === "styles") this.#styles.word(name, value);
    else if (destination === "picture") this.#picture?.word(name, value);
    else if (destination === "body") this.#bodyWord(name, value);
  }

  /** Whether the word begins the text of something else. */
  #destination(name: string): boolean {
    if (SKIPPED.has(name)) {
      this.#into("skip");
      return true;
    }
    const lost = LOST[name];
    if (lost !== undefined) {
      this.#collected = "";
      this.#into("lost", () => {
        if (this.#collected !== "") this.#notConverted.add(lost);
      });
      return true;
    }
    switch (name) {
      case "fonttbl":
        this.#into("fonts");
        return true;
      case "colortbl":
        this.#into("colors");
        return true;
      case "stylesheet":
        this.#styles.begin();
        this.#into("styles");
        return true;
      case "info":
        this.#into("skip");
        this.#group = { ...this.#group, destination: "code" };
        return true;
      case "title":
      case "author":
        if (this.#group.destination !== "code") return false;
        this.#into(name);
        return true;
      case "bkmkstart":
        this.#collected = "";
        this.#into("bookmark", () => {
          this.#body.html(
            `<span id="${escapedAttribute(this.#collected.trim())}"></span>`,
            this.#open.at(-1)?.paragraph,
          );
        });
        return true;
      case "fldinst":
        this.#code = "";
        this.#into("code", () => {
          const link = hyperlinkOf(this.#code);
          const field = this.#open.at(-1);
          if (field !== undefined) this.#open[this.#open.length - 1] = { ...field, run: { ...field.run, link } };
        });
        return true;
      case "fldrslt":
        return true;
      case "pict":
        this.#picture = new PictureReader();
        this.#into("picture", () => {
          this.#endPicture();
        });
        return true;
      case "footnote":
        this.#footnote();
        return true;
      case "object":
        this.#notConverted.add("embedded-objects");
        return true;
      case "shptxt":
        this.#body.beginBox();
        this.#group = {
          ...this.#group,
          paragraph: PLAIN_PARAGRAPH,
          end: () => {
            this.#body.endBox();
          },
        };
        return true;
      default:
        return false;
    }
  }

  #footnote(): void {
    if (this.#group.destination !== "body") return;
    const number = this.#notes.length + 1;
    this.#notes.push("");
    this.#body.html(noteReference("note", number), this.#group.paragraph);
    this.#body.beginBox();
    this.#group = {
      ...this.#group,
      paragraph: PLAIN_PARAGRAPH,
      run: PLAIN_RUN,
      end: () => {
        const text = this.#body.takeBox();
        this.#notes[number - 1] = noteHtml("note", number, text);
      },
    };
  }

  #endPicture(): void {
    const { isEmpty = true, bytes, size } = this.#picture ?? {};
    this.#picture = undefined;
    if (isEmpty) return;
    if (bytes === undefined) {
      this.#notConverted.add("unsupported-images");
      return;
    }
    const context = { work: this.#parts.work, shown: this.#shown, notConverted: this.#notConverted };
    this.#body.html(pictureHtml(context, bytes, size), this.#open.at(-1)?.paragraph);
  }

  #encodingOf(page: number | undefined): string | undefined {
    const encoding = encodingOfCodePage(page ?? 0);
    if (encoding === undefined && (page ?? 0) > 0) this.#notConverted.add("encodings");
    return encoding;
  }

  #bodyWord(name: string, value: number | undefined): void {
    const run = runAfter(this.#group.run, name, value, { fonts: this.#fonts, colors: this.#colors });
    const paragraph = paragraphAfter(this.#group.paragraph, name, value, this.#styles);
    if (run ?? paragraph) this.#group = { ...this.#group, ...(run && { run }), ...(paragraph && { paragraph }) };
    switch (name) {
      case "deleted":
      case "revised":
        this.#notConverted.add("tracked-changes");
        break;
      case "ansicpg":
        this.#encoding = this.#encodingOf(value) ?? "windows-1252";
        break;
      case "mac":
        this.#encoding = "macintosh";
        break;
      case "pc":
      case "pca":
        this.#notConverted.add("encodings");
        break;
      case "paperw":
      case "paperh":
      case "margl":
      case "margr":
      case "margt":
      case "margb":
        this.#page[name] = value ?? 0;
        break;
      case "par":
      case "sect":
        this.#body.endParagraph(this.#group.paragraph);
        break;
      case "page":
        this.#body.pageBreak(this.#group.paragraph);
        break;
      case "line":
      case "lbr":
        this.#body.html("<br>", this.#group.paragraph);
        break;
      case "trowd":
        this.#body.beginRow();
        break;
      case "cellx":
        this.#body.cellEdge((value ?? 0) / TWIPS);
        break;
      case "clmgf":
      case "clmrg":
      case "clvmgf":
      case "clvmrg":
        this.#body.cellMerge(name);
        break;
      case "cell":
      case "nestcell":
        this.#body.endCell(this.#group.paragraph, name === "nestcell");
        break;
      case "row":
        this.#body.endRow();
        break;
      default:
    }
  }
}
