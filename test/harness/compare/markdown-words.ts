import { compareWords, countWords } from "./word-count.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };

/** The words of a page's text that its Markdown (with `furniture`) does not have. Words that are divided in another way count as there. */
export function lostInMarkdown(text: string, markdown: string): readonly string[] {
  const plain = markdown
    .replaceAll(/<\/?sup>/g, "")
    .replaceAll(/<\/?(?:table|thead|tbody|tr|th|td)\b[^>]*>/g, " ")
    .replaceAll(/(?<!\\)&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\\(?=[^\p{L}\p{N}\s])/gu, "");
  return compareWords(countWords(text), countWords(plain)).lost;
}
