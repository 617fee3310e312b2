/** Rich Text (RTF 1.9.1) as HTML. */
import { latin1 } from "../../../bytes/latin1.ts";
import { fileDamaged } from "../../file-errors.ts";
import type { InputBytes } from "../../memory/heap.ts";
import { richTextTooLarge } from "../../limit-errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import { limits } from "../../../limits.ts";
import type { Conversion } from "../source/document.ts";
import type { DocumentParts } from "../source/document-parts.ts";
import { escaped, escapedAttribute, htmlDocument } from "../source/markup.ts";
import { pictureHtml } from "../source/picture.ts";
import { ShownBudget } from "../source/shown.ts";
import { CHARACTER_SETS, encodingOfCodePage, SYMBOLS } from "./encodings.ts";
import { RichTextWriter } from "./body.ts";
import { PLAIN_PARAGRAPH, PLAIN_RUN, type ParagraphLook, type RunLook } from "./looks.ts";
import { hyperlinkOf } from "../docx/fields.ts";
import { tokensOf } from "./tokens.ts";

const STYLE = "p{margin:0}h1,h2,h3,h4,h5,h6{margin:0}td p{margin:0}";
/** Groups within each other that are read. */
const DEEPEST = 500;
/** Twentieths of a point, in which lengths are. */
const TWIPS = 20;

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

interface Font {
  name: string;
  encoding: string | undefined;
  isSymbol: boolean;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "~": "\u00a0",
  _: "\u2011",
  "-": "\u00ad",
  "{": "{",
  "}": "}",
  "\\": "\\",
  emdash: "\u2014",
  endash: "\u2013",
  emspace: "\u2003",
  enspace: "\u2002",
  qmspace: "\u2005",
  bullet: "\u2022",
  lquote: "\u2018",
  rquote: "\u2019",
  ldblquote: "\u201c",
  rdblquote: "\u201d",
  tab: "\u2003",
  ltrmark: "\u200e",
  rtlmark: "\u200f",
  zwj: "\u200d",
  zwnj: "\u200c",
};

/** Destinations whose text is not that of the document, without a loss. */
const SKIPPED: ReadonlySet<string> = new Set(
  "listtable listoverridetable revtbl rsidtbl generator filetbl xmlnstbl themedata colorschememapping datastore latentstyles pgptbl nonshppict objdata objclass objname sp sn sv shprslt pntxta pntxtb pnseclvl bkmkend datafield formfield private template operator comment subject keywords category manager company creatim revtim printim buptim doccomm hlinkbase docvar userprops atnid atnauthor atnref atrfstart atrfend atntime atndate ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn xe tc tcn rxe do mmathPr falt panose fname blipuid blipTag picprop wgrffmtfilter passwordhash listpicture defchp defpap stylesheetx ftnsepx protusertbl".split(
    " ",
  ),
);
const LOST: Readonly<Record<string, string>> = {
  header: "headers",
  headerl: "headers",
  headerr: "headers",
  headerf: "headers",
  footer: "footers",
  footerl: "footers",
  footerr: "footers",
  footerf: "footers",
  annotation: "comments",
  mmath: "formulas",
};
/** Optional destinations that are part of the text. */
const OPTIONAL: ReadonlySet<string> = new Set("shppict shpinst shptxt fldinst bkmkstart ud".split(" "));

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
  readonly #fonts = new Map<number, Font>();
  readonly #colors: (string | undefined)[] = [];
  readonly #headings = new Map<number, number>();
  readonly #facts: { title: string; author: string } = { title: "", author: "" };
  readonly #page: Record<string, number> = {};
  readonly #open: Group[] = [];
  readonly #notes: string[] = [];
  #group: Group = { run: PLAIN_RUN, paragraph: PLAIN_PARAGRAPH, destination: "body", unicodeSkip: 1 };
  #encoding = "windows-1252";
  /** Bytes of text that are not decoded yet: a character may have several. */
  #bytes: number[] = [];
  /** Characters that stand for the last `\u`. */
  #skip = 0;
  #isOptional = false;
  #font = 0;
  #color: { red?: number; green?: number; blue?: number } = {};
  #style = 0;
  #styleName = "";
  #code = "";
  #collected = "";
  #picture: { hex: string; isDecodable: boolean; width: number | undefined; height: number | undefined } | undefined;

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
          if (this.#group.destination === "picture" && this.#picture)
            this.#picture.hex += hexOf(this.#text.slice(token.start, token.end));
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
    const { margl, margr, margt, margb, paperw = 12_240, paperh = 15_840 } = this.#page;
    const body = this.#body.end();
    const notes = this.#notes.length === 0 ? "" : `<hr>${this.#notes.join("")}`;
    const size = { width: paperw / TWIPS, height: paperh / TWIPS };
    const isSize = Object.values(size).every((side) => side >= 72 && side <= 14_400);
    const margins = Object.fromEntries(
      Object.entries({ left: margl ?? 1_800, right: margr ?? 1_800, top: margt ?? 1_440, bottom: margb ?? 1_440 }).map(
        ([side, value]) => [
          side,
          Math.min(Math.max(value / TWIPS, 0), (isSize ? Math.min(...Object.values(size)) : 612) / 3),
        ],
      ),
    );
    const html = htmlDocument({ style: STYLE, body: `${body}${notes}` });
    return {
      parts: [await this.#parts.ofHtml(html, { rule: { ...(isSize && { size }), margins } })],
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
    const font = this.#fonts.get(this.#group.run.font ?? -1);
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
        if (this.#picture) this.#picture.hex += text;
        return;
      case "fonts": {
        const font = this.#fonts.get(this.#font);
        if (font && font.name.length < 100) font.name += text.replace(";", "");
        return;
      }
      case "colors":
        for (const character of text) if (character === ";") this.#endColor();
        return;
      case "styles":
        this.#styleName = `${this.#styleName}${text}`.slice(0, 100);
        if (text.includes(";")) this.#endStyle();
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

  #endColor(): void {
    const { red, green, blue } = this.#color;
    const part = (value = 0): string => Math.min(Math.max(value, 0), 255).toString(16).padStart(2, "0");
    const isAutomatic = red === undefined && green === undefined && blue === undefined;
    if (this.#colors.length < 10_000)
      this.#colors.push(isAutomatic ? undefined : `#${part(red)}${part(green)}${part(blue)}`);
    this.#color = {};
  }

  #endStyle(): void {
    const level = /^\s*heading ([1-9])\b/i.exec(this.#styleName)?.[1];
    if (level !== undefined) this.#headings.set(this.#style, Math.min(Number(level), 6));
    this.#styleName = "";
  }

  #into(destination: Destination, end?: () => void): void {
    this.#group = { ...this.#group, destination, end };
  }

  #run(change: Partial<RunLook>): void {
    this.#group = { ...this.#group, run: { ...this.#group.run, ...change } };
  }

  #paragraph(change: Partial<ParagraphLook>): void {
    this.#group = { ...this.#group, paragraph: { ...this.#group.paragraph, ...change } };
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
      const font = this.#fonts.get(this.#group.run.font ?? -1);
      const isPrivate = font?.isSymbol === true && unit >= "\uf000" && unit <= "\uf0ff";
      this.#characters(isPrivate ? symbolOf(unit) : unit);
      return;
    }
    if (name === "uc") {
      this.#group = { ...this.#group, unicodeSkip: Math.min(Math.max(value ?? 1, 0), 10) };
      return;
    }
    const character = ENTITIES[name];
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
    if (destination === "fonts") this.#fontWord(name, value);
    else if (destination === "colors") {
      if (name === "red" || name === "green" || name === "blue") this.#color[name] = value ?? 0;
    } else if (destination === "styles") {
      if (name === "s" || name === "cs") this.#style = name === "s" ? (value ?? 0) : -1;
    } else if (destination === "picture") this.#pictureWord(name, value);
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
        this.#style = 0;
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
        this.#picture = { hex: "", isDecodable: false, width: undefined, height: undefined };
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
    this.#body.html(
      `<sup><a href="#note-${number}" id="note-ref-${number}">${number}</a></sup>`,
      this.#group.paragraph,
    );
    this.#body.beginBox();
    this.#group = {
      ...this.#group,
      paragraph: PLAIN_PARAGRAPH,
      run: PLAIN_RUN,
      end: () => {
        const text = this.#body.takeBox();
        this.#notes[number - 1] =
          `<div id="note-${number}" style="font-size:0.85em"><p><a href="#note-ref-${number}">${number}</a>.</p>${text}</div>`;
      },
    };
  }

  #endPicture(): void {
    const { hex, isDecodable, width, height } = this.#picture ?? { hex: "", isDecodable: false };
    this.#picture = undefined;
    if (hex.trim() === "") return;
    if (!isDecodable) {
      this.#notConverted.add("unsupported-images");
      return;
    }
    const context = { work: this.#parts.work, shown: this.#shown, notConverted: this.#notConverted };
    this.#body.html(pictureHtml(context, bytesOf(hex), { width, height }), this.#open.at(-1)?.paragraph);
  }

  #fontWord(name: string, value: number | undefined): void {
    if (name === "f") {
      this.#font = value ?? 0;
      if (this.#fonts.size < 10_000) this.#fonts.set(this.#font, { name: "", encoding: undefined, isSymbol: false });
      return;
    }
    const font = this.#fonts.get(this.#font);
    if (font === undefined) return;
    if (name === "fcharset") {
      font.encoding = CHARACTER_SETS[value ?? -1];
      font.isSymbol = value === SYMBOLS;
    } else if (name === "cpg") font.encoding = this.#encodingOf(value);
  }

  #encodingOf(page: number | undefined): string | undefined {
    const encoding = encodingOfCodePage(page ?? 0);
    if (encoding === undefined && (page ?? 0) > 0) this.#notConverted.add("encodings");
    return encoding;
  }

  #pictureWord(name: string, value: number | undefined): void {
    const picture = this.#picture;
    if (picture === undefined) return;
    if (name === "pngblip" || name === "jpegblip") picture.isDecodable = true;
    else if (name === "picwgoal") picture.width = (value ?? 0) / TWIPS;
    else if (name === "pichgoal") picture.height = (value ?? 0) / TWIPS;
  }

  #bodyWord(name: string, value: number | undefined): void {
    const isOn = value !== 0;
    const points = (value ?? 0) / TWIPS;
    switch (name) {
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
      case "b":
      case "i":
      case "caps":
        this.#run({ [name]: isOn });
        break;
      case "ul":
      case "uld":
      case "uldb":
      case "ulw":
      case "uldash":
        this.#run({ ul: isOn });
        break;
      case "ulnone":
        this.#run({ ul: false });
        break;
      case "strike":
      case "striked":
        this.#run({ strike: isOn });
        break;
      case "v":
        this.#run({ hidden: isOn });
        break;
      case "deleted":
        this.#notConverted.add("tracked-changes");
        this.#run({ hidden: isOn });
        break;
      case "revised":
        this.#notConverted.add("tracked-changes");
        break;
      case "super":
      case "sub":
        this.#run({ position: isOn ? (name === "super" ? "sup" : "sub") : undefined });
        break;
      case "nosupersub":
        this.#run({ position: undefined });
        break;
      case "fs":
        if (value !== undefined && value >= 2 && value <= 800) this.#run({ size: value / 2 });
        break;
      case "f": {
        const font = this.#fonts.get(value ?? -1);
        this.#run({ font: value, family: font?.isSymbol ? undefined : font?.name.trim() });
        break;
      }
      case "cf":
        this.#run({ color: this.#colors[value ?? 0] });
        break;
      case "cb":
      case "chcbpat":
      case "highlight":
        this.#run({ background: value === 0 ? undefined : this.#colors[value ?? 0] });
        break;
      case "plain":
        this.#run({ ...PLAIN_RUN, link: this.#group.run.link });
        break;
      case "pard":
        this.#group = { ...this.#group, paragraph: PLAIN_PARAGRAPH };
        break;
      case "s":
        this.#paragraph({ heading: this.#headings.get(value ?? -1) });
        break;
      case "outlinelevel":
        this.#paragraph({
          heading: value !== undefined && value >= 0 && value < 9 ? Math.min(value + 1, 6) : undefined,
        });
        break;
      case "qc":
      case "qr":
      case "qj":
      case "ql":
        this.#paragraph({ align: { qc: "center", qr: "right", qj: "justify", ql: "left" }[name] });
        break;
      case "li":
        this.#paragraph({ left: points });
        break;
      case "ri":
        this.#paragraph({ right: points });
        break;
      case "fi":
        this.#paragraph({ first: points });
        break;
      case "sb":
        this.#paragraph({ before: points });
        break;
      case "sa":
        this.#paragraph({ after: points });
        break;
      case "rtlpar":
        this.#paragraph({ rightToLeft: true });
        break;
      case "ltrpar":
        this.#paragraph({ rightToLeft: false });
        break;
      case "intbl":
        this.#paragraph({ inTable: true });
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
        this.#body.cellEdge(points);
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
      case "shp":
        break;
      default:
    }
  }
}

const SYMBOL_CODES: Readonly<Record<number, string>> = {
  0xb7: "\u2022",
  0xa7: "\u25aa",
  0xfc: "\u2713",
  0xa8: "\u25a1",
  0x6f: "\u25e6",
  0xe0: "\u2192",
  0xd8: "\u27a2",
};
const symbolOf = (character: string): string => escaped(SYMBOL_CODES[character.charCodeAt(0) & 0xff] ?? "\u2022");

const hexOf = (binary: string): string =>
  Array.from(binary, (character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");

/** The bytes of digits, with anything between them. */
function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(hex.length / 2));
  let digits = 0;
  for (let at = 0; at < hex.length; at++) {
    const code = hex.charCodeAt(at) | 0x20;
    const digit = code >= 0x61 && code <= 0x66 ? code - 0x57 : hex.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 15 || (digit > 9 && code < 0x61)) continue;
    const place = digits >> 1;
    bytes[place] = ((bytes[place] ?? 0) << 4) | digit;
    digits += 1;
  }
  return bytes.subarray(0, digits >> 1);
}
