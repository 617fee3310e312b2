import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./server.ts";

/** The guides with code that has to run. */
const GUIDES = ["api", "batches", "buckets", "conversion", "signatures", "webhooks"];

/** The code blocks of the guides in one language, for the service at `baseUrl`. */
export async function samplesOf(language: string, baseUrl: string): Promise<string[]> {
  const texts = await Promise.all(GUIDES.map((name) => readFile(join(root, `docs/${name}.md`), "utf8")));
  const found = texts.flatMap((text) => [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))]);
  return found.map(([, code = ""]) => code.replaceAll("http://localhost:8787", baseUrl));
}

/** The only one of these with certain words. */
export function sampleWith(samples: readonly string[], words: string): string {
  const [found, ...others] = samples.filter((code) => code.includes(words));
  if (found === undefined || others.length > 0) throw new Error(`${1 + others.length} samples have ${words}`);
  return found;
}
