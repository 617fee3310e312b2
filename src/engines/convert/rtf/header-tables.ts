/** The tables at the beginning of Rich Text (RTF 1.9.1, "Header"), to whose entries the text refers by number. */
import { CHARACTER_SETS, SYMBOLS } from "./encodings.ts";

interface Font {
  name: string;
  encoding: string | undefined;
  isSymbol: boolean;
}

/** Entries of a table that are read, and characters of a name. */
const [MOST_ENTRIES, LONGEST_NAME] = [10_000, 100];

export class FontTable {
  readonly #fonts = new Map<number, Font>();
  readonly #encodingOf: (page: number | undefined) => string | undefined;
  /** The number of the font that is being read. */
  #number = 0;

  /** `encodingOf`: that of a code page. */
  constructor(encodingOf: (page: number | undefined) => string | undefined) {
    this.#encodingOf = encodingOf;
  }

  get(number: number | undefined): Readonly<Font> | undefined {
    return this.#fonts.get(number ?? -1);
  }

  word(name: string, value: number | undefined): void {
    if (name === "f") {
      this.#number = value ?? 0;
      if (this.#fonts.size < MOST_ENTRIES)
        this.#fonts.set(this.#number, { name: "", encoding: undefined, isSymbol: false });
      return;
    }
    const font = this.#fonts.get(this.#number);
    if (font === undefined) return;
    if (name === "fcharset") {
      font.encoding = CHARACTER_SETS[value ?? -1];
      font.isSymbol = value === SYMBOLS;
    } else if (name === "cpg") font.encoding = this.#encodingOf(value);
  }

  text(text: string): void {
    const font = this.#fonts.get(this.#number);
    if (font && font.name.length < LONGEST_NAME) font.name += text.replace(";", "");
  }
}

export class ColorTable {
  readonly #colors: (string | undefined)[] = [];
  #parts: { red?: number; green?: number; blue?: number } = {};

  /** Undefined: the automatic one. */
  get(number = 0): string | undefined {
    return this.#colors[number];
  }

  word(name: string, value = 0): void {
    if (name === "red" || name === "green" || name === "blue") this.#parts[name] = value;
  }

  text(text: string): void {
    for (const character of text) if (character === ";") this.#end();
  }

  #end(): void {
    const { red, green, blue } = this.#parts;
    const part = (value = 0): string => Math.min(Math.max(value, 0), 255).toString(16).padStart(2, "0");
    const isAutomatic = red === undefined && green === undefined && blue === undefined;
    if (this.#colors.length < MOST_ENTRIES)
      this.#colors.push(isAutomatic ? undefined : `#${part(red)}${part(green)}${part(blue)}`);
    this.#parts = {};
  }
}

/** Only the levels of its headings are read. */
export class StyleSheet {
  readonly #headings = new Map<number, number>();
  #number = 0;
  #name = "";

  heading(number = -1): number | undefined {
    return this.#headings.get(number);
  }

  begin(): void {
    this.#number = 0;
  }

  word(name: string, value = 0): void {
    if (name === "s" || name === "cs") this.#number = name === "s" ? value : -1;
  }

  text(text: string): void {
    this.#name = `${this.#name}${text}`.slice(0, LONGEST_NAME);
    if (!text.includes(";")) return;
    const level = /^\s*heading ([1-9])\b/i.exec(this.#name)?.[1];
    if (level !== undefined) this.#headings.set(this.#number, Math.min(Number(level), 6));
    this.#name = "";
  }
}
