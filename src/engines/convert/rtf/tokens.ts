/** The tokens of Rich Text (RTF 1.9.1, "Conventions of an RTF Reader"). */

export type Token =
  | { readonly kind: "open" | "close" }
  | { readonly kind: "word"; readonly name: string; readonly value: number | undefined }
  | { readonly kind: "byte"; readonly value: number }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly start: number; readonly end: number };

/** A word with its number and the space that ends it, from a place in the text. */
const WORD = /([a-z]{1,32})(-?\d{1,10})? ?/iy;
const TEXT = /[^\\{}\r\n]{1,4096}/y;

/** `text`: a byte for each character. Bytes after a `\bin` are one token. */
export function* tokensOf(text: string): Generator<Token, void> {
  for (let at = 0; at < text.length;) {
    const character = text[at];
    if (character === "{" || character === "}") {
      at += 1;
      yield { kind: character === "{" ? "open" : "close" };
    } else if (character === "\r" || character === "\n") {
      at += 1;
    } else if (character !== "\\") {
      TEXT.lastIndex = at;
      const found = TEXT.exec(text)?.[0] ?? "";
      at += found.length;
      yield { kind: "text", text: found };
    } else {
      WORD.lastIndex = at + 1;
      const word = WORD.exec(text);
      if (word !== null) {
        at = WORD.lastIndex;
        const name = word[1] ?? "";
        const value = word[2] === undefined ? undefined : Number(word[2]);
        if (name !== "bin") yield { kind: "word", name, value };
        else {
          const end = Math.min(at + Math.max(value ?? 0, 0), text.length);
          yield { kind: "binary", start: at, end };
          at = end;
        }
      } else if (text[at + 1] === "'") {
        yield { kind: "byte", value: parseInt(text.slice(at + 2, at + 4), 16) || 0x3f };
        at += 4;
      } else {
        const symbol = text[at + 1] ?? "";
        at += 2;
        yield { kind: "word", name: symbol === "\r" || symbol === "\n" ? "par" : symbol, value: undefined };
      }
    }
  }
}
