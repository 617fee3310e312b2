/** Runs as HTML (ECMA-376, part 1, 17.3.2). */
import { fontFamily } from "../source/markup.ts";
import type { RunStyle } from "./styles.ts";

export function styledRun(content: string, style: RunStyle, base: RunStyle): string {
  const css = runCss(style, base);
  let html = css === "" ? content : `<span style="${css}">${content}</span>`;
  if (style.strike) html = `<s>${html}</s>`;
  if (style.underline) html = `<u>${html}</u>`;
  if (style.position) html = `<${style.position}>${html}</${style.position}>`;
  return html;
}

/** The style of a run as far as it differs from its paragraph's. */
function runCss(style: RunStyle, base: RunStyle): string {
  const changed = <K extends keyof RunStyle>(key: K): boolean => style[key] !== undefined && style[key] !== base[key];
  return [
    changed("bold") && `font-weight:${style.bold ? "bold" : "normal"}`,
    changed("italic") && `font-style:${style.italic ? "italic" : "normal"}`,
    changed("size") && `font-size:${style.size}pt`,
    changed("color") && `color:${style.color}`,
    style.background && `background-color:${style.background}`,
    changed("font") && fontFamily(style.font ?? ""),
  ]
    .filter(Boolean)
    .join(";");
}
