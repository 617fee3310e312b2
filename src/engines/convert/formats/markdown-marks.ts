/** What Markdown looks like. */

const MARKDOWN = [
  /^#{1,6} +\S/m,
  /^(```|~~~)/m,
  /^ {0,3}[-*+] +(\[[ xX]\] )?\S/m,
  /\[[^\]\n]{1,200}\]\((?:https?:|#|\.|\/|\w)[^)\n]{0,500}\)/,
  /^\|? *:?-{3,}:? *\|/m,
  /(^|\s)\*\*[^*\n]{1,200}\*\*/,
  /^> +\S/m,
  /^.{1,200}\n(={3,}|-{3,})\s*$/m,
];

/** Markdown often begins with elements, such as a centered title. Several kinds of its marks are outside of elements whose text is code then. */
export function isMarkdownWithHtml(text: string): boolean {
  if (/<\/?(?:!doctype|html|head|body)\b/i.test(text)) return false;
  const marked = text.replace(/<(pre|script|style|code|textarea)\b[\s\S]*?<\/\1\s*>/gi, "");
  return MARKDOWN.filter((pattern) => pattern.test(marked)).length > 1;
}

/** Whether a text has a mark of Markdown. */
export const hasMarkdown = (text: string): boolean => MARKDOWN.some((pattern) => pattern.test(text));
